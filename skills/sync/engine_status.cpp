#include "skills/sync/engine_state.h"

#include <algorithm>

namespace upskill::sync {
namespace {

RootStatus status_of(const Scope& scope, RootIndex index) {
  const RootSetup& setup = scope.setup.roots[index];
  const Root& root = scope.roots[index];
  RootStatus status;
  status.path = setup.path;
  status.scope = scope.setup.project.empty() ? upskill::Scope::user : upskill::Scope::project;
  status.agents = setup.agents;
  status.aliases = setup.aliases;
  status.skills = std::ranges::count_if(scope.skills, [&](const Skill& skill) {
    const Replica* replica = skill.find(index);
    return replica != nullptr
           && (replica->seen == Presence::copy || replica->seen == Presence::link);
  });
  if (setup.refused) {
    status.state = RootState::refused;
    status.reason = setup.reason;
  } else if (root.judgement.health == RootHealth::halted) {
    status.state = RootState::halted;
    status.reason = root.judgement.reason;
  } else if (!probe_root(setup.path).exists) {
    status.state = RootState::absent;
  } else {
    status.reason = root.held;
  }
  return status;
}

ReplicaState state_of(const Replica& replica, bool pending_deletion) {
  switch (replica.seen) {
  case Presence::absent:
    return replica.kind == store::ReplicaKind::excluded ? ReplicaState::excluded
                                                        : ReplicaState::absent;
  case Presence::link:
    return ReplicaState::link;
  case Presence::incomplete:
    return ReplicaState::incomplete;
  case Presence::problem:
    return ReplicaState::problem;
  case Presence::copy:
    break;
  }
  return replica.differs && !pending_deletion ? ReplicaState::changed : ReplicaState::current;
}

SkillSyncStatus status_of(const Scope& scope, const Skill& skill) {
  SkillSyncStatus status;
  status.skill = skill.name;
  status.scope = scope.setup.name();
  status.hash = skill.ancestor ? skill.ancestor->hex() : std::string();
  auto deletion = scope.deletions.find(skill.name);
  bool waits = false;
  bool problem = !skill.ancestor;
  for (const Replica& replica : skill.replicas) {
    ReplicaStatus& copy = status.replicas.emplace_back();
    copy.path = scope.path_of(replica.root, skill.name);
    copy.state = state_of(replica, deletion != scope.deletions.end());
    copy.hash = replica.base ? replica.base->hex() : std::string();
    waits = waits || copy.state == ReplicaState::changed
            || (copy.state == ReplicaState::absent && replica.base)
            || (replica.base && replica.base != skill.ancestor);
    problem =
        problem || copy.state == ReplicaState::problem || copy.state == ReplicaState::incomplete;
  }
  std::ranges::sort(status.replicas, {}, &ReplicaStatus::path);
  auto note = scope.notes.find(skill.name);
  if (note != scope.notes.end()) {
    status.reason = note->second;
    problem = true;
  }
  if (deletion != scope.deletions.end()) {
    status.state = deletion->second.held ? SkillSyncState::held : SkillSyncState::pending;
    status.reason = deletion->second.held ? "its deletion waits for you" : "it was deleted";
  } else if (scope.conflicts.contains(skill.name)) {
    status.state = SkillSyncState::conflict;
  } else if (problem) {
    status.state = SkillSyncState::problem;
  } else if (waits) {
    status.state = SkillSyncState::pending;
  }
  return status;
}

} // namespace

SyncStatusResult Engine::status(std::string_view only) const {
  SyncStatusResult result;
  bool halted = false;
  for (const Scope& scope : m_state->scopes) {
    result.enabled = result.enabled || scope.setup.enabled;
    if (scope.setup.project.empty()) {
      result.policy = scope.setup.policy;
    }
    for (const AgentSetup& agent : scope.setup.agents) {
      if (std::ranges::find(result.agents, agent.id) == result.agents.end()) {
        result.agents.push_back(agent.id);
      }
    }
    for (RootIndex i = 0; i < scope.roots.size(); ++i) {
      RootStatus root = status_of(scope, i);
      bool is_halted = root.state == RootState::halted && scope.setup.enabled;
      halted = halted || is_halted;
      if (is_halted) {
        result.warnings.push_back(root.reason);
      }
      result.roots.push_back(std::move(root));
    }
    if (!scope.setup.enabled) {
      continue;
    }
    for (const Skill& skill : scope.skills) {
      if (skill.name.empty() || (!only.empty() && skill.name != only)) {
        continue;
      }
      SkillSyncStatus status = status_of(scope, skill);
      result.conflicts += status.state == SkillSyncState::conflict;
      result.held += status.state == SkillSyncState::held;
      result.skills.push_back(std::move(status));
    }
    for (const auto& [name, note] : scope.notes) {
      if (scope.find(m_state->key_of(name)) == nullptr && (only.empty() || only == name)) {
        result.skills.push_back({name, SkillSyncState::problem, {}, note, scope.setup.name(), {}});
      }
    }
  }
  std::ranges::sort(result.skills, {}, [](const SkillSyncStatus& skill) {
    return std::pair(std::string_view(skill.scope), std::string_view(skill.skill));
  });
  result.state = !result.enabled   ? SyncState::off
                 : halted          ? SyncState::halted
                 : result.held > 0 ? SyncState::held
                                   : SyncState::idle;
  return result;
}

} // namespace upskill::sync
