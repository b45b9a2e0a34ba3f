#pragma once
#include "skills/sync/engine.h"
#include "tests/sync/disk.h"
#include "tests/sync/operation.h"
#include "tests/sync/truth.h"
#include "tests/sync/watched_files.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upskill::sync_test {

// A home with three to five roots, the real engine over it, and what must hold of them whatever
// happens (sync facts, section 6). Anything that does not hold throws a Violation.
//
// Real time is what file times are compared with; grace periods are counted in a time of our own.
class World {
public:
  // The number decides how many roots there are, who reads which, the policy and the links.
  World(std::uint64_t shape, const std::string& folder);

  void apply(const Operation& operation);
  // Brings everything back that was taken away, lets sync come to rest and checks what must then
  // hold; then does one thing more whose outcome is known exactly.
  void finish(std::uint32_t choice);

private:
  // What a person has done since sync was last at rest: deletions that may be carried out.
  struct Bystander {
    std::size_t root;
    std::string path; // below the root
    std::string bytes;
    bool inside_skill; // ignored content: moves with its skill
  };

  struct SlipIn {
    int at = 0; // number of the swap; 0: none is planned
    std::uint32_t what = 0;
  };

  struct Failing {
    int at = 0; // number of the first change that fails in the next round; 0: none is planned
    int count = 0;
    bool no_space = false;
  };

  // world.cpp
  Result<void> change_fails(const FileCall& call);
  void open();
  void configure();
  sync::Moment now() const;

  std::string root(std::size_t i) const { return m_setup.roots[i].path; }

  std::string at(std::size_t i, const std::string& path) const { return root(i) + "/" + path; }

  // That directly holds it.
  std::optional<std::size_t> root_of(const std::string& path) const {
    return layout().root_of(path);
  }

  Layout layout() const;

  bool is_away(std::size_t i) const { return exists(away(i)); }

  std::string away(std::size_t i) const { return m_folder + "/away" + std::to_string(i); }

  sync::Round run(sync::Work work, bool asked = false);
  sync::Round run_all();
  bool settle();
  void note_halted();
  void late_edit_happens(const FileCall& call);
  void swap_happens(const FileCall& call, bool before);
  void slip(const std::string& path, std::uint32_t what);

  // world_user.cpp
  void user(const Operation& operation);
  void roots(const Operation& operation);
  void write_skill(std::size_t i, const std::string& name, std::uint32_t value);
  void edit_skill(const std::string& folder, std::uint32_t value);
  void put_back(std::size_t i, bool as_copy);
  void put_back_one(std::size_t i, std::uint32_t value);
  std::size_t agreed_in(std::size_t i) const;
  void person_deletes(std::size_t i, const std::string& name);
  std::vector<std::string> filled(std::size_t i, std::uint32_t value);
  void delete_many(const Operation& operation);
  void edit_late(const Operation& operation);

  // world_asks.cpp
  void write_old_version(const std::string& folder, const std::string& name, std::uint32_t value);
  void old_copy(const Operation& operation);
  bool is_answer(const Error& error) const;
  void ask_undo(std::uint32_t choice = 0);
  void ask_resolve(std::uint32_t value);

  // invariants.cpp
  std::map<Digest, std::string> stable_versions(const sync::Work& work) const;
  void check_round(const sync::Round& round, bool asked);
  void check_nothing_lost();
  void check_bystanders();
  void check_no_collisions(const sync::Round& round);
  void check_status();
  void check_rest();

  // probe.cpp
  void probe(std::uint32_t choice);
  std::vector<std::string> plain_skills(); // in sync, plain copies everywhere

  std::string m_folder;
  WatchedFiles m_files;
  sync::ScopeSetup m_setup;
  sync::EngineOptions m_options;
  std::unique_ptr<sync::Engine> m_engine;
  std::int64_t m_steady_ms = 1'000;
  std::uint64_t m_order = 0;
  std::uint64_t m_token = 0;
  std::vector<sync::Touched> m_touched = {};
  std::set<std::string> m_deleted = {};      // skills that a person deleted somewhere
  std::map<Digest, std::string> m_must = {}; // versions that may not be lost, and where they were
  std::set<Digest> m_verified = {};          // of these: whole in the store
  std::vector<Bystander> m_bystanders = {};
  std::set<std::pair<std::size_t, std::string>> m_by_hand = {}; // entries a person made
  SlipIn m_slip_in = {};
  Failing m_failing = {};
  // (skill whose removal is waited for, folder that is edited then); empty: none is planned
  std::pair<std::string, std::string> m_late_edit = {};
  std::set<std::size_t> m_halted = {}; // roots that sync said were halted
  int m_swaps = 0;
  bool m_slipped = false; // somebody interfered in this round
  bool m_failed = false;  // a change failed in this round
  std::vector<Digest> m_slipped_in = {};
  std::pair<std::string, Digest> m_slip_expected = {};
};

} // namespace upskill::sync_test
