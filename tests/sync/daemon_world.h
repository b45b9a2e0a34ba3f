#pragma once
#include "protocol/base/unique_fd.h"
#include "skills/sync/setup.h"
#include "tests/sync/disk.h"
#include "tests/sync/operation.h"
#include "tests/sync/running_daemon.h"
#include "tests/sync/truth.h"

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upskill::sync_test {

// A home with three to five agents and the real daemon, which is killed at any moment and started
// again while a person goes on working: what must hold whatever happens. Anything that does not
// hold throws a Violation.
//
// Unlike in World nobody knows what sync has seen when. So what is claimed is only what does not
// depend on it:
// - what a person left in a folder stays somewhere until that person changes that very folder. It
// is
//   told by its inode, for sync may have put another in its place meanwhile;
// - what lay in the roots when sync was at rest stays somewhere for good.
class DaemonWorld {
public:
  // The number decides how many roots there are, the policy and the links.
  DaemonWorld(std::uint64_t shape, const std::string& folder);

  void apply(const Operation& operation);
  // Brings everything back that was taken away, lets sync come to rest, settles what waits for a
  // person and checks what must then hold, also for a daemon that is started once more.
  void finish(std::uint32_t choice);

private:
  struct Left {
    Digest hash;
    std::string path; // where it was
  };

  struct Bystander {
    std::size_t root;
    std::string path; // below the root
    std::string bytes;
    bool inside_skill; // ignored content: moves with its skill
  };

  struct Plain {
    Digest hash;
    std::set<std::size_t> roots;
  };

  // What was done to one skill since sync was last at rest. The outcome of a single act that no
  // reader can see half done is known exactly.
  struct Acts {
    int count = 0;
    bool whole = false;               // the last one was such an act
    std::optional<Digest> after = {}; // what it left; nothing: the copy was deleted
  };

  class Handle; // on a skill's folder

  // daemon_world.cpp
  void start();
  void kill();
  void kill_in_round(const Operation& operation);
  template <class P, class R> R ask(const Method<P, R>& method, const P& params);
  SyncStatusResult wait_for_rest();
  bool come_to_rest();
  bool settle_one(const SyncStatusResult& status, std::uint32_t choice);

  const std::string& root(std::size_t i) const { return m_setup.roots[i].path; }

  std::string at(std::size_t i, const std::string& path) const { return root(i) + "/" + path; }

  std::string away(std::size_t i) const { return m_folder + "/away" + std::to_string(i); }

  bool is_away(std::size_t i) const { return exists(away(i)); }

  std::string stage(std::size_t i) const { return parent_path(root(i)) + "/.upskill-stage"; }

  Layout layout() const;

  // daemon_world_person.cpp
  void person(const Operation& operation);
  bool in_folder(const Operation& operation, const std::string& name, const Handle& folder);
  void write_skill(std::size_t i, const std::string& name, std::uint32_t value);
  void delete_skill(std::size_t i, const std::string& name, bool at_once);
  void rename_skill(std::size_t i, const std::string& name, const std::string& fresh);
  void replace_folder(std::size_t i, const std::string& name, const std::string& from);
  void swap_content(std::size_t i, std::size_t other, const std::string& name);
  void put_bystander(std::size_t i, const std::string& path, const std::string& bytes);
  void left(const Handle& folder, const std::string& path);
  void acted(const std::string& name, bool whole, std::optional<Digest> after);

  // daemon_world_roots.cpp
  void roots(const Operation& operation);
  void empty_root(std::size_t i);
  void put_back(std::size_t i, bool as_copy);

  // daemon_world_checks.cpp
  void check_nothing_lost() const;
  void check_kept_versions() const;
  void check_wholeness() const;
  void check_bystanders() const;
  void check_rest(const SyncStatusResult& status) const;
  void check_outcomes() const;
  void remember(const SyncStatusResult& status, bool clean);

  std::string m_folder;
  sync::ScopeSetup m_setup; // as the daemon must find it
  std::string m_data;
  std::unique_ptr<RunningDaemon> m_daemon;
  std::uint64_t m_token = 0;

  std::map<ino_t, Left> m_left = {};            // by the folder's inode
  std::map<Digest, std::string> m_settled = {}; // seen at rest, and where
  std::set<Digest> m_known = {};                // every whole version a person made
  std::set<ino_t> m_unfinished = {};            // folders that a person left incomplete
  std::vector<Bystander> m_bystanders = {};
  std::set<std::string> m_deleted = {}; // skills that a person deleted somewhere
  std::set<std::string> m_present = {}; // skills that must be there unless deleted
  // Since sync was last at rest, and as it then was.
  std::map<std::string, Acts> m_acts = {};
  bool m_upheaval = true;               // roots came or went
  std::map<std::string, Plain> m_plain; // skills in sync, all of their copies plain folders
  std::set<std::string> m_listed = {};  // skills that sync knew
};

} // namespace upskill::sync_test
