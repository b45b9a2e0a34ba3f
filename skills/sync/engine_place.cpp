#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/round.h"
#include "skills/sync/walk.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

namespace upskill::sync {
namespace {

Result<Scope*> scope_named(Engine::State& state, const std::string& project) {
  auto scope = std::ranges::find_if(state.scopes,
                                    [&](const Scope& one) { return one.setup.project == project; });
  if (scope == state.scopes.end()) {
    return fail(ErrorCode::invalid_argument,
                "nothing is known of the skills of `" + project + "`",
                "name the project's folder");
  }
  return &*scope;
}

Result<void> check_agents(const Scope& scope, const std::vector<std::string>& agents) {
  for (const std::string& id : agents) {
    if (std::ranges::find(scope.setup.agents, id, &AgentSetup::id) == scope.setup.agents.end()) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(id) + " is no agent that takes part here",
                  "`upskill agents` lists them");
    }
  }
  return {};
}

Result<void> check_name(const Scope& scope, const std::string& name) {
  if (std::optional<std::string> refusal = library::refused_name(name)) {
    return fail(ErrorCode::invalid_argument, in_backticks(name) + " " + *refusal);
  }
  if (library::ignored_name(name) || is_no_skill(scope.setup, name)) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(name) + " is a name that agents keep for themselves",
                "give it another name");
  }
  return {};
}

// Each skill once, by any of its spellings.
Result<void>
check_names(const Engine::State& state, const Scope& scope, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    TRY(check_name(scope, name));
    if (!known.insert(state.key_of(name)).second) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(name) + " is named twice",
                  "name each skill once");
    }
  }
  return {};
}

Work work_of(bool dry_run, Moment now, const Progress& progress) {
  Work work;
  work.dry_run = dry_run;
  work.now = now;
  work.progress = progress;
  return work;
}

} // namespace

Result<std::vector<Placed>>
Engine::place(const PlaceOrder& order, Moment now, const Progress& progress, Round* done) {
  TRY_ASSIGN(Scope * scope, scope_named(*m_state, order.project));
  std::vector<std::string> names;
  for (const Placement& placement : order.skills) {
    names.push_back(placement.skill);
    TRY(check_agents(*scope, placement.agents));
    if (!placement.kept && !placement.content) {
      return fail(ErrorCode::invalid_argument,
                  "there is no version of " + in_backticks(placement.skill) + " to be placed");
    }
  }
  TRY(check_names(*m_state, *scope, names));
  const Work work = work_of(order.dry_run, now, progress);
  RoundRun run(*m_state, work);
  Result<std::vector<Placed>> placed = run.place(*scope, order);
  if (done != nullptr) {
    *done = run.take_round();
  }
  return placed;
}

Result<std::vector<TakenAway>>
Engine::take_away(const TakeAwayOrder& order, Moment now, Round* done) {
  TRY_ASSIGN(Scope * scope, scope_named(*m_state, order.project));
  TRY(check_agents(*scope, order.agents));
  TRY(check_names(*m_state, *scope, order.skills));
  const Work work = work_of(order.dry_run, now, {});
  RoundRun run(*m_state, work);
  Result<std::vector<TakenAway>> taken = run.take_away(*scope, order);
  if (done != nullptr) {
    *done = run.take_round();
  }
  return taken;
}

// Where nothing was touched these are two calls of stat for each file and no more: a copy that was
// read once is known by its fingerprint from then on.
Result<std::vector<std::optional<Digest>>>
Engine::look_at(const std::string& project, const std::vector<std::string>& skills, Moment now) {
  State& state = *m_state;
  TRY_ASSIGN(Scope * scope, scope_named(state, project));
  std::vector<UniqueFd> roots;
  for (const RootSetup& root : scope->setup.roots) {
    roots.emplace_back(root.refused ? -1 : open_folder_at(AT_FDCWD, root.path.c_str()));
  }
  std::vector<std::optional<Digest>> found;
  std::vector<const Skill*> learned;
  for (const std::string& name : skills) {
    Skill* skill = scope->find(state.key_of(name));
    skill = skill != nullptr && skill->name == name ? skill : nullptr;
    std::optional<Digest> newest;
    std::int64_t newest_ns = 0;
    bool has_learned = false;
    for (RootIndex i = 0; i < roots.size(); ++i) {
      if (!roots[i]) {
        continue;
      }
      StatResult stat = stat_skill(roots[i].get(), name);
      if (stat.presence != Presence::copy) {
        continue;
      }
      Replica* replica = skill != nullptr ? skill->find(i) : nullptr;
      bool is_known = replica != nullptr && replica->base && replica->fingerprint.is_known()
                      && replica->fingerprint == stat.fingerprint;
      std::optional<Digest> hash = is_known ? replica->base : std::nullopt;
      if (!is_known) {
        ReadResult read = read_skill(roots[i].get(), name, {});
        if (read.stat.presence != Presence::copy) {
          continue;
        }
        hash = read.tree.hash();
        stat = std::move(read.stat);
        if (replica != nullptr && replica->base == hash && !is_racy(stat, now)) {
          replica->fingerprint = stat.fingerprint;
          has_learned = true;
        }
      }
      if (!newest || stat.newest_mtime_ns > newest_ns) {
        newest = hash;
        newest_ns = stat.newest_mtime_ns;
      }
    }
    if (has_learned) {
      learned.push_back(skill);
    }
    found.push_back(newest);
  }
  if (!learned.empty()) {
    TRY_ASSIGN(store::Transaction transaction, state.store.begin());
    for (const Skill* skill : learned) {
      TRY(state.record_replicas(*scope, *skill));
    }
    TRY(transaction.commit());
  }
  return found;
}

} // namespace upskill::sync
