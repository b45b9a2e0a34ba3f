// What is to go from where, when a person has a skill taken away.
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/sync/place_roots.h"
#include "skills/sync/round.h"

#include <algorithm>
#include <utility>

namespace upskill::sync {
namespace {

bool contains(const std::vector<RootIndex>& roots, RootIndex root) {
  return std::ranges::find(roots, root) != roots.end();
}

// Where what lies in a root counts: a copy, or a link that leads to one.
void look_where(const Sight& sight, RootSet& copies, RootSet& links) {
  for (const Observation& seen : sight.observations) {
    copies.set(seen.root, seen.usable && seen.presence == Presence::copy);
    links.set(seen.root, seen.usable && seen.presence == Presence::link);
  }
}

// The newest, where copies differ.
// None of what is only there by links to other places.
std::optional<Digest> hash_of(const Skill& skill, const Sight& sight) {
  Decision decision = reconcile(skill.ancestor, sight.observations);
  return decision.versions.empty() ? skill.ancestor : std::optional(decision.versions.front().hash);
}

} // namespace

Result<std::vector<TakenAway>> RoundRun::take_away(Scope& scope, const TakeAwayOrder& words) {
  take_back_earlier();
  open_roots(scope);
  Order order(m_state, scope);
  m_order = &order;
  std::vector<TakenAway> taken;
  auto take_all = [&]() -> Result<void> {
    for (const std::string& name : words.skills) {
      TRY_ASSIGN(taken.emplace_back(), prepare_to_go(scope, name, words, order));
    }
    return m_work.dry_run ? Result<void>{} : carry_out(scope, order);
  };
  Result<void> done = take_all();
  if (!done || m_work.dry_run) {
    give_up(order);
    m_round.steps.resize(done ? m_round.steps.size() : 0);
  } else {
    for (Going& going : order.going) {
      throw_away(scope, going);
    }
  }
  m_order = nullptr;
  close_roots(scope);
  return done ? Result<std::vector<TakenAway>>(std::move(taken)) : fail(std::move(done).error());
}

Result<TakenAway> RoundRun::prepare_to_go(Scope& scope,
                                          const std::string& name,
                                          const TakeAwayOrder& words,
                                          Order& order) {
  const std::string key = m_state.key_of(name);
  Skill* skill = scope.find(key);
  if (skill == nullptr || skill->name != name) {
    order.known.keep(name);
    skill = skill == nullptr ? &scope.add(key, name) : nullptr;
  }
  auto not_there = [&] {
    return fail(ErrorCode::not_found,
                "there is no skill `" + name + "`",
                "`upskill list` shows what is installed");
  };
  if (skill == nullptr) {
    return not_there();
  }
  TRY_ASSIGN(Sight sight, look_for_order(scope, *skill, order));
  order.known.keep(name);
  Going& going = order.going.emplace_back();
  going.name = name;
  TakenAway taken;
  taken.skill = name;
  for (Observation& seen : sight.observations) {
    // A link to another place is no copy, and goes all the same: what it leads to stays.
    const StatResult& stat = sight.stats[seen.root];
    if (seen.usable && seen.presence == Presence::problem && !stat.link_target.empty()) {
      seen.presence = Presence::link;
      taken.reason = "a link to " + in_backticks(stat.link_target) + ", which stays";
    }
  }
  TRY(choose_going(scope, sight, going, taken));
  if (going.goes.empty()) {
    return taken.reason.empty()
               ? not_there()
               : Result<TakenAway>(fail(ErrorCode::refused,
                                        "`" + name + "` cannot be taken away: " + taken.reason));
  }
  const std::optional<Digest> hash = hash_of(*skill, sight);
  skill->unrecorded = skill->unrecorded || skill->ancestor != hash;
  skill->ancestor = hash; // what an undo goes back to
  taken.hash = hash;
  if (!m_work.dry_run) {
    for (RootIndex root : going.goes) {
      if (sight.observations[root].presence == Presence::copy) {
        if (std::optional<Error> problem = keep_object(scope, name, sight, root)) {
          return fail(std::move(*problem));
        }
      }
    }
  }
  PendingSkill stand_ins;
  stand_ins.name = name;
  stand_ins.action = SyncAction::create;
  stand_ins.reason = words.reason;
  Result<void> narrowed =
      words.agents.empty() ? Result<void>{} : narrow(scope, *skill, sight, words, going, stand_ins);
  for (const PendingWrite& write : stand_ins.writes) {
    taken.written.push_back(scope.path_of(write.root, name));
  }
  if (!stand_ins.writes.empty()) {
    going.stand_ins = std::move(stand_ins); // also to be given up
  }
  TRY(narrowed);
  for (RootIndex root : going.goes) {
    TRY(check_writable(scope, root, sight.observations[root].presence));
  }
  std::vector<RootIndex> left;
  for (const Observation& seen : sight.observations) {
    bool is_there = seen.usable ? seen.presence == Presence::copy || seen.presence == Presence::link
                                : seen.base.has_value();
    if (is_there && !contains(going.goes, seen.root)) {
      taken.kept.push_back(scope.path_of(seen.root, name));
    }
  }
  going.nothing_left = taken.kept.empty() && !going.stand_ins;
  going.history.action = SyncAction::remove;
  going.history.skill = name;
  going.history.scope = scope.id;
  going.history.before = skill->ancestor;
  going.history.after = skill->ancestor;
  going.history.reason = words.reason;
  going.history.time_ms = m_work.now.wall_ms;
  for (RootIndex root : going.goes) {
    const std::string path = scope.path_of(root, name);
    bool link = sight.observations[root].presence == Presence::link;
    step(link ? SyncAction::unlink : SyncAction::remove, name, path, {}, {}, words.reason);
    taken.paths.push_back(path);
    going.link_targets.push_back(link ? sight.stats[root].link_target : std::string());
  }
  sight.reads.clear(); // contents, of which there may be many
  going.sight = std::move(sight);
  return taken;
}

// Everything that is a copy of it; what only has its name stays.
Result<void>
RoundRun::choose_going(Scope& scope, const Sight& sight, Going& going, TakenAway& taken) {
  for (const Observation& seen : sight.observations) {
    const std::string path = scope.path_of(seen.root, going.name);
    const Root& root = scope.roots[seen.root];
    if (!seen.usable) {
      bool is_ours = !scope.setup.roots[seen.root].refused
                     && !is_left_alone(scope.setup, seen.root, going.name);
      if (is_ours && seen.base) {
        return fail(ErrorCode::refused,
                    root.held.empty() ? root.judgement.reason : root.held,
                    root.held.empty() ? root.judgement.hint : "try again when that is over");
      }
      continue;
    }
    if (seen.presence == Presence::copy || seen.presence == Presence::link) {
      going.goes.push_back(seen.root);
    } else if (seen.presence == Presence::problem || seen.presence == Presence::incomplete) {
      const StatResult& stat = sight.stats[seen.root];
      taken.reason =
          "`" + path + "` " + (stat.problem.empty() ? std::string("is no skill") : stat.problem);
    }
  }
  return {};
}

// Only those copies go that the named agents see; who else saw them gets others, in folders that
// the named ones do not read.
Result<void> RoundRun::narrow(Scope& scope,
                              const Skill& skill,
                              Sight& sight,
                              const TakeAwayOrder& words,
                              Going& going,
                              PendingSkill& stand_ins) {
  auto is_named = [&](const AgentSetup& agent) {
    return std::ranges::find(words.agents, agent.id) != words.agents.end();
  };
  CoverSkill one;
  for (const AgentSetup& agent : scope.setup.agents) {
    for (RootIndex root : is_named(agent) ? agent.reads : std::vector<RootIndex>()) {
      one.excluded_roots.set(root);
    }
  }
  for (const Replica& replica : skill.replicas) {
    if (replica.kind == store::ReplicaKind::excluded) {
      one.excluded_roots.set(replica.root);
    }
  }
  for (std::size_t root = 0; root < scope.roots.size(); ++root) {
    if (one.excluded_roots.test(root)) {
      going.excluded.push_back(static_cast<RootIndex>(root));
    }
  }
  RootSet copies;
  RootSet links;
  look_where(sight, copies, links);
  RootSet stay = copies & ~one.excluded_roots;
  RootSet left_links;
  for (RootIndex root = 0; root < scope.roots.size(); ++root) {
    if (!links.test(root) || one.excluded_roots.test(root)) {
      continue;
    }
    // A link to a copy that goes leads nowhere then.
    std::string target =
        normalized_path(sight.stats[root].link_target, scope.setup.roots[root].path);
    std::optional<RootIndex> to = scope.root_at(parent_path(target));
    left_links.set(root, to && stay.test(*to));
  }
  one.present = stay | left_links;
  one.links = left_links;
  std::erase_if(going.goes, [&](RootIndex root) { return one.present.test(root); });
  for (std::size_t i = 0; i < scope.setup.agents.size(); ++i) {
    const AgentSetup& agent = scope.setup.agents[i];
    if (is_named(agent) || !sees(agent, copies, links)) {
      one.excluded_agents.push_back(i);
    }
  }
  if (going.goes.empty()) {
    return fail(ErrorCode::not_found,
                "none of these agents sees `" + skill.name + "`",
                "`upskill list` shows who sees what");
  }
  TRY_ASSIGN(CoverPlan plan, plan_cover(scope.cover, one));
  if (!plan.unseen.empty()) {
    std::string who;
    for (std::size_t agent : plan.unseen) {
      who += (who.empty() ? "`" : ", `") + scope.setup.agents[agent].id + "`";
    }
    return fail(ErrorCode::refused,
                who + " would not see `" + skill.name
                    + "` any more: there is no other folder for it that the others do not read",
                "take it away from all of them, or leave it");
  }
  RootSet fresh = plan.hold & ~one.present;
  if (fresh.none()) {
    return {};
  }
  if (std::optional<Error> problem = what_is_in_the_way(scope, skill.name, sight, fresh)) {
    return fail(std::move(*problem));
  }
  TRY_ASSIGN(stand_ins.tree, tree_of(sight, *skill.ancestor));
  EntryBytes bytes_of = bytes_from(scope, skill.name, sight, stand_ins.tree);
  if (!m_work.dry_run) {
    TRY(keep_tree(stand_ins.tree, bytes_of));
  }
  for (RootIndex root = 0; root < scope.roots.size(); ++root) {
    if (!fresh.test(root)) {
      continue;
    }
    TRY(check_place(scope, skill.name, sight, root, *skill.ancestor, true));
    const std::size_t steps = m_round.steps.size();
    TRY(stage_one(scope, sight, root, stand_ins, bytes_of));
    if (m_work.dry_run && m_round.steps.size() > steps) {
      PendingWrite& planned = stand_ins.writes.emplace_back();
      planned.root = root;
      planned.swapped = true; // there is nothing to be given up
    }
  }
  return {};
}

Result<void> RoundRun::take_out_all(Scope& scope, Going& going) {
  const Sight& sight = going.sight;
  for (RootIndex root : going.goes) {
    const std::string& folder = scope.setup.roots[root].path;
    const Observation& seen = sight.observations[root];
    store::HistoryPath& path = going.history.paths.emplace_back();
    path.path = scope.path_of(root, going.name);
    if (seen.presence == Presence::link) {
      TRY(m_state.stager.remove_link(folder, going.name));
      path.kind = store::ReplicaKind::link;
      continue;
    }
    TRY_ASSIGN(
        Displaced out,
        m_state.stager.take_out(folder, going.name, {seen.hash, sight.stats[root].fingerprint}));
    path.before = seen.hash;
    m_state.lingering.push_back({out, m_work.now.steady_ms, folder, going.name});
    going.out.emplace_back(root, std::move(out));
  }
  if (going.stand_ins) {
    swap_in_stand_ins(scope, going);
  }
  return m_failure ? Result<void>(fail(*m_failure)) : Result<void>{};
}

// A copy in the place of a link whose copy goes counts as one that was there before: an undo leaves
// it, or whoever saw the link would see nothing.
void RoundRun::swap_in_stand_ins(Scope& scope, Going& going) {
  std::vector<store::HistoryPath> gone = std::exchange(going.history.paths, {});
  swap_in(scope, *going.stand_ins, going.history);
  for (store::HistoryPath& made : going.history.paths) {
    if (std::erase_if(gone, [&](const auto& one) { return one.path == made.path; }) > 0) {
      made.before = made.after;
    }
  }
  going.history.paths.insert(going.history.paths.begin(), gone.begin(), gone.end());
}

// Within the transaction of the order.
Result<void> RoundRun::record_taken(Scope& scope, Going& going) {
  Skill* skill = scope.find(m_state.key_of(going.name));
  for (RootIndex root : going.goes) {
    scope.agree(*skill, root, std::nullopt);
    std::erase_if(skill->replicas, [&](const Replica& one) { return one.root == root; });
  }
  if (going.nothing_left) {
    going.history.after.reset(); // as after a deletion
    return record_removal(scope, going.name, going.sight, going.history);
  }
  for (RootIndex root : going.excluded) {
    const Observation& seen = going.sight.observations[root];
    Replica& replica = skill->at(root);
    bool is_known = replica.kind == store::ReplicaKind::excluded && !replica.withdrawn;
    if (seen.presence == Presence::absent && !is_known) {
      going.history.paths.push_back(
          {scope.path_of(root, going.name), {}, {}, store::ReplicaKind::withdrawn});
    }
    replica.kind = store::ReplicaKind::excluded;
    replica.withdrawn = false;
    replica.seen = seen.presence == Presence::absent || contains(going.goes, root)
                       ? Presence::absent
                       : seen.presence;
  }
  for (const Observation& seen : going.sight.observations) {
    bool is_agreed = seen.usable && seen.presence == Presence::copy && seen.hash == *skill->ancestor
                     && !contains(going.goes, seen.root);
    if (is_agreed) {
      scope.agree(*skill, seen.root, seen.hash);
    }
  }
  for (const auto& [root, fingerprint] :
       going.stand_ins ? going.stand_ins->holders : decltype(PendingSkill::holders)()) {
    scope.agree(*skill, root, skill->ancestor);
    skill->at(root).seen = Presence::copy;
  }
  store::SkillRow row;
  row.id = skill->id;
  row.scope = scope.id;
  row.name = going.name;
  row.key = m_state.key_of(going.name);
  row.ancestor = skill->ancestor;
  TRY_ASSIGN(Tree tree, tree_of_object(m_state.objects, *skill->ancestor));
  row.tree = tree.serialize();
  row.replicas = replica_rows(scope, *skill);
  TRY_ASSIGN(skill->id, m_state.store.put_skill(row));
  skill->unrecorded = false;
  TRY_ASSIGN(going.history.batch, batch());
  return m_state.store.add_history(going.history).map([](store::Id) {});
}

// What was taken out goes where sync's deletions go; where that fails, tidy() tries again.
void RoundRun::throw_away(Scope& scope, Going& going) {
  for (const auto& [root, displaced] : going.out) {
    store::TrashOrigin origin;
    origin.path = scope.path_of(root, going.name);
    origin.skill = going.name;
    origin.reason = going.history.reason;
    origin.hash = displaced.hash.hex();
    origin.time_ms = m_work.now.wall_ms;
    warn_if(m_state.trash.take(displaced.path, origin));
  }
}

} // namespace upskill::sync
