#include "protocol/base/paths.h"
#include "skills/sync/engine_state.h"
#include "tests/sync/daemon_world.h"

#include <sys/stat.h>

#include <algorithm>

namespace upskill::sync_test {
namespace {

ino_t inode_of(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

bool is_skill(const std::string& name) {
  return takes_part(name) && !name.starts_with("unknown");
}

} // namespace

void DaemonWorld::check_nothing_lost() const {
  std::optional<std::set<Digest>> elsewhere;
  auto check = [&](const Digest& hash, const std::string& path) {
    if (exists(object_path(m_data + "/objects", hash))) {
      return;
    }
    if (!elsewhere) {
      elsewhere.emplace();
      add_trees_below(m_data + "/trash", 1, *elsewhere);
      add_trees_below(m_data + "/conflicts", 1, *elsewhere);
      for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
        add_trees_below(root(i), 0, *elsewhere);
        add_trees_below(away(i), 1, *elsewhere);
        add_trees_below(stage(i), 0, *elsewhere);
      }
    }
    if (!elsewhere->contains(hash)) {
      throw Violation("a version of `" + path + "` is lost (" + hash.brief() + ")");
    }
  };
  for (const auto& [inode, left] : m_left) {
    check(left.hash, left.path);
  }
  for (const auto& [hash, path] : m_settled) {
    check(hash, path);
  }
}

// What is in the store can be taken out of it.
void DaemonWorld::check_kept_versions() const {
  auto objects = store::Objects::open(m_data + "/objects");
  for (const auto& [hash, path] : m_settled) {
    bool kept = exists(object_path(m_data + "/objects", hash));
    if (!objects || (kept && !sync::tree_of_object(*objects, hash))) {
      throw Violation("the kept version of `" + path + "` is damaged");
    }
  }
}

// No skill in a root is half written, unless by a person: each is a version that somebody made, or
// one that sync had put into the store before.
void DaemonWorld::check_wholeness() const {
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    for (const std::string& name : names_in(root(i))) {
      if (!is_skill(name) || !is_folder(at(i, name))
          || m_unfinished.contains(inode_of(at(i, name)))) {
        continue;
      }
      sync::ReadResult there = look(root(i), name);
      Digest hash = there.tree.hash();
      if (there.stat.presence != sync::Presence::copy
          || (!m_known.contains(hash) && !exists(object_path(m_data + "/objects", hash)))) {
        throw Violation("`" + at(i, name) + "` is half written (" + hash.brief() + ")");
      }
    }
  }
}

// What is none of sync's business is where it was. Ignored content inside a skill moves with the
// skill's folder, and is never destroyed.
void DaemonWorld::check_bystanders() const {
  for (const Bystander& one : m_bystanders) {
    std::vector<std::string> places = {at(one.root, one.path),
                                       away(one.root) + "/" + one.path,
                                       away(one.root) + "/skills/" + one.path};
    if (one.inside_skill) {
      std::string inside = one.path.substr(one.path.find('/'));
      for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
        for (const std::string& folder : {stage(i), away(i) + "/.upskill-stage"}) {
          for (const std::string& name : names_in(folder)) {
            places.push_back(folder + "/" + name + inside);
          }
        }
      }
      for (const std::string& name : names_in(m_data + "/trash")) {
        places.push_back(m_data + "/trash/" + name + "/content" + inside);
      }
    }
    bool there = std::ranges::any_of(
        places, [&](const std::string& path) { return exists(path) && read(path) == one.bytes; });
    if (!there) {
      throw Violation("`" + at(one.root, one.path) + "` is not as it was left");
    }
  }
}

// Everything is there and nothing waits for a person.
void DaemonWorld::check_rest(const SyncStatusResult& status) const {
  check_agreement(status, layout());
  for (const std::string& name : m_present) {
    bool there = false;
    for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
      there = there || exists(at(i, name));
    }
    if (!there && !m_deleted.contains(name)) {
      throw Violation("`" + name + "` is gone, and nobody had deleted it");
    }
  }
  if (!m_upheaval) {
    check_outcomes();
  }
}

// A skill that nobody touched is as it was, and what a single act led to is known exactly.
void DaemonWorld::check_outcomes() const {
  auto expect = [&](const std::string& name, std::size_t i, const std::optional<Digest>& hash) {
    bool right = hash ? look(root(i), name).tree.hash() == *hash : !exists(at(i, name));
    if (!right) {
      throw Violation(std::string(hash ? "an edit" : "a deletion") + " of `" + name
                      + "` did not reach `" + at(i, name) + "`");
    }
  };
  for (const auto& [name, plain] : m_plain) {
    auto acts = m_acts.find(name);
    for (std::size_t i : plain.roots) {
      if (acts == m_acts.end()) {
        expect(name, i, plain.hash);
      } else if (acts->second.count == 1 && acts->second.whole) {
        expect(name, i, acts->second.after);
      }
    }
  }
  for (const auto& [name, acts] : m_acts) {
    if (acts.count != 1 || !acts.whole || !acts.after || m_listed.contains(name)) {
      continue;
    }
    for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
      if (is_folder(at(i, name))) {
        expect(name, i, acts.after);
      }
    }
  }
}

// What lies in the roots now may never be lost; when nothing waits, it is also what later acts are
// compared with.
void DaemonWorld::remember(const SyncStatusResult& status, bool clean) {
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    auto of_root = std::ranges::find(status.roots, root(i), &RootStatus::path);
    for (const std::string& name : names_in(root(i))) {
      if (!is_skill(name) || !is_folder(at(i, name)) || of_root->state != RootState::ok
          || !of_root->reason.empty()) {
        continue;
      }
      sync::ReadResult there = look(root(i), name);
      if (there.stat.presence == sync::Presence::copy) {
        m_settled.emplace(there.tree.hash(), at(i, name));
      }
    }
  }
  if (!clean) {
    return;
  }
  m_acts.clear();
  m_deleted.clear();
  m_present.clear();
  m_plain.clear();
  m_listed.clear();
  m_upheaval = false;
  for (const SkillSyncStatus& skill : status.skills) {
    m_listed.insert(skill.skill);
    m_present.insert(skill.skill);
    bool plain = skill.state == SkillSyncState::in_sync;
    Plain& known = m_plain[skill.skill];
    for (const ReplicaStatus& replica : skill.replicas) {
      plain = plain && replica.state == ReplicaState::current && layout().root_of(replica.path);
      if (plain) {
        known.roots.insert(*layout().root_of(replica.path));
      }
    }
    std::optional<Digest> hash = Digest::from_hex(skill.hash);
    if (plain && hash) {
      known.hash = *hash;
    } else {
      m_plain.erase(skill.skill);
    }
  }
}

} // namespace upskill::sync_test
