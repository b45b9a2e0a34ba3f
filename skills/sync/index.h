#pragma once
#include "protocol/base/unique_fd.h"
#include "skills/store/sync_rows.h"
#include "skills/sync/cover.h"
#include "skills/sync/guard.h"
#include "skills/sync/root_health.h"
#include "skills/sync/setup.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upskill::sync {

// What is known of one skill in one root. `base` and `fingerprint` belong together: while the
// folder's fingerprint is this one, its content is the base.
struct Replica {
  RootIndex root = 0;
  store::ReplicaKind kind = store::ReplicaKind::copy;
  Presence seen = Presence::absent; // at the last look
  bool differs = false;             // at the last look, from its base
  bool withdrawn = false; // excluded by an undo, and so only until somebody edits the skill
  std::optional<Digest> base = {};
  Fingerprint fingerprint = {};
};

struct Skill {
  store::Id id = 0;
  std::string name;
  std::optional<Digest> ancestor = {};
  std::vector<Replica> replicas = {};
  bool unrecorded = false; // the store could not be told of what was agreed last
  std::vector<store::ReplicaRow> elsewhere = {}; // in roots that are no part of the scope now

  Replica* find(RootIndex root);
  const Replica* find(RootIndex root) const;
  Replica& at(RootIndex root); // made when there is none
  // Copies may be made again: where an undo took them away, or in those roots whatever was the
  // reason.
  void let_return();
  void let_return(const std::vector<RootIndex>& roots);
};

struct Root {
  store::Id id = 0;
  RootRecord record = {};
  RootJudgement judgement = {};
  std::string git_folder = {};
  std::string held = {}; // why it waits this round (a git operation)
  std::optional<std::int64_t> held_since_ms = {};
  UniqueFd fd = {}; // open during a round
  bool emptied_checked = false;
  bool emptied_recorded = false; // the store knows that record.emptied
  bool missed = false; // not usable in an earlier round: what changed in it was not looked at
  // Folded name -> name of everything in it, listed in a round that makes new copies.
  std::optional<std::unordered_map<std::string, std::string>> names = {};
  DeletionGuard guard = {};

  // Read and written this round.
  bool usable() const { return judgement.health == RootHealth::ok && held.empty(); }
};

using SkillIndex = std::uint32_t;

// A skill whose copy was deleted by somebody: carried out after a grace period.
struct PendingDeletion {
  std::int64_t since_ms = 0;
  bool confirmed = false;   // a person said so: no guard
  bool held = false;        // waits for a person
  bool counted = false;     // by the guard
  bool is_planned = false;  // only for the length of a dry run
  std::string problem = {}; // why it could not be carried out everywhere
};

// What failed, and is tried again with growing pauses.
struct Retry {
  unsigned failures = 0;
  std::int64_t at_ms = 0;
};

// Of what an undo took away, when it is decided where copies must be.
enum class Withdrawn : std::uint8_t { stays_away, comes_back };

struct Newcomer {
  std::string name;
  std::int64_t since_ms = 0;
};

// One scope in memory: about 200 bytes a skill and copy, so that 10,000 skills stay small.
struct Scope {
  store::Id id = 0;
  ScopeSetup setup = {};
  CoverScope cover = {};                            // the same, as the policy takes it
  std::unordered_map<RootSet, RootSet> covers = {}; // by what is present and what is a link
  std::vector<Root> roots = {};
  std::vector<Skill> skills = {};
  std::vector<SkillIndex> unused = {};
  std::unordered_map<std::string, SkillIndex> by_key = {}; // folded name
  std::map<std::string, std::string> notes = {};           // skill -> why it waits or is left alone
  std::map<std::string, PendingDeletion> deletions = {};   // skill -> since when
  std::map<std::string, Retry> retries = {};               // skill -> when it is tried again
  std::set<std::string> conflicts = {};                    // skills with an open content conflict
  // Content -> the skill that was first seen with it a moment ago: how a rename shows.
  std::map<Digest, Newcomer> newcomers = {};
  // (root, skill) -> when it was last touched, until it is agreed; newest is largest.
  std::map<std::pair<RootIndex, std::string>, std::uint64_t> orders = {};

  std::string path_of(RootIndex root, std::string_view skill) const;
  // Which roots must hold this skill, given where it is and where it is a link.
  RootSet wanted(const Skill& skill,
                 const RootSet& present,
                 const RootSet& links,
                 Withdrawn withdrawn = Withdrawn::stays_away);
  // The root at this path, if it is one of this scope's.
  std::optional<RootIndex> root_at(std::string_view path) const;
  // Records what the copy in a root holds by agreement, or that there is none any more.
  void agree(Skill& skill, RootIndex root, const std::optional<Digest>& base);
  Skill* find(std::string_view key);
  const Skill* find(std::string_view key) const;
  Skill& add(std::string key, std::string name);
  void remove(std::string_view key);
};

} // namespace upskill::sync
