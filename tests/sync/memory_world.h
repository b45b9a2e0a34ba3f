#pragma once
#include "skills/sync/cover.h"
#include "skills/sync/guard.h"
#include "skills/sync/merge.h"
#include "skills/sync/reconcile.h"
#include "skills/sync/root_health.h"

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace upskill::sync_test {

// The pure core of sync (reconcile, merge_trees, plan_cover and plan_mirror, DeletionGuard,
// judge_root) over replicas that are values. Its round has the order of the real one and may be cut
// off after any write; a replica may change between the decision and the write.
class MemoryWorld {
public:
  explicit MemoryWorld(std::uint64_t seed);

  void step();
  // Lets everything come to rest and checks it.
  void finish();

private:
  struct Root {
    std::map<std::string, sync::Tree> copies = {};
    std::map<std::string, sync::Tree> away = {}; // when it was emptied
    sync::RootRecord record = {};
    bool mounted = true;
    bool held = false; // a git operation
    std::uint64_t inode = 0;
    bool usable = true; // this round
    sync::DeletionGuard guard = {};
  };

  struct Known {
    std::optional<Digest> ancestor = {};
    std::map<std::size_t, Digest> bases = {}; // by root
    std::optional<std::int64_t> deleted_ms = {};
  };

  struct Write {
    std::size_t root;
    std::optional<Digest> expected; // nothing: must be absent
  };

  std::uint64_t below(std::uint64_t count) { return m_random() % count; }

  sync::Tree tree_of(const std::map<std::string, std::string>& files);
  sync::Tree edited(const sync::Tree& tree);
  void person();
  void roots();
  void old_copy();
  // False when it was cut off; `writes` counts what was written or removed.
  bool round(int cut_after, int& writes);
  bool skill_round(const std::string& name, int& left, int& writes);
  bool carry_out_deletions(int& left, int& writes);
  std::vector<sync::Observation> look(const std::string& name);
  sync::Decision decide(const Known& known, std::vector<sync::Observation> seen);
  std::optional<sync::Tree> join(const Known& known, const sync::Decision& decision);
  sync::RootSet wanted(const std::vector<sync::Observation>& seen);
  void open_roots();
  void check_kept() const;
  std::size_t agreed_in(std::size_t root) const;

  std::mt19937_64 m_random;
  std::vector<Root> m_roots;
  std::map<std::string, Known> m_known = {};
  std::map<Digest, sync::Tree> m_store = {};                  // versions kept
  std::map<std::string, std::vector<sync::Tree>> m_once = {}; // versions that a skill had, by name
  std::map<Digest, std::string> m_contents = {}; // bytes by digest, of everything ever written
  std::set<Digest> m_must = {};                  // versions that were seen
  std::set<std::string> m_deleted = {};          // skills that a person deleted
  sync::CoverScope m_cover = {};
  bool m_mirror = true;
  bool m_meddle = false; // somebody edits between decision and write
  std::int64_t m_now_ms = 0;
  std::uint64_t m_inodes = 0;
};

} // namespace upskill::sync_test
