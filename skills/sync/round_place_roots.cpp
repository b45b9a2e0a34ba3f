// Where what a person has placed must lie.
#include "protocol/base/paths.h"
#include "skills/sync/place_roots.h"
#include "skills/sync/round.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace upskill::sync {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "`" : ", `") + name + "`";
  }
  return all;
}

// Whether all of an order's copies go to agents that were named. Where sync is on it would bring
// them to the others a moment later.
bool is_chosen(const Scope& scope, const Placement& placement) {
  return !scope.setup.enabled && !placement.agents.empty();
}

bool is_link_root(const Scope& scope, RootIndex root, bool wants_links) {
  if (scope.setup.roots[root].by_link || !wants_links) {
    return scope.setup.roots[root].by_link;
  }
  return std::ranges::all_of(scope.setup.agents, [&](const AgentSetup& agent) {
    return agent.follows_links || std::ranges::find(agent.reads, root) == agent.reads.end();
  });
}

} // namespace

std::vector<RootIndex> roots_to_fill(const Scope& scope, const Placement& placement) {
  std::vector<RootIndex> roots;
  for (const AgentSetup& agent : scope.setup.agents) {
    if (!is_chosen(scope, placement) || contains(placement.agents, agent.id)) {
      roots.insert(roots.end(), agent.reads.begin(), agent.reads.end());
    }
  }
  return roots;
}

void choose_links(const Scope& scope,
                  const Sight& sight,
                  const RootSet& hold,
                  bool wants_links,
                  PendingSkill& pending) {
  bool has_copy = false;
  std::vector<RootIndex> fresh;
  for (const Observation& seen : sight.observations) {
    bool is_by_link = scope.setup.roots[seen.root].by_link;
    has_copy = has_copy || (seen.usable && seen.presence == Presence::copy && !is_by_link);
    if (hold.test(seen.root) && seen.presence == Presence::absent) {
      fresh.push_back(seen.root);
    }
  }
  if (!has_copy) {
    auto original = std::ranges::find_if(
        fresh, [&](RootIndex root) { return !is_link_root(scope, root, wants_links); });
    if (original == fresh.end()) {
      original = std::ranges::find_if(
          fresh, [&](RootIndex root) { return !scope.setup.roots[root].by_link; });
    }
    if (original == fresh.end()) {
      return;
    }
    pending.original = *original;
  }
  for (RootIndex root : fresh) {
    if (root != pending.original && is_link_root(scope, root, wants_links)) {
      pending.links.set(root);
    }
  }
}

Error twins(const std::string& name, const std::string& other) {
  return {ErrorCode::already_exists,
          "`" + name + "` and `" + other + "` are one name on some file systems",
          "give it another name"};
}

bool sees(const AgentSetup& agent, const RootSet& copies, const RootSet& links) {
  return std::ranges::any_of(agent.reads, [&](RootIndex root) {
    return copies.test(root) || (agent.follows_links && links.test(root));
  });
}

std::vector<std::string> agents_that_see(const Scope& scope,
                                         const Sight& sight,
                                         const PendingSkill& pending,
                                         const RootSet& hold) {
  RootSet copies;
  RootSet links;
  for (const Observation& seen : sight.observations) {
    copies.set(seen.root, seen.presence == Presence::copy);
    links.set(seen.root, seen.presence == Presence::link);
    if (seen.presence == Presence::absent && hold.test(seen.root)) {
      auto write = std::ranges::find(pending.writes, seen.root, &PendingWrite::root);
      bool link = write != pending.writes.end() ? write->link : pending.links.test(seen.root);
      (link ? links : copies).set(seen.root);
    }
  }
  std::vector<std::string> agents;
  for (const AgentSetup& agent : scope.setup.agents) {
    if (sees(agent, copies, links)) {
      agents.push_back(agent.id);
    }
  }
  return agents;
}

Result<RootSet> RoundRun::roots_for(Scope& scope,
                                    const Skill& skill,
                                    const Sight& sight,
                                    const Placement& placement,
                                    bool is_edit,
                                    Order& order) {
  CoverSkill one;
  for (const Observation& seen : sight.observations) {
    bool is_kept = seen.base && (!seen.usable || seen.presence == Presence::problem);
    one.links.set(seen.root, seen.presence == Presence::link);
    one.present.set(seen.root,
                    seen.presence == Presence::copy || seen.presence == Presence::link || is_kept);
  }
  const Withdrawn withdrawn = is_edit ? Withdrawn::comes_back : Withdrawn::stays_away;
  if (!is_chosen(scope, placement)) {
    RootSet hold = scope.wanted(skill, one.present, one.links, withdrawn);
    return hold.any() ? Result<RootSet>(hold)
                      : fail(ErrorCode::refused,
                             "no agent takes part that could see `" + skill.name + "`",
                             "`upskill agents` lists who is there");
  }
  const std::string key =
      listed(placement.agents) + one.present.to_string() + one.links.to_string();
  bool common = scope.setup.exclude.empty();
  for (const Replica& replica : skill.replicas) {
    bool returns = replica.withdrawn && is_edit;
    if (replica.kind == store::ReplicaKind::excluded && !returns) {
      one.excluded_roots.set(replica.root);
      common = false;
    }
  }
  if (auto known = order.holds.find(key); common && known != order.holds.end()) {
    return known->second;
  }
  for (std::size_t agent = 0; agent < scope.setup.agents.size(); ++agent) {
    const std::string& id = scope.setup.agents[agent].id;
    if (!contains(placement.agents, id)) {
      one.excluded_agents.push_back(agent);
    } else if (is_excluded_for(scope.setup, id, skill.name)) {
      return fail(ErrorCode::refused,
                  "`" + skill.name + "` is kept from `" + id + "`",
                  "`upskill sync enable --exclude` says what is kept from whom");
    }
  }
  TRY_ASSIGN(CoverPlan plan,
             scope.setup.policy == SyncPolicy::mirror ? plan_mirror(scope.cover, one)
                                                      : plan_cover(scope.cover, one));
  if (!plan.unseen.empty()) {
    std::vector<std::string> blind;
    for (std::size_t agent : plan.unseen) {
      blind.push_back(scope.setup.agents[agent].id);
    }
    return fail(ErrorCode::refused,
                listed(blind) + " cannot be shown `" + skill.name
                    + "`: there is no folder for it that may be written",
                "`upskill doctor` says why");
  }
  if (common) {
    order.holds.emplace(key, plan.hold);
  }
  return plan.hold;
}

Result<void> RoundRun::check_place(const Scope& scope,
                                   const std::string& name,
                                   const Sight& sight,
                                   RootIndex index,
                                   const Digest& hash,
                                   bool is_wanted) const {
  const Observation& seen = sight.observations[index];
  if (seen.usable) {
    return {};
  }
  bool is_ours = !scope.setup.roots[index].refused && !is_left_alone(scope.setup, index, name);
  bool is_behind = seen.base ? seen.base != hash : is_wanted;
  const Root& root = scope.roots[index];
  return is_ours && is_behind
             ? fail(ErrorCode::refused,
                    root.held.empty() ? root.judgement.reason : root.held,
                    root.held.empty() ? root.judgement.hint : "try again when that is over")
             : Result<void>{};
}

// What lies at the skill's place in a root that is to hold it, and is no version of it.
std::optional<Error> RoundRun::what_is_in_the_way(Scope& scope,
                                                  const std::string& name,
                                                  const Sight& sight,
                                                  const RootSet& hold) {
  for (const Observation& seen : sight.observations) {
    if (!seen.usable || !hold.test(seen.root)) {
      continue;
    }
    const std::string path = "`" + scope.path_of(seen.root, name) + "`";
    if (seen.presence == Presence::incomplete) {
      return Error{ErrorCode::already_exists, path + " is there and is no skill", "move it away"};
    }
    if (seen.presence == Presence::problem) {
      const StatResult& stat = sight.stats[seen.root];
      return Error{ErrorCode::already_exists,
                   stat.is_no_folder ? path + " is there and is no folder"
                                     : path + " cannot be replaced: it " + stat.problem,
                   "move it away"};
    }
    if (seen.presence == Presence::absent) {
      if (std::string twin = twin_of(scope, name, seen.root); !twin.empty()) {
        return twins(name, scope.path_of(seen.root, twin));
      }
    }
  }
  return std::nullopt;
}

// Copies that links are to lead to come before the links.
Result<void> RoundRun::stage_order(Scope& scope,
                                   const std::string& name,
                                   Sight& sight,
                                   PendingSkill& pending,
                                   const EntryBytes& bytes_of,
                                   const RootSet& hold) {
  const Digest hash = pending.tree.hash();
  std::vector<RootIndex> writes;
  for (const Observation& seen : sight.observations) {
    const bool is_wanted = hold.test(seen.root);
    TRY(check_place(scope, name, sight, seen.root, hash, is_wanted));
    if (!seen.usable) {
      continue;
    }
    if (seen.presence == Presence::copy && seen.hash == hash) {
      pending.holders.emplace_back(seen.root, sight.stats[seen.root].fingerprint);
    } else if (seen.presence == Presence::copy
               || (seen.presence == Presence::absent && (is_wanted || seen.base))) {
      writes.push_back(seen.root);
    }
  }
  std::ranges::sort(writes, {}, [&](RootIndex root) {
    return std::pair(root == pending.original ? 0 : pending.links.test(root) ? 2 : 1, root);
  });
  for (RootIndex root : writes) {
    TRY(stage_one(scope, sight, root, pending, bytes_of));
  }
  return {};
}

// Whether skills can be put into this root or taken out of it. Asked before anything is staged
// there, also in a rehearsal, which would else promise what cannot be done.
Result<void> RoundRun::check_writable(const Scope& scope, RootIndex index, Presence presence) {
  if (m_order->writable.test(index)) {
    return {};
  }
  const RootSetup& root = scope.setup.roots[index];
  std::string folder = root.path;
  while (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    if (errno == ENOENT && folder != "/") { // it is made first, with what it lies in
      folder = parent_path(folder);
      continue;
    }
    const std::string readers = listed(root.agents);
    Error error = system_error(
        errno,
        "cannot write to `" + folder + "`"
            + (readers.empty() ? std::string() : ", where " + readers + " would look for skills"));
    const bool may_leave_out = presence == Presence::absent && !scope.setup.enabled;
    error.hint = may_leave_out ? "make it writable, or name the agents that are to see it by "
                                 "`--agent`, and leave "
                                     + (root.agents.size() == 1 ? readers : "those") + " out"
                               : "make it writable";
    return fail(std::move(error));
  }
  m_order->writable.set(index);
  return {};
}

// Here every problem is the order's.
Result<void> RoundRun::stage_one(
    Scope& scope, Sight& sight, RootIndex root, PendingSkill& pending, const EntryBytes& bytes_of) {
  const std::size_t steps = m_round.steps.size();
  const std::size_t writes = pending.writes.size();
  m_failure.reset();
  TRY(check_writable(scope, root, sight.observations[root].presence));
  if (sight.observations[root].presence == Presence::copy) {
    stage_update(scope, pending.name, sight, root, pending, bytes_of);
  } else {
    stage_new(scope, pending.name, sight, root, pending, bytes_of);
  }
  if (m_failure) {
    return fail(*m_failure);
  }
  if (m_round.steps.size() == steps || (!m_work.dry_run && pending.writes.size() == writes)) {
    return fail(ErrorCode::already_exists, scope.notes[pending.name], "give it another name");
  }
  return {};
}

} // namespace upskill::sync
