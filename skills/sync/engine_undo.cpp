#include "protocol/base/paths.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/joined_rounds.h"
#include "skills/sync/round.h"
#include "skills/sync/undo_choice.h"
#include "skills/sync/undo_reason.h"

#include <algorithm>
#include <limits>
#include <set>

namespace upskill::sync {
namespace {

constexpr std::int64_t k_page = 100; // entries that are read at once

using store::HistoryRow;

// Copies were made, and the content stayed what it was.
bool only_made(const HistoryRow& row) {
  return row.action == SyncAction::create || row.action == SyncAction::link;
}

// All copies of a new skill were made, and after none that lay anywhere.
bool was_placed(const HistoryRow& row) {
  return row.action == SyncAction::create && !row.before && row.from.empty();
}

// A copy caught up, which is a part of the change it caught up with.
bool changes_nothing(const HistoryRow& row) {
  return row.action == SyncAction::update && row.before == row.after
         && !conflict_settled_by(row.reason);
}

// Different versions became one: there was no state before it that sync could keep.
bool joined_first_versions(const HistoryRow& row) {
  return !row.before && std::ranges::any_of(row.paths, [](const store::HistoryPath& path) {
    return path.before.has_value();
  });
}

// An entry, and what came after it.
struct Undoing {
  HistoryRow row;
  Scope* scope = nullptr;
  std::optional<Digest> last; // content after the skill's newest entry
  // Later entries of the skill that are in force, oldest first. Those that took back another later
  // one are not: the two cancel out. Nor are those that took away copies and left the content, but
  // for an undo, which gives back all that it took or nothing.
  std::vector<HistoryRow> in_the_way;
};

Result<Undoing> undoing_of(Engine::State& state, Scope& scope, HistoryRow row) {
  TRY_ASSIGN(std::vector<HistoryRow> later,
             state.store.history_after(row.id, row.scope, row.skill));
  Undoing undoing;
  undoing.scope = &scope;
  undoing.last = later.empty() ? row.after : later.back().after;
  const bool is_undo = undo_told_by(row).has_value();
  for (HistoryRow& one : later) {
    std::optional<UndoOf> undid = undo_told_by(one);
    bool cancelled = undid && undid->entries.front() > row.id;
    bool changed = one.before != one.after || (undid && is_undo);
    if (!one.undone && !cancelled && changed) {
      undoing.in_the_way.push_back(std::move(one));
    }
  }
  undoing.row = std::move(row);
  return undoing;
}

// Whether it can be undone at all.
Result<void> judge(const Undoing& undoing, bool force) {
  const HistoryRow& row = undoing.row;
  const std::string entry = "entry " + std::to_string(row.id);
  if (row.undone) {
    return fail(ErrorCode::refused,
                entry + " was undone already",
                "`upskill sync log` lists the entry that undid it, which can be undone in turn");
  }
  if (joined_first_versions(row)) {
    return fail(ErrorCode::refused,
                "before " + entry + " the copies of `" + row.skill
                    + "` were different, and sync would join them again",
                "`upskill sync conflicts " + row.skill
                    + "` shows the versions; `upskill sync resolve` takes another one");
  }
  if (!undoing.in_the_way.empty() && !force) {
    return fail(ErrorCode::refused,
                "`" + row.skill + "` was changed after " + entry,
                "undo entry " + std::to_string(undoing.in_the_way.back().id)
                    + " first, or give `--force`");
  }
  return {};
}

// Of what an entry wrote or took away; or, `withdrawn`, where nothing was to be from then on.
std::vector<RootIndex> roots_of(const Scope& scope, const HistoryRow& row, bool withdrawn) {
  std::vector<RootIndex> roots;
  for (const store::HistoryPath& path : row.paths) {
    std::optional<RootIndex> root = scope.root_at(parent_path(path.path));
    if (root && (path.kind == store::ReplicaKind::withdrawn) == withdrawn) {
      roots.push_back(*root);
    }
  }
  return roots;
}

// Whether the skill has a copy, as far as is known, that is in none of these roots.
bool copy_stays(const Skill& skill, const std::vector<RootIndex>& roots) {
  return std::ranges::any_of(skill.replicas, [&](const Replica& one) {
    return (one.seen == Presence::copy || one.base)
           && std::ranges::find(roots, one.root) == roots.end();
  });
}

// Somebody edited it where nothing had to be written, so that no entry tells of it. Who only takes
// copies or links away, and leaves one, does not touch what was edited.
Result<void> check_content(const Engine::State& state, const Undoing& undoing, bool force) {
  const Skill* skill = undoing.scope->find(state.key_of(undoing.row.skill));
  std::optional<Digest> current = skill != nullptr ? skill->ancestor : std::nullopt;
  if (current == undoing.last || force) {
    return {};
  }
  if (skill != nullptr && only_made(undoing.row)
      && copy_stays(*skill, roots_of(*undoing.scope, undoing.row, false))) {
    return {};
  }
  return fail(ErrorCode::refused,
              "`" + undoing.row.skill + "` was edited after entry "
                  + std::to_string(undoing.row.id),
              "give `--force` to undo it all the same; the edited version is kept");
}

Result<Undoing> find_entry(Engine::State& state, store::Id id, bool force) {
  TRY_ASSIGN(std::optional<HistoryRow> row, state.store.history_entry(id));
  if (!row) {
    return fail(ErrorCode::not_found,
                "there is no entry " + std::to_string(id) + " in the log",
                "`upskill sync log` lists them");
  }
  Scope* scope = scope_of(state, row->scope);
  if (scope == nullptr) {
    return not_in_sync(row->skill);
  }
  TRY_ASSIGN(Undoing undoing, undoing_of(state, *scope, std::move(*row)));
  TRY(judge(undoing, force));
  TRY(check_content(state, undoing, force));
  return undoing;
}

// The newest change that is in force. Undone ones and their undos cancel out; what cannot be undone
// is passed over with all older ones of its skill, and told of, or nothing before it could be
// undone any more.
Result<Undoing>
find_newest(Engine::State& state, bool force, std::vector<std::string>& passed_over) {
  std::optional<Error> first;
  std::set<std::pair<store::Id, std::string>> stuck; // skills, by their scope
  store::Id before = std::numeric_limits<store::Id>::max();
  for (;;) {
    TRY_ASSIGN(std::vector<HistoryRow> rows, state.store.history_before(before, k_page));
    for (HistoryRow& row : rows) {
      before = row.id;
      if (row.undone || undo_told_by(row) || changes_nothing(row)
          || stuck.contains({row.scope, row.skill})) {
        continue;
      }
      Scope* scope = scope_of(state, row.scope);
      if (scope == nullptr) {
        Error why = not_in_sync(row.skill).value();
        passed_over.push_back(why.message);
        first = first ? first : std::move(why);
        stuck.emplace(row.scope, row.skill);
        continue;
      }
      TRY_ASSIGN(Undoing undoing, undoing_of(state, *scope, std::move(row)));
      Result<void> possible = judge(undoing, force);
      if (possible) {
        possible = check_content(state, undoing, force);
      }
      if (possible) {
        return undoing;
      }
      first = first ? first : possible.error();
      passed_over.push_back(possible.error().message);
      stuck.emplace(undoing.row.scope, undoing.row.skill);
    }
    if (rows.empty()) {
      return first ? Result<Undoing>(fail(*first))
                   : fail(ErrorCode::not_found, "there is nothing to undo", "`upskill sync log`");
    }
  }
}

// An entry is undone, or in force again; and the other way round what it undid itself.
Result<void> mark(store::SyncStore& store, store::Id id, UndoneMarks& marks) {
  std::vector<std::pair<store::Id, bool>> next = {{id, true}};
  while (!next.empty()) {
    auto [entry, undone] = next.back();
    next.pop_back();
    TRY_ASSIGN(std::optional<HistoryRow> row, store.history_entry(entry));
    if (!row) {
      continue; // too old: it is not kept any more
    }
    marks.emplace_back(entry, undone);
    std::optional<UndoOf> undo = undo_told_by(*row);
    if (!undo) {
      continue;
    }
    for (store::Id undid : undo->entries) {
      next.emplace_back(undid, !undone);
    }
    TRY_ASSIGN(std::optional<HistoryRow> begun, store.history_entry(undo->begun_in));
    if (begun) {
      marks.emplace_back(begun->id, undone);
    }
  }
  return {};
}

// Where copies and links are to be once an entry is undone, and where not.
struct Places {
  std::vector<RootIndex> fill = {};
  std::vector<RootIndex> readmit = {};  // an undo had said that nothing was to be there
  std::vector<RootIndex> withdraw = {}; // made by the entry, beside copies that it changed
  std::vector<RootIndex> links = {};    // that the entry took away
  bool fills_first = false;             // no copy is left but those that are to be withdrawn
};

bool is_withdrawn(const Skill* skill, RootIndex root) {
  const Replica* known = skill != nullptr ? skill->find(root) : nullptr;
  return known != nullptr && known->withdrawn && known->kind == store::ReplicaKind::excluded;
}

// A copy that an undo took away since is not made again for an older change; the undo of an undo
// brings back all that it took, and takes all that it brought.
void add_places(
    const Scope& scope, const HistoryRow& row, bool is_undo, const Skill* skill, Places& places) {
  std::ranges::copy(roots_of(scope, row, true), std::back_inserter(places.readmit));
  for (const store::HistoryPath& path : row.paths) {
    std::optional<RootIndex> root = scope.root_at(parent_path(path.path));
    bool changed = path.before && path.after;
    if (!root || path.kind == store::ReplicaKind::withdrawn
        || (changed && !is_undo && is_withdrawn(skill, *root))) {
      continue;
    }
    bool made = !path.before && path.after;
    if (path.kind == store::ReplicaKind::link && !made) {
      places.links.push_back(*root);
    }
    (made ? places.withdraw : places.fill).push_back(*root);
  }
}

Result<Places> places_of(Engine::State& state, const Undoing& undoing) {
  const Scope& scope = *undoing.scope;
  const Skill* skill = scope.find(state.key_of(undoing.row.skill));
  std::optional<UndoOf> undo = undo_told_by(undoing.row);
  Places places;
  add_places(scope, undoing.row, undo.has_value(), skill, places);
  TRY_ASSIGN(std::optional<HistoryRow> begun, state.store.history_entry(undo ? undo->begun_in : 0));
  if (begun) {
    add_places(scope, *begun, true, skill, places);
  }
  if (skill == nullptr || !copy_stays(*skill, places.withdraw)) {
    places.fills_first = skill != nullptr && !places.fill.empty();
    if (!places.fills_first) {
      std::ranges::move(std::exchange(places.withdraw, {}), std::back_inserter(places.fill));
    }
  }
  return places;
}

// The entry with which an undo began, when it goes on with another one.
Result<store::Id> begun_in(Engine::State& state, const HistoryRow& row, const std::string& reason) {
  TRY_ASSIGN(auto later, state.store.history_after(row.id, row.scope, row.skill));
  return !later.empty() && later.back().reason == reason ? later.back().id : 0;
}

// Copies that were made are taken away again; everything else gets back what was there before.
// `done` is what was done, also where it fails in the end.
Result<void> take_back(Engine::State& state,
                       const Undoing& undoing,
                       const Work& work,
                       std::optional<Round>& done) {
  const HistoryRow& row = undoing.row;
  const bool only_takes = only_made(row) || !row.before;
  const Skill* skill = undoing.scope->find(state.key_of(row.skill));
  std::vector<RootIndex> roots = roots_of(*undoing.scope, row, false);
  UndoOf undo = {{row.id}};
  // What came later went with it (`force`), but where the content stays as it is.
  if (!only_takes || skill == nullptr || !copy_stays(*skill, roots)) {
    for (const HistoryRow& over : undoing.in_the_way) {
      undo.entries.push_back(over.id);
    }
  }
  PutEffects effects;
  for (store::Id entry : undo.entries) {
    TRY(mark(state.store, entry, effects.marks));
  }
  std::string reason = reason_of_undo(undo);
  if (only_takes) {
    // A copy that was only made after another is not to take the last one along.
    const WithdrawEffects taking = {effects.marks, !only_made(row) || was_placed(row)};
    RoundRun run(state, work);
    Result<void> taken = run.withdraw(*undoing.scope, row.skill, roots, reason, taking);
    join(done, run.take_round());
    return taken;
  }
  TRY(tree_of_object(state.objects, *row.before)); // or nothing must be taken away for it
  TRY_ASSIGN(Places places, places_of(state, undoing));
  auto withdraw_made = [&] {
    WithdrawEffects taking;
    taking.may_take_last = work.dry_run && places.fills_first; // what is filled is only planned
    taking.may_return = row.action == SyncAction::remove && !undo_told_by(row);
    RoundRun run(state, work);
    Result<void> taken = run.withdraw(*undoing.scope, row.skill, places.withdraw, reason, taking);
    join(done, run.take_round());
    if (!taken) {
      done->warnings.push_back(taken.error().message); // they are as the others, at least
    }
  };
  auto note_begun = [&]() -> Result<void> {
    if (!places.withdraw.empty() && !work.dry_run) {
      TRY_ASSIGN(undo.begun_in, begun_in(state, row, reason));
      reason = reason_of_undo(undo);
    }
    return {};
  };
  if (!places.withdraw.empty() && !places.fills_first) {
    withdraw_made();
    TRY(note_begun());
  }
  effects.readmits = std::move(places.readmit);
  effects.links = std::move(places.links);
  TRY(follow_choice(state, row, effects));
  effects.must_write =
      undo_told_by(row) && row.before == row.after && effects.settles == 0 && !effects.reopens;
  RoundRun run(state, work);
  Result<void> put =
      run.put(*undoing.scope, row.skill, *row.before, places.fill, reason, std::move(effects));
  Round round = run.take_round();
  std::erase_if(round.steps, [&](const SyncStep& step) { // that are only planned
    std::optional<RootIndex> root = undoing.scope->root_at(parent_path(step.path));
    return work.dry_run && root
           && std::ranges::find(places.withdraw, *root) != places.withdraw.end();
  });
  join(done, std::move(round));
  if (put && places.fills_first) {
    TRY(note_begun());
    withdraw_made();
  }
  return put;
}

// `done` is what was done, also where it fails in the end.
Result<void> undo_after_look(Engine::State& state,
                             const SyncUndoParams& params,
                             Moment now,
                             std::optional<Round>& done) {
  std::vector<std::string> passed_over;
  auto find = [&] {
    passed_over.clear();
    return params.id ? find_entry(state, *params.id, params.force)
                     : find_newest(state, params.force, passed_over);
  };
  TRY_ASSIGN(Undoing undoing, find());
  Work work;
  work.now = now;
  // An edit of a moment ago is a change too, and a later one. Where it is passed over for that,
  // what is found instead is looked at as well.
  for (std::set<std::string> seen; !params.dry_run && seen.insert(undoing.row.skill).second;) {
    Work look = work;
    look.everything = true;
    look.only_skill = undoing.row.skill;
    look.asked_in = undoing.scope->id;
    TRY_ASSIGN(Round round, RoundRun(state, look).run());
    join(done, std::move(round));
    TRY_ASSIGN(undoing, find());
  }
  work.dry_run = params.dry_run;
  Result<void> taken_back = take_back(state, undoing, work, done);
  if (done) {
    std::ranges::move(passed_over, std::back_inserter(done->warnings));
  }
  return taken_back;
}

} // namespace

Result<Round> Engine::undo(const SyncUndoParams& params, Moment now, std::optional<Round>* done) {
  std::optional<Round> all;
  Result<void> undone = undo_after_look(*m_state, params, now, all);
  return answer_of(std::move(all), std::move(undone), done);
}

} // namespace upskill::sync
