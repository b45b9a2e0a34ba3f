#include "protocol/base/paths.h"
#include "skills/library/names.h"
#include "skills/sync/engine_state.h"
#include "tests/sync/world.h"

#include <algorithm>

namespace upskill::sync_test {
namespace {

bool takes_part(const std::string& name) {
  return name != "outside" && !library::refused_name(name) && !library::ignored_name(name);
}

std::string object_path(const std::string& objects, const Digest& hash) {
  std::string hex = hash.hex();
  return objects + "/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".tar";
}

} // namespace

// Every whole version that a round is about to see. It may not be lost, whatever comes.
std::map<Digest, std::string> World::stable_versions(const sync::Work& work) const {
  std::map<Digest, std::string> versions;
  std::map<std::string, std::string> names; // key -> the one name it has
  auto meet = [&](const std::string& name) {
    auto [at, fresh] = names.emplace(library::folded_key(name), name);
    if (!fresh && at->second != name) {
      at->second.clear(); // two in one: sync takes one of them
    }
  };
  for (const SkillSyncStatus& skill : m_engine->status().skills) {
    meet(skill.skill);
  }
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    std::ranges::for_each(names_in(root(i)), meet);
  }
  for (std::size_t i = 0; i < m_setup.roots.size() && !work.dry_run; ++i) {
    for (const std::string& name : names_in(root(i))) {
      bool looked_at =
          work.everything || std::ranges::any_of(work.touched, [&](const sync::Touched& one) {
            return one.skill == name;
          });
      bool twin = names[library::folded_key(name)] != name;
      if (!looked_at || twin || !takes_part(name) || !is_folder(at(i, name))) {
        continue;
      }
      sync::ReadResult read = look(root(i), name);
      if (read.stat.presence == sync::Presence::copy) {
        versions.emplace(read.tree.hash(), at(i, name));
      }
    }
  }
  return versions;
}

void World::check_round(const sync::Round& round, bool asked) {
  for (const std::string& warning : round.warnings) {
    for (const char* never : {"no version holds",
                              "is damaged",
                              "does not read back",
                              "constraint",
                              "internal",
                              "database",
                              "does not parse"}) {
      if (warning.find(never) != std::string::npos) {
        throw Violation("a round says: " + warning);
      }
    }
  }
  for (const SyncStep& step : round.steps) {
    bool removes = step.action == SyncAction::remove;
    if (removes && !asked && !m_deleted.contains(step.skill)) {
      throw Violation("`" + step.path + "` was removed, and nobody had deleted that skill");
    }
    auto hash = Digest::from_hex(step.hash);
    if (m_slipped || step.path.empty() || !hash || step.action == SyncAction::link) {
      continue;
    }
    sync::ReadResult there = look(parent_path(step.path), base_name(step.path));
    if (there.stat.presence != sync::Presence::copy || there.tree.hash() != *hash) {
      throw Violation("`" + step.path + "` does not hold what the step says ("
                      + std::string(enum_name(step.action)) + ")");
    }
  }
  check_no_collisions(round);
  check_nothing_lost();
  check_bystanders();
}

void World::check_nothing_lost() {
  std::optional<std::set<Digest>> elsewhere;
  for (const auto& [hash, path] : m_must) {
    if (exists(object_path(m_options.objects, hash))) {
      if (m_verified.insert(hash).second) {
        auto objects = store::Objects::open(m_options.objects);
        if (!objects || !sync::tree_of_object(*objects, hash)) {
          throw Violation("the kept version of `" + path + "` is damaged");
        }
      }
      continue;
    }
    if (!elsewhere) {
      elsewhere.emplace();
      add_trees_below(m_options.trash, 1, *elsewhere);
      add_trees_below(m_options.conflicts, 1, *elsewhere);
      for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
        add_trees_below(root(i), 0, *elsewhere);
        add_trees_below(away(i), 1, *elsewhere);
        add_trees_below(parent_path(root(i)) + "/.upskill-stage", 0, *elsewhere);
      }
    }
    if (!elsewhere->contains(hash)) {
      throw Violation("a version of `" + path + "` is lost (" + hash.brief() + ")");
    }
  }
}

// What is none of sync's business is where it was; ignored content inside a skill stays there as
// long as the skill does, and is never destroyed.
void World::check_bystanders() {
  for (const Bystander& one : m_bystanders) {
    std::vector<std::string> places = {at(one.root, one.path),
                                       away(one.root) + "/" + one.path,
                                       away(one.root) + "/skills/" + one.path};
    bool skill_is_there = is_folder(at(one.root, one.path.substr(0, one.path.find('/'))));
    if (one.inside_skill && (!skill_is_there || m_slipped)) {
      std::string inside = one.path.substr(one.path.find('/'));
      std::string stage = parent_path(root(one.root)) + "/.upskill-stage";
      for (const std::string& name : names_in(stage)) {
        places.push_back(stage + "/" + name + inside);
      }
      for (const std::string& name : names_in(m_options.trash)) {
        places.push_back(m_options.trash + "/" + name + "/content" + inside);
      }
    }
    bool there = std::ranges::any_of(
        places, [&](const std::string& path) { return exists(path) && read(path) == one.bytes; });
    if (!there) {
      throw Violation("`" + at(one.root, one.path) + "` is not as it was left");
    }
  }
  // Once it went to the trash with its skill it is nobody's any more.
  std::erase_if(m_bystanders, [&](const Bystander& one) {
    return one.inside_skill && !exists(at(one.root, one.path)) && !is_away(one.root);
  });
}

void World::check_no_collisions(const sync::Round& round) {
  for (const SyncStep& step : round.steps) {
    bool made = step.action == SyncAction::create || step.action == SyncAction::link;
    if (!made || !exists(step.path)) {
      continue;
    }
    std::string key = library::folded_key(base_name(step.path));
    for (const std::string& name : names_in(parent_path(step.path))) {
      std::size_t i = *root_of(step.path);
      if (name != base_name(step.path) && library::folded_key(name) == key
          && !m_by_hand.contains({i, std::string(base_name(step.path))})) {
        throw Violation("`" + step.path + "` was made beside `" + name + "`");
      }
    }
  }
}

// The status against a recount of the disk.
void World::check_status() {
  SyncStatusResult status = m_engine->status();
  std::map<std::string, std::int64_t> listed;
  for (const SkillSyncStatus& skill : status.skills) {
    for (const ReplicaStatus& replica : skill.replicas) {
      listed[parent_path(replica.path)] += replica.state == ReplicaState::current
                                           || replica.state == ReplicaState::changed
                                           || replica.state == ReplicaState::link;
      std::size_t i = *root_of(replica.path);
      auto of_root = std::ranges::find(status.roots, root(i), &RootStatus::path);
      if (of_root->state != RootState::ok || !of_root->reason.empty() || !takes_part(skill.skill)) {
        continue;
      }
      sync::ReadResult there = look(root(i), skill.skill);
      bool right = true;
      std::string hash = there.tree.hash().hex();
      switch (replica.state) {
      case ReplicaState::current:
        right = there.stat.presence == sync::Presence::copy
                && (hash == replica.hash || hash == skill.hash);
        break;
      case ReplicaState::changed:
        right = there.stat.presence == sync::Presence::copy && hash != skill.hash;
        break;
      case ReplicaState::absent:
      case ReplicaState::excluded:
        right = there.stat.presence == sync::Presence::absent;
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
                        + "), and it is not (" + hash + " "
                        + std::to_string(int(there.stat.presence)) + ")");
      }
      if (skill.state == SkillSyncState::in_sync && replica.state == ReplicaState::current
          && replica.hash != skill.hash) {
        throw Violation("`" + skill.skill + "` is called in sync, and its copies differ");
      }
    }
    bool anywhere = false;
    for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
      anywhere = anywhere || exists(at(i, skill.skill)) || is_away(i)
                 || status.roots[i].state != RootState::ok || !status.roots[i].reason.empty();
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
  auto conflicts = m_engine->conflicts({});
  std::set<std::string> content;
  std::set<std::string> held;
  for (const Conflict& conflict : conflicts->conflicts) {
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

// Everything is back and nothing is under way: copies agree, agents see what they should, and
// another pass plans nothing.
void World::check_rest() {
  sync::Work dry;
  dry.everything = true;
  dry.dry_run = true;
  dry.now = now();
  Result<sync::Round> plan = m_engine->run(dry);
  if (!plan || !plan->steps.empty()) {
    std::string first = plan ? (plan->warnings.empty() ? "" : plan->warnings.front())
                                   + plan->steps.front().path + " " + plan->steps.front().reason
                                   + " " + std::string(enum_name(plan->steps.front().action))
                             : plan.error().message;
    throw Violation("at rest, something is still planned: " + first);
  }
  SyncStatusResult status = m_engine->status();
  bool halted = status.state == SyncState::halted;
  if (!halted && status.held == 0) {
    m_deleted.clear();
  }
  std::map<std::string, std::set<std::string>> hashes;
  for (std::size_t i = 0; i < m_setup.roots.size(); ++i) {
    auto of_root = std::ranges::find(status.roots, root(i), &RootStatus::path);
    if (of_root->state != RootState::ok && of_root->state != RootState::absent) {
      throw Violation("everything was put back, and `" + root(i) + "` is still "
                      + std::string(enum_name(of_root->state)) + ": " + of_root->reason);
    }
    for (const std::string& name : names_in(root(i))) {
      auto skill = std::ranges::find(status.skills, name, &SkillSyncStatus::skill);
      if (!takes_part(name) || !is_folder(at(i, name)) || skill == status.skills.end()
          || !Digest::from_hex(skill->hash)) {
        continue;
      }
      sync::ReadResult there = look(root(i), name);
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
    check_placement(name, skill);
  }
}

// Each agent sees the skill, unless its place is taken or was cleared on purpose.
void World::check_placement(const std::string& name, const SkillSyncStatus& status) {
  if (status.state == SkillSyncState::held || status.state == SkillSyncState::problem) {
    return;
  }
  auto taken = [&](std::size_t i) {
    auto replica = std::ranges::find(status.replicas, at(i, name), &ReplicaStatus::path);
    if (replica != status.replicas.end() && replica->state != ReplicaState::current
        && replica->state != ReplicaState::absent) {
      return true;
    }
    return std::ranges::any_of(names_in(root(i)), [&](const std::string& other) {
      return other != name && library::folded_key(other) == library::folded_key(name);
    });
  };
  for (const sync::AgentSetup& agent : m_setup.agents) {
    bool sees = false;
    bool reason = false;
    for (sync::RootIndex i : agent.reads) {
      bool wanted = m_setup.policy == SyncPolicy::cover || agent.preferred == i;
      sees = sees || (wanted && look(root(i), name).stat.presence == sync::Presence::copy);
      reason = reason || taken(i);
    }
    if (!sees && !reason) {
      throw Violation("at rest, `" + agent.id + "` does not see `" + name + "`");
    }
  }
}

} // namespace upskill::sync_test
