#pragma once
#include "skills/sync/engine_state.h"
#include "skills/sync/merge.h"
#include "skills/sync/pending.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::sync {

// What is known of a scope's skills before an order, to be put back where it fails.
class KnownBefore {
public:
  KnownBefore(Engine::State& state, Scope& scope)
      : m_state(state)
      , m_scope(scope)
      , m_conflicts(scope.conflicts)
      , m_notes(scope.notes)
      , m_deletions(scope.deletions) {}

  // Before anything about the skill is changed; the first word counts.
  void keep(const std::string& name);
  void put_back(const std::string& name);
  void put_back_all();

private:
  Engine::State& m_state;
  Scope& m_scope;
  std::map<std::string, std::optional<Skill>> m_skills = {}; // nothing: it was not known
  std::set<std::string> m_conflicts;
  std::map<std::string, std::string> m_notes;
  std::map<std::string, PendingDeletion> m_deletions;
};

// A version that is to be placed.
struct Incoming {
  Tree tree = {};
  SharedFiles files = {}; // none: it is in the store
  EntryBytes bytes_of = {};
};

// A skill whose files are in memory, and what is to be made of them: written behind the decision,
// while others are decided.
struct Unwritten {
  struct Copy {
    std::string path; // of its empty folder
    CopyModes modes;
  };

  Tree tree = {};
  SharedFiles files = {};
  std::vector<Copy> copies = {};
};

// The files and the tree must outlive it.
EntryBytes bytes_of_files(const NewFiles& files, const Tree& tree);

// What the copies of a skill agree on, or would if sync had its turn.
struct Mine {
  Tree tree = {};
  std::vector<MergedFile> joined = {}; // that no copy holds
  // The winner first, where copies differ and cannot be joined; else what the tree was found as.
  std::vector<Version> versions = {};
  RootIndex root = 0; // where it was found
};

// What is to lie in the folders.
struct Chosen {
  Tree tree = {};
  PlacedState state = PlacedState::placed;
  EntryBytes bytes_of = {};
};

// A skill that is to go from some roots, or all.
struct Going {
  std::string name;
  Sight sight = {}; // without what was read
  std::vector<RootIndex> goes = {};
  std::vector<RootIndex> excluded = {}; // where it is not to be again
  bool nothing_left = false;
  std::optional<PendingSkill> stand_ins = {}; // for agents that would not see it any more
  store::HistoryRow history = {};
  std::vector<std::pair<RootIndex, Displaced>> out = {}; // lies beside the roots
  std::vector<std::string> link_targets = {};            // as `goes`; empty for a copy
};

// An order that is decided and staged; nothing of it is in place yet.
struct Order {
  Order(Engine::State& state, Scope& scope)
      : known(state, scope) {}

  KnownBefore known;
  std::vector<PendingSkill> skills = {};
  std::vector<Unwritten> unwritten = {}; // since the last were handed over
  std::vector<Going> going = {};
  std::vector<std::string> made_folders = {};     // in the order in which they were made
  std::vector<std::string> conflict_folders = {}; // that losing versions were written to
  // Which roots must hold a skill, by who is to see it and where it is: nearly all are alike.
  std::map<std::string, RootSet> holds = {};
  RootSet writable = {}; // roots of which that is known
};

} // namespace upskill::sync
