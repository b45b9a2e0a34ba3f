#include "skills/sync/engine_state.h"
#include "skills/sync/left_alone.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace upskill::sync {
namespace {

constexpr std::size_t k_most_warnings = 100; // of one status; each skill says its own

// What is known of a copy whose root cannot be looked at is no truth about now.
bool is_out_of_sight(const Scope& scope, const Replica& replica) {
  const Root& root = scope.roots[replica.root];
  if (!scope.setup.enabled || scope.setup.roots[replica.root].refused) {
    return scope.setup.enabled && replica.base;
  }
  return (replica.base || replica.seen != Presence::absent)
         && root.judgement.health != RootHealth::absent && !root.usable();
}

const std::string& why_out_of_sight(const Scope& scope, RootIndex index) {
  const Root& root = scope.roots[index];
  return scope.setup.roots[index].refused ? scope.setup.roots[index].reason
         : root.held.empty()              ? root.judgement.reason
                                          : root.held;
}

// What was known of a copy before it was excluded is no truth about now either.
bool counts(const Scope& scope, const Skill& skill, const Replica& replica) {
  return !is_kept_out(scope, replica.root, skill.name);
}

bool takes_part(const Scope& scope, const Skill& skill) {
  return scope.setup.exclude.empty()
         || (!is_excluded(scope.setup, skill.name)
             && (skill.replicas.empty()
                 || std::ranges::any_of(skill.replicas, [&](const Replica& replica) {
                      return counts(scope, skill, replica);
                    })));
}

// Nothing where nobody looks: what was there when sync was switched off is no truth about now.
std::int64_t skills_in(const Scope& scope, RootIndex index, const LeftAlone& left) {
  if (!scope.setup.enabled) {
    return 0;
  }
  auto is_in_it = [&](const Skill& skill) {
    const Replica* replica = skill.find(index);
    return replica != nullptr && counts(scope, skill, *replica) && !is_out_of_sight(scope, *replica)
           && (replica->seen == Presence::copy || replica->seen == Presence::link);
  };
  return std::ranges::count_if(scope.skills, is_in_it)
         + std::ranges::count_if(left, [&](const auto& one) { return one.second.test(index); });
}

RootStatus status_of(const Scope& scope, RootIndex index, const LeftAlone& left) {
  const RootSetup& setup = scope.setup.roots[index];
  const Root& root = scope.roots[index];
  RootStatus status;
  status.path = setup.path;
  status.scope = scope.setup.project.empty() ? upskill::Scope::user : upskill::Scope::project;
  status.agents = setup.agents;
  status.aliases = setup.aliases;
  status.skills = skills_in(scope, index, left);
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

// Whether a folder that took part is refused now.
bool has_lost(const Scope& scope, RootIndex index) {
  return scope.setup.enabled && scope.setup.roots[index].refused
         && std::ranges::any_of(scope.skills, [&](const Skill& skill) {
              const Replica* replica = skill.find(index);
              return replica != nullptr && replica->base;
            });
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

SkillSyncState state_of(const Scope& scope, const Skill& skill) {
  auto deletion = scope.deletions.find(skill.name);
  if (deletion != scope.deletions.end()) {
    return deletion->second.held ? SkillSyncState::held : SkillSyncState::pending;
  }
  if (scope.conflicts.contains(skill.name)) {
    return SkillSyncState::conflict;
  }
  bool waits = false;
  bool problem = !skill.ancestor || scope.notes.contains(skill.name);
  for (const Replica& replica : skill.replicas) {
    if (!counts(scope, skill, replica)) {
      continue;
    }
    if (is_out_of_sight(scope, replica)) {
      bool is_held = !scope.roots[replica.root].held.empty();
      (is_held ? waits : problem) = true;
      continue;
    }
    ReplicaState state = state_of(replica, false);
    waits = waits || state == ReplicaState::changed
            || (state == ReplicaState::absent && replica.base)
            || (replica.base && replica.base != skill.ancestor);
    problem = problem || state == ReplicaState::problem || state == ReplicaState::incomplete;
  }
  return problem ? SkillSyncState::problem
         : waits ? SkillSyncState::pending
                 : SkillSyncState::in_sync;
}

void add_left_alone(const Scope& scope,
                    const LeftAlone::value_type& left,
                    SkillSyncStatus& status) {
  for (RootIndex root = 0; root < scope.roots.size(); ++root) {
    if (left.second.test(root)) {
      status.replicas.push_back({scope.path_of(root, left.first),
                                 ReplicaState::left_alone,
                                 {},
                                 "`--exclude` keeps it out of sync"});
    }
  }
}

SkillSyncStatus status_of(const Scope& scope, const Skill& skill, const LeftAlone& left) {
  SkillSyncStatus status;
  status.skill = skill.name;
  status.scope = scope.setup.name();
  status.hash = skill.ancestor ? skill.ancestor->hex() : std::string();
  status.state = state_of(scope, skill);
  auto deletion = scope.deletions.find(skill.name);
  for (const Replica& replica : skill.replicas) {
    if (!counts(scope, skill, replica)) {
      continue;
    }
    ReplicaStatus& copy = status.replicas.emplace_back();
    copy.path = scope.path_of(replica.root, skill.name);
    copy.state = state_of(replica, deletion != scope.deletions.end());
    copy.hash = replica.base ? replica.base->hex() : std::string();
    if (is_out_of_sight(scope, replica)) {
      copy.state = ReplicaState::problem;
      copy.reason = why_out_of_sight(scope, replica.root);
      copy.hash.clear();
    } else if (copy.state == ReplicaState::current && replica.base != skill.ancestor
               && deletion == scope.deletions.end()) {
      copy.state = ReplicaState::changed;
      copy.reason = "it holds an older version";
    }
  }
  if (auto also = left.find(skill.name); also != left.end()) {
    add_left_alone(scope, *also, status);
  }
  std::ranges::sort(status.replicas, {}, &ReplicaStatus::path);
  if (deletion != scope.deletions.end()) {
    status.reason = deletion->second.held               ? "its deletion waits for you"
                    : !deletion->second.problem.empty() ? deletion->second.problem
                                                        : "it was deleted";
  } else if (auto note = scope.notes.find(skill.name); note != scope.notes.end()) {
    status.reason = note->second;
  } else if (auto lost = std::ranges::find_if(skill.replicas,
                                              [&](const Replica& replica) {
                                                return counts(scope, skill, replica)
                                                       && is_out_of_sight(scope, replica);
                                              });
             lost != skill.replicas.end()) {
    status.reason = "a copy of it cannot be looked at"; // why, its folder says
  }
  return status;
}

bool is_meant(std::string_view only, std::string_view name) {
  return !name.empty() && (only.empty() || only == name);
}

// Notes of names that are no skill, or not the one that a file system may take them for.
template <class Visit>
void each_other_note(const Engine::State& state, const Scope& scope, const Visit& visit) {
  for (const auto& [name, note] : scope.notes) {
    const Skill* skill = scope.find(state.key_of(name));
    bool is_told = skill != nullptr && skill->name == name;
    if (!is_told && !is_excluded(scope.setup, name)) {
      visit(name, note);
    }
  }
}

// All that wait for a person, as they are listed: they outlast the skill, and its scope.
void count_conflicts(const Engine::State& state, std::string_view only, SyncStatusResult& result) {
  Result<std::vector<store::ConflictRow>> open = state.store.open_conflicts(only);
  if (!open) {
    result.warnings.push_back(open.error().message);
    return;
  }
  result.held = std::ranges::count(*open, ConflictKind::deletion, &store::ConflictRow::kind);
  result.conflicts = static_cast<std::int64_t>(open->size()) - result.held;
}

// By scope, looked at once for what is counted and what is listed.
std::vector<LeftAlone> left_alone_in(const Engine::State& state) {
  std::vector<LeftAlone> all;
  std::ranges::transform(state.scopes, std::back_inserter(all), &left_alone_of);
  return all;
}

// All but the skills themselves, which are counted.
SyncOverview overview_of(const Engine::State& state,
                         std::string_view only,
                         const std::vector<LeftAlone>& left_alone) {
  SyncOverview overview;
  SyncStatusResult& result = overview.status;
  bool halted = false;
  bool held = false;
  for (std::size_t index = 0; index < state.scopes.size(); ++index) {
    const Scope& scope = state.scopes[index];
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
      RootStatus root = status_of(scope, i, left_alone[index]);
      bool is_halted =
          (root.state == RootState::halted && scope.setup.enabled) || has_lost(scope, i);
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
      if (is_meant(only, skill.name) && takes_part(scope, skill)) {
        SkillSyncState skill_state = state_of(scope, skill);
        held = held || skill_state == SkillSyncState::held;
        result.problems += skill_state != SkillSyncState::in_sync;
        ++overview.skills;
      }
    }
    each_other_note(state, scope, [&](const std::string& name, const std::string&) {
      overview.skills += is_meant(only, name);
      result.problems += is_meant(only, name);
    });
    // Those of the last round alone would say nothing of a skill that it did not look at.
    for (const auto& [name, note] : scope.notes) {
      if (is_meant(only, name) && !is_excluded(scope.setup, name)
          && result.warnings.size() < k_most_warnings) {
        result.warnings.push_back(note);
      }
    }
  }
  count_conflicts(state, only, result);
  result.state = !result.enabled ? SyncState::off
                 : halted        ? SyncState::halted
                 : held          ? SyncState::held
                                 : SyncState::idle;
  return overview;
}

} // namespace

SyncOverview Engine::overview() const {
  return overview_of(*m_state, {}, left_alone_in(*m_state));
}

Result<std::vector<OpenConflict>> Engine::open_conflicts() const {
  TRY_ASSIGN(auto rows, m_state->store.open_conflicts());
  std::vector<OpenConflict> open;
  for (const store::ConflictRow& row : rows) {
    OpenConflict& conflict = open.emplace_back(OpenConflict{row.id, row.skill});
    if (const Scope* scope = scope_of(std::as_const(*m_state), row.scope)) {
      conflict.project = scope->setup.project;
    }
    for (const store::ConflictVersionRow& version : row.versions) {
      conflict.paths.push_back(version.path);
      conflict.paths.push_back(version.stored);
    }
  }
  return open;
}

SyncStatusResult Engine::status(std::string_view only) const {
  const std::vector<LeftAlone> left_alone = left_alone_in(*m_state);
  SyncStatusResult result = overview_of(*m_state, only, left_alone).status;
  for (std::size_t index = 0; index < m_state->scopes.size(); ++index) {
    const Scope& scope = m_state->scopes[index];
    if (!scope.setup.enabled) {
      continue;
    }
    const LeftAlone& left = left_alone[index];
    for (const Skill& skill : scope.skills) {
      if (is_meant(only, skill.name) && takes_part(scope, skill)) {
        result.skills.push_back(status_of(scope, skill, left));
      }
    }
    for (const LeftAlone::value_type& one : left) {
      const Skill* skill = scope.find(m_state->key_of(one.first));
      bool is_told = skill != nullptr && skill->name == one.first && takes_part(scope, *skill);
      if (is_meant(only, one.first) && !is_told) {
        SkillSyncStatus& row = result.skills.emplace_back();
        row.skill = one.first;
        row.state = SkillSyncState::excluded;
        row.scope = scope.setup.name();
        add_left_alone(scope, one, row);
      }
    }
    each_other_note(*m_state, scope, [&](const std::string& name, const std::string& note) {
      if (is_meant(only, name)) {
        result.skills.push_back({name, SkillSyncState::problem, {}, note, scope.setup.name(), {}});
      }
    });
  }
  std::ranges::sort(result.skills, {}, [](const SkillSyncStatus& skill) {
    return std::pair(std::string_view(skill.scope), std::string_view(skill.skill));
  });
  return result;
}

} // namespace upskill::sync
