// What is to lie where, when a person has a version placed.
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/sync/place_roots.h"
#include "skills/sync/round.h"

#include <algorithm>
#include <memory>

namespace upskill::sync {
namespace {

// A file of some tree with these bytes.
std::optional<std::size_t> find_content(const Tree& tree, const Entry& entry) {
  for (std::size_t i = 0; i < tree.entries().size(); ++i) {
    const Entry& other = tree.entries()[i];
    if (other.content == entry.content && other.size == entry.size
        && (other.kind == EntryKind::file || other.kind == EntryKind::executable)) {
      return i;
    }
  }
  return std::nullopt;
}

// `incoming` must outlive the choice.
Chosen choice_of_merge(MergeResult merged,
                       std::shared_ptr<Tree> mine,
                       EntryBytes bytes_of_mine,
                       const Incoming& incoming) {
  Chosen choice{merged.tree, PlacedState::merged, {}};
  choice.bytes_of = [merged = std::make_shared<MergeResult>(std::move(merged)),
                     mine = std::move(mine),
                     bytes_of_mine = std::move(bytes_of_mine),
                     &incoming](std::size_t index) -> Result<std::string> {
    const Entry& entry = merged->tree.entries()[index];
    auto made = std::ranges::find(merged->files, entry.path, &MergedFile::path);
    if (made != merged->files.end()) {
      return made->bytes;
    }
    if (auto at = find_content(*mine, entry)) {
      return bytes_of_mine(*at);
    }
    if (auto at = find_content(incoming.tree, entry)) {
      return incoming.bytes_of(*at);
    }
    return fail(ErrorCode::internal, "no version holds `" + entry.path + "`");
  };
  return choice;
}

bool has_copy(const Sight& sight) {
  return std::ranges::any_of(sight.observations, [](const Observation& seen) {
    return seen.usable && seen.presence == Presence::copy;
  });
}

SyncAction action_of(PlacedState state) {
  switch (state) {
  case PlacedState::placed:
    return SyncAction::adopt; // which the log tells as a copy that was made
  case PlacedState::unchanged:
    return SyncAction::create; // of further copies
  case PlacedState::merged:
    return SyncAction::merge;
  case PlacedState::conflict:
    return SyncAction::conflict;
  case PlacedState::replaced:
  case PlacedState::taken:
    break;
  }
  return SyncAction::update;
}

} // namespace

Result<std::vector<Placed>> RoundRun::place(Scope& scope, const PlaceOrder& words) {
  take_back_earlier();
  open_roots(scope);
  Order order(m_state, scope);
  m_order = &order;
  std::vector<Placed> placed;
  m_known = words.skills.size();
  auto place_all = [&]() -> Result<void> {
    TRY(prepare_all(scope, words, order, placed));
    return m_work.dry_run ? Result<void>{} : carry_out(scope, order);
  };
  Result<void> done = place_all();
  if (!done || m_work.dry_run) {
    give_up(order);
    m_round.steps.resize(done ? m_round.steps.size() : 0); // nothing of it was done
  }
  m_order = nullptr;
  close_roots(scope);
  if (!done) {
    return fail(std::move(done).error());
  }
  for (std::size_t i = 0; i < placed.size() && !m_work.dry_run; ++i) {
    if (placed[i].state == PlacedState::conflict) {
      TRY_ASSIGN(
          auto open,
          m_state.store.find_conflict(scope.id, words.skills[i].skill, ConflictKind::content));
      placed[i].conflict = open ? std::optional(open->id) : std::nullopt;
    }
  }
  return placed;
}

// What is there now, once nobody is writing to it.
Result<Sight> RoundRun::look_for_order(Scope& scope, Skill& skill, Order& order) {
  if (m_work.dry_run) {
    order.known.keep(skill.name);
  }
  Sight sight = look(scope, skill.name, &skill);
  if (sight.moving) {
    return fail(ErrorCode::changed,
                "`" + skill.name + "` changes while it is being looked at",
                "try again when nobody writes to it");
  }
  if (!sight.busy.empty()) {
    return fail(ErrorCode::refused, sight.busy, "try again when that is over");
  }
  remember(scope, skill, sight);
  forget_missing(scope, skill, sight);
  return sight;
}

Result<Placed>
RoundRun::prepare(Scope& scope, const Placement& placement, Incoming incoming, Order& order) {
  const std::string& name = placement.skill;
  const std::string key = m_state.key_of(name);
  Placed placed;
  placed.version = incoming.tree.hash();
  Skill* skill = scope.find(key);
  if (skill != nullptr && skill->name != name) {
    placed.state = PlacedState::taken;
    placed.in_the_way = twins(name, skill->name);
    return placed;
  }
  if (skill == nullptr) {
    order.known.keep(name);
    skill = &scope.add(key, name);
  }
  TRY_ASSIGN(Sight sight, look_for_order(scope, *skill, order));
  order.known.keep(name);
  incoming.bytes_of = incoming.files ? bytes_of_files(*incoming.files, incoming.tree)
                                     : bytes_from(scope, name, sight, incoming.tree);
  TRY_ASSIGN(std::optional<Mine> mine, mine_of(scope, name, *skill, sight));
  TRY_ASSIGN(Chosen choice, choose(scope, placement, *skill, sight, mine, incoming));
  placed.state = choice.state;
  placed.hash = choice.tree.hash();
  if (mine) {
    placed.before = mine->tree.hash();
  }
  if (choice.state == PlacedState::taken) {
    order.known.put_back(name);
    return placed;
  }
  if (!placement.base) {
    skill->let_return(roots_to_fill(scope, placement)); // a person wants it there again
  }
  const bool is_edit = skill->ancestor != placed.hash;
  TRY_ASSIGN(RootSet hold, roots_for(scope, *skill, sight, placement, is_edit, order));
  placed.in_the_way = what_is_in_the_way(scope, name, sight, hold);
  if (placed.in_the_way) {
    placed.state = PlacedState::taken;
    order.known.put_back(name);
    return placed;
  }
  PendingSkill pending;
  pending.name = name;
  pending.action = action_of(choice.state);
  pending.reason = placement.reason;
  pending.tree = choice.tree;
  pending.edited = is_edit;
  choose_links(scope, sight, hold, placement.links, pending);
  Unwritten behind{incoming.tree, incoming.files};
  // A conflict's row names versions that must be kept by then.
  const bool is_behind =
      incoming.files && placed.hash == placed.version && (!mine || mine->versions.size() < 2);
  if (!m_work.dry_run) {
    if (!is_behind) {
      TRY(keep_tree(incoming.tree, incoming.bytes_of));
      TRY(keep_tree(choice.tree, choice.bytes_of));
    }
    if (mine) {
      TRY(keep_mine(scope, name, *skill, sight, *mine));
      TRY(keep_losers_of(scope, placement, *mine, choice, incoming, pending, order));
    }
  }
  // What the undo of this goes back to.
  const std::optional<Digest> agreed = mine ? std::optional(mine->tree.hash()) : std::nullopt;
  skill->unrecorded = skill->unrecorded || skill->ancestor != agreed;
  skill->ancestor = agreed;
  const std::size_t steps = m_round.steps.size();
  m_behind = is_behind ? &behind : nullptr;
  Result<void> staged = stage_order(scope, name, sight, pending, choice.bytes_of, hold);
  for (std::size_t i = steps; i < m_round.steps.size(); ++i) {
    placed.paths.push_back(m_round.steps[i].path);
  }
  m_behind = nullptr;
  if (is_behind && !m_work.dry_run) {
    order.unwritten.push_back(std::move(behind));
  }
  placed.agents = agents_that_see(scope, sight, pending, hold);
  order.skills.push_back(std::move(pending)); // also to be given up
  TRY(staged);
  return placed;
}

// Nothing where no copy can be seen.
Result<std::optional<Mine>>
RoundRun::mine_of(Scope& scope, const std::string& name, const Skill& skill, Sight& sight) {
  if (!has_copy(sight)) {
    return std::optional<Mine>();
  }
  Decision decision = reconcile(skill.ancestor, sight.observations);
  Mine mine;
  if (decision.verdict == Verdict::merge) {
    TRY_ASSIGN(std::optional<MergeResult> merged, try_merge(scope, name, skill, sight, decision));
    if (merged) {
      mine.tree = std::move(merged->tree);
      mine.joined = std::move(merged->files);
      return std::optional(std::move(mine));
    }
  }
  if (decision.versions.empty()) {
    TRY_ASSIGN(mine.tree, agreed_tree(skill));
    return std::optional(std::move(mine));
  }
  TRY_ASSIGN(mine.tree, tree_of(sight, decision.versions.front().hash));
  mine.root = decision.versions.front().root;
  mine.versions = std::move(decision.versions);
  return std::optional(std::move(mine));
}

Result<Chosen> RoundRun::choose(Scope& scope,
                                const Placement& placement,
                                const Skill& skill,
                                Sight& sight,
                                const std::optional<Mine>& mine,
                                const Incoming& incoming) {
  const Digest version = incoming.tree.hash();
  Chosen theirs{incoming.tree, PlacedState::placed, incoming.bytes_of};
  if (!mine) {
    return theirs;
  }
  const Digest here = mine->tree.hash();
  theirs.state = here == version ? PlacedState::unchanged : PlacedState::replaced;
  bool is_untouched = placement.base == here;
  bool counts = placement.replaces
                || (placement.base && placement.precedence == Precedence::placed
                    && placement.base != version);
  if (here == version || is_untouched || counts) {
    return theirs;
  }
  auto files = std::make_shared<std::vector<MergedFile>>(mine->joined);
  auto tree = std::make_shared<Tree>(mine->tree);
  Chosen stays{mine->tree, PlacedState::unchanged, {}};
  if (mine->joined.empty()) {
    EntryBytes bytes_of = bytes_from(scope, placement.skill, sight, *tree);
    stays.bytes_of = [tree, bytes_of](std::size_t index) { return bytes_of(index); };
  } else {
    EntryBytes bytes_of = bytes_of_merge(scope, placement.skill, skill, sight, *tree, *files);
    stays.bytes_of = [tree, files, bytes_of](std::size_t index) { return bytes_of(index); };
  }
  if (!placement.base) {
    stays.state = PlacedState::taken;
    return stays;
  }
  if (*placement.base == version || placement.precedence == Precedence::mine) {
    return stays;
  }
  TRY_ASSIGN(MergeResult merged, merge_placed(*placement.base, *tree, stays.bytes_of, incoming));
  if (!merged.clean()) {
    stays.state = PlacedState::conflict;
    return stays;
  }
  if (merged.tree.hash() == here) {
    return stays;
  }
  if (merged.tree.hash() == version) {
    return theirs;
  }
  return choice_of_merge(std::move(merged), std::move(tree), std::move(stays.bytes_of), incoming);
}

// Against what was placed before; where that is not kept any more, as for a lost ancestor.
Result<MergeResult> RoundRun::merge_placed(const Digest& base,
                                           const Tree& mine,
                                           const EntryBytes& bytes_of_mine,
                                           const Incoming& incoming) {
  Tree ancestor;
  if (Result<Tree> kept = tree_of_object(m_state.objects, base)) {
    ancestor = std::move(*kept);
  } else if (kept.error().code != ErrorCode::not_found && kept.error().code != ErrorCode::corrupt) {
    return fail(kept.error());
  }
  auto read = [&](const Entry& entry) -> Result<std::string> {
    if (auto at = find_content(mine, entry)) {
      return bytes_of_mine(*at);
    }
    if (auto at = find_content(incoming.tree, entry)) {
      return incoming.bytes_of(*at);
    }
    return m_state.objects.read_file(base, entry.path);
  };
  return merge_trees(ancestor, {&mine, &incoming.tree}, read, library::folded_key);
}

} // namespace upskill::sync
