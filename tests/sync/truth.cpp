#include "tests/sync/truth.h"

#include "protocol/base/paths.h"
#include "skills/library/names.h"
#include "tests/sync/disk.h"

#include <algorithm>
#include <map>
#include <set>

namespace upskill::sync_test {

std::optional<std::size_t> Layout::root_of(const std::string& path) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (parent_path(path) == root(i) && !base_name(path).starts_with('.')) {
      return i;
    }
  }
  return std::nullopt;
}

bool takes_part(const std::string& name) {
  return name != "outside" && !library::refused_name(name) && !library::ignored_name(name);
}

std::string object_path(const std::string& objects, const Digest& hash) {
  std::string hex = hash.hex();
  return objects + "/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".tar";
}

namespace {

const RootStatus& status_of_root(const SyncStatusResult& status, const std::string& root) {
  auto found = std::ranges::find(status.roots, root, &RootStatus::path);
  if (found == status.roots.end()) {
    throw Violation("the status does not know `" + root + "`");
  }
  return *found;
}

bool is_open(const RootStatus& root) {
  return root.state == RootState::ok && root.reason.empty();
}

// One copy, as the status has it, against what lies there.
void check_copy(const SkillSyncStatus& skill, const ReplicaStatus& replica) {
  sync::ReadResult there = look(parent_path(replica.path), skill.skill);
  bool right = true;
  std::string hash = there.tree.hash().hex();
  switch (replica.state) {
  case ReplicaState::current:
    right =
        there.stat.presence == sync::Presence::copy && (hash == replica.hash || hash == skill.hash);
    break;
  case ReplicaState::changed:
    right = there.stat.presence == sync::Presence::copy && hash != skill.hash;
    break;
  case ReplicaState::absent:
  case ReplicaState::excluded:
    right = there.stat.presence == sync::Presence::absent;
    break;
  case ReplicaState::left_alone:
    right =
        there.stat.presence == sync::Presence::copy || there.stat.presence == sync::Presence::link;
    break;
  case ReplicaState::link:
    right = there.stat.presence == sync::Presence::link;
    break;
  case ReplicaState::incomplete:
    right = there.stat.presence == sync::Presence::incomplete;
    break;
  case ReplicaState::problem:
    right = there.stat.presence == sync::Presence::problem
            || there.stat.presence == sync::Presence::link;
    break;
  }
  if (!right) {
    throw Violation("the status calls `" + replica.path + "` "
                    + std::string(enum_name(replica.state)) + " (" + replica.hash
                    + "), and it is not (" + hash + " " + std::to_string(int(there.stat.presence))
                    + ")");
  }
  if (skill.state == SkillSyncState::in_sync && replica.state == ReplicaState::current
      && replica.hash != skill.hash) {
    throw Violation("`" + skill.skill + "` is called in sync, and its copies differ");
  }
}

// What waits for a person, as the status counts it, against the list of it.
void check_conflicts(const SyncStatusResult& status, const SyncConflictsResult& conflicts) {
  std::set<std::string> content;
  std::set<std::string> held;
  for (const Conflict& conflict : conflicts.conflicts) {
    (conflict.kind == ConflictKind::content ? content : held).insert(conflict.skill);
  }
  if (static_cast<std::size_t>(status.held) != held.size()) {
    throw Violation("the status holds " + std::to_string(status.held) + " deletions, and "
                    + std::to_string(held.size()) + " are listed");
  }
  for (const SkillSyncStatus& skill : status.skills) {
    bool says = skill.state == SkillSyncState::conflict;
    if (says && !content.contains(skill.skill)) {
      throw Violation("the status shows a conflict of `" + skill.skill + "` that is not listed");
    }
    if (!says && content.contains(skill.skill) && skill.state != SkillSyncState::held
        && skill.state != SkillSyncState::pending) {
      throw Violation("the status hides the conflict of `" + skill.skill + "`");
    }
  }
}

// Each agent sees the skill, unless its place is taken or was cleared on purpose.
void check_placement(const std::string& name, const SkillSyncStatus& status, const Layout& layout) {
  if (status.state == SkillSyncState::held || status.state == SkillSyncState::problem) {
    return;
  }
  auto taken = [&](std::size_t i) {
    auto replica = std::ranges::find(status.replicas, layout.at(i, name), &ReplicaStatus::path);
    if (replica != status.replicas.end() && replica->state != ReplicaState::current
        && replica->state != ReplicaState::absent) {
      return true;
    }
    return std::ranges::any_of(names_in(layout.root(i)), [&](const std::string& other) {
      return other != name && library::folded_key(other) == library::folded_key(name);
    });
  };
  for (const sync::AgentSetup& agent : layout.setup.agents) {
    bool sees = false;
    bool reason = false;
    for (sync::RootIndex i : agent.reads) {
      bool wanted = layout.setup.policy == SyncPolicy::cover || agent.preferred == i;
      sees = sees || (wanted && look(layout.root(i), name).stat.presence == sync::Presence::copy);
      reason = reason || taken(i);
    }
    if (!sees && !reason) {
      throw Violation("at rest, `" + agent.id + "` does not see `" + name + "`");
    }
  }
}

} // namespace

void check_status(const SyncStatusResult& status,
                  const SyncConflictsResult& conflicts,
                  const Layout& layout) {
  std::map<std::string, std::int64_t> listed;
  for (const SkillSyncStatus& skill : status.skills) {
    for (const ReplicaStatus& replica : skill.replicas) {
      listed[parent_path(replica.path)] +=
          replica.state == ReplicaState::current || replica.state == ReplicaState::changed
          || replica.state == ReplicaState::link || replica.state == ReplicaState::left_alone;
      std::optional<std::size_t> i = layout.root_of(replica.path);
      if (i && is_open(status_of_root(status, layout.root(*i)))) {
        check_copy(skill, replica);
      }
      if (!takes_part(skill.skill) && replica.state != ReplicaState::left_alone) {
        throw Violation("the status says more of `" + replica.path
                        + "` than that it is left alone");
      }
    }
    bool anywhere = false;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      anywhere = anywhere || exists(layout.at(i, skill.skill)) || layout.away[i]
                 || !is_open(status_of_root(status, layout.root(i)));
    }
    if (!anywhere && skill.state != SkillSyncState::pending) {
      throw Violation("the status lists `" + skill.skill + "` as "
                      + std::string(enum_name(skill.state)) + ", and it is nowhere");
    }
  }
  for (const RootStatus& one : status.roots) {
    if (one.skills != listed[one.path]) {
      throw Violation("the status counts " + std::to_string(one.skills) + " skills in `" + one.path
                      + "`, and lists " + std::to_string(listed[one.path]));
    }
  }
  check_conflicts(status, conflicts);
}

void check_agreement(const SyncStatusResult& status, const Layout& layout) {
  std::map<std::string, std::set<std::string>> hashes;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const RootStatus& of_root = status_of_root(status, layout.root(i));
    if (of_root.state != RootState::ok && of_root.state != RootState::absent) {
      throw Violation("everything was put back, and `" + layout.root(i) + "` is still "
                      + std::string(enum_name(of_root.state)) + ": " + of_root.reason);
    }
    for (const std::string& name : names_in(layout.root(i))) {
      auto skill = std::ranges::find(status.skills, name, &SkillSyncStatus::skill);
      if (!takes_part(name) || !is_folder(layout.at(i, name)) || skill == status.skills.end()
          || !Digest::from_hex(skill->hash)) {
        continue;
      }
      sync::ReadResult there = look(layout.root(i), name);
      if (there.stat.presence == sync::Presence::copy) {
        hashes[name].insert(there.tree.hash().hex());
      }
    }
  }
  for (const auto& [name, versions] : hashes) {
    const auto& skill = *std::ranges::find(status.skills, name, &SkillSyncStatus::skill);
    if (versions.size() > 1 || *versions.begin() != skill.hash) {
      throw Violation("at rest, the copies of `" + name + "` differ");
    }
    check_placement(name, skill, layout);
  }
}

} // namespace upskill::sync_test
