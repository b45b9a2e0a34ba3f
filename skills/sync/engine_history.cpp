#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/joined_rounds.h"
#include "skills/sync/round.h"
#include "skills/sync/version_diff.h"

#include <algorithm>
#include <charconv>

namespace upskill::sync {
namespace {

// A losing version's SKILL.md travels in the answer up to this size; larger ones only say where
// they lie.
constexpr std::size_t k_max_conflict_text = 32u << 10;
constexpr std::size_t k_max_paths = 20; // that are named of those in which versions differ

HistoryEntry entry_of(const store::HistoryRow& row) {
  HistoryEntry entry;
  entry.id = row.id;
  entry.time = rfc3339(row.time_ms);
  entry.action = row.action;
  entry.skill = row.skill;
  entry.from = row.from;
  entry.before = row.before ? row.before->hex() : std::string();
  entry.after = row.after ? row.after->hex() : std::string();
  entry.undone = row.undone;
  entry.reason = row.reason;
  for (const store::HistoryPath& path : row.paths) {
    if (path.kind != store::ReplicaKind::withdrawn) { // there was nothing to be written
      entry.paths.push_back(path.path);
    }
  }
  return entry;
}

std::string skill_text(const store::Objects& objects, const Digest& hash) {
  for (std::string_view name : {"SKILL.md", "skill.md"}) {
    if (Result<std::string> text = objects.read_file(hash, name)) {
      return std::move(*text);
    }
  }
  return {};
}

// How a losing version differs from the winner; that one of them is damaged is told in its place.
void compare(const store::Objects& objects,
             const Digest& winner,
             const Digest& loser,
             ConflictVersion& out) {
  Result<VersionDiff> diff =
      diff_versions(objects, winner, loser, {k_max_paths, k_max_conflict_text});
  if (!diff) {
    out.diff = diff.error().message + "\n";
    return;
  }
  out.differs = std::move(diff->paths);
  out.more_differ = static_cast<std::int64_t>(diff->more);
  out.diff = std::move(diff->text);
}

// The whole text as a conflict's id: a name may begin with digits.
std::optional<store::Id> id_of(std::string_view text) {
  store::Id id = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
  bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && text.front() != '-' ? std::optional(id) : std::nullopt;
}

// The conflict that a person named, by its skill or else by its id. A skill may have several: in
// other scopes, or a held deletion beside a conflict of content, which `take` tells apart.
Result<store::ConflictRow> conflict_meant(Engine::State& state,
                                          const ConflictResolveParams& params) {
  TRY_ASSIGN(std::vector<store::ConflictRow> open, state.store.open_conflicts());
  auto keep_if = [](std::vector<store::ConflictRow> rows, auto&& fits) {
    std::erase_if(rows, [&](const store::ConflictRow& row) { return !fits(row); });
    return rows;
  };
  std::vector<store::ConflictRow> named =
      keep_if(open, [&](const store::ConflictRow& row) { return row.skill == params.skill; });
  if (named.size() > 1) {
    ConflictKind kind = params.take == "delete" || params.take == "restore" ? ConflictKind::deletion
                                                                            : ConflictKind::content;
    auto fitting = keep_if(named, [&](const store::ConflictRow& row) { return row.kind == kind; });
    named = fitting.empty() ? std::move(named) : std::move(fitting);
  }
  if (std::optional<store::Id> id = id_of(params.skill); id && named.empty()) {
    named = keep_if(open, [&](const store::ConflictRow& row) { return row.id == *id; });
  }
  if (named.empty()) {
    return fail(ErrorCode::not_found,
                "`" + params.skill + "` has no conflict",
                "`upskill sync conflicts` lists them");
  }
  if (named.size() == 1) {
    return std::move(named.front());
  }
  std::string all;
  for (const store::ConflictRow& row : named) {
    Scope* scope = scope_of(state, row.scope);
    all += (all.empty() ? "`" : ", `") + std::to_string(row.id) + "`";
    all += scope != nullptr ? " (" + scope->setup.name() + ")" : std::string();
  }
  return fail(ErrorCode::invalid_argument,
              "`" + params.skill + "` has conflicts in several places",
              "give the number instead of the name, one of " + all);
}

// The version that a person named: by hash, by path, or as winner or loser.
Result<Digest> choose(const store::ConflictRow& row, const std::string& take) {
  std::vector<const store::ConflictVersionRow*> matches;
  for (const store::ConflictVersionRow& version : row.versions) {
    bool wanted = take == "winner"  ? version.winner
                  : take == "loser" ? !version.winner
                                    : take.size() >= 4
                                          && (version.hash.hex().starts_with(take)
                                              || version.path == take || version.stored == take);
    if (wanted) {
      matches.push_back(&version);
    }
  }
  if (matches.size() == 1) {
    return matches.front()->hash;
  }
  std::string all;
  for (const store::ConflictVersionRow& version : row.versions) {
    all += all.empty() ? "`" : ", `";
    all += version.hash.brief() + (version.winner ? "` (winner)" : "`");
  }
  return fail(ErrorCode::invalid_argument,
              matches.empty() ? "`take` names no version of this conflict"
                              : "`take` names several versions of this conflict",
              "give one of " + all + ", `winner`, or `loser` where there is only one");
}

// The winner is what is in place: where somebody has edited it since, or an undo has put another
// version there, choosing it keeps that.
Result<Digest> what_is_there(Engine::State& state,
                             Scope& scope,
                             const std::string& name,
                             const Digest& winner,
                             const Work& work,
                             std::optional<Round>& looked) {
  Work look = work;
  look.everything = true;
  look.only_skill = name;
  TRY_ASSIGN(Round round, RoundRun(state, look).run()); // with what was edited a moment ago
  if (!work.dry_run) {
    looked = std::move(round);
  }
  const Skill* skill = scope.find(state.key_of(name));
  return skill != nullptr && skill->ancestor ? *skill->ancestor : winner;
}

// A held deletion: a person decides whether the skill goes everywhere or comes back.
Result<Round> settle_deletion(Engine::State& state,
                              Scope& scope,
                              const store::ConflictRow& row,
                              const ConflictResolveParams& params,
                              Work& work) {
  auto deletion = scope.deletions.find(row.skill);
  if (params.take == "delete") {
    if (deletion != scope.deletions.end() && !work.dry_run) {
      deletion->second.confirmed = true;
    }
    work.everything = true;
    work.only_skill = row.skill;
    return RoundRun(state, work).run();
  }
  if (params.take != "restore") {
    return fail(ErrorCode::invalid_argument,
                "`take` must be `delete` or `restore` for a held deletion");
  }
  const Skill* skill = scope.find(state.key_of(row.skill));
  if (skill == nullptr || !skill->ancestor) {
    return fail(ErrorCode::not_found, "nothing is known of `" + row.skill + "` any more");
  }
  std::vector<RootIndex> roots;
  for (const Replica& replica : skill->replicas) {
    if (replica.base) {
      roots.push_back(replica.root);
    }
  }
  const std::string reason = "deletion " + std::to_string(row.id) + " taken back";
  Digest content = *skill->ancestor;
  Result<Round> round = RoundRun(state, work).put(scope, row.skill, content, roots, reason);
  if (round && !work.dry_run) {
    TRY(state.store.resolve_conflict(row.id, work.now.wall_ms));
  }
  return round;
}

} // namespace

Scope* scope_of(Engine::State& state, store::Id id) {
  auto at = std::ranges::find(state.scopes, id, &Scope::id);
  return at == state.scopes.end() ? nullptr : &*at;
}

tl::unexpected<Error> not_in_sync(std::string_view skill) {
  return fail(ErrorCode::refused,
              "`" + std::string(skill) + "` is not under sync any more",
              "run `upskill sync enable` first");
}

std::string reason_of_settling(store::Id conflict) {
  return "conflict " + std::to_string(conflict) + " resolved";
}

std::optional<store::Id> conflict_settled_by(std::string_view reason) {
  constexpr std::string_view k_start = "conflict ";
  store::Id id = 0;
  if (reason.starts_with(k_start)) {
    std::from_chars(reason.data() + k_start.size(), reason.data() + reason.size(), id);
  }
  return id != 0 && reason == reason_of_settling(id) ? std::optional(id) : std::nullopt;
}

Result<SyncLogResult> Engine::log(const SyncLogParams& params) const {
  if (params.limit < 1 || params.limit > 1000) {
    return fail(ErrorCode::invalid_argument, "`limit` must be from 1 to 1000");
  }
  TRY_ASSIGN(auto rows, m_state->store.history(params.skill, params.limit));
  SyncLogResult result;
  for (const store::HistoryRow& row : rows) {
    result.entries.push_back(entry_of(row));
  }
  return result;
}

Result<SyncConflictsResult> Engine::conflicts(const SyncConflictsParams& params) const {
  TRY_ASSIGN(auto rows, m_state->store.open_conflicts(params.skill));
  SyncConflictsResult result;
  for (const store::ConflictRow& row : rows) {
    Conflict& conflict = result.conflicts.emplace_back();
    conflict.id = row.id;
    conflict.kind = row.kind;
    conflict.skill = row.skill;
    Scope* scope = scope_of(*m_state, row.scope);
    conflict.scope = scope != nullptr ? scope->setup.name() : std::string();
    conflict.time = rfc3339(row.time_ms);
    conflict.reason = row.reason;
    auto winner = std::ranges::find(row.versions, true, &store::ConflictVersionRow::winner);
    for (const store::ConflictVersionRow& version : row.versions) {
      ConflictVersion& out = conflict.versions.emplace_back();
      out.hash = version.hash.hex();
      out.path = version.path;
      out.winner = version.winner;
      out.stored = version.stored;
      std::string text = skill_text(m_state->objects, version.hash);
      if (!version.winner && winner != row.versions.end()) {
        compare(m_state->objects, winner->hash, version.hash, out);
      }
      if (text.size() <= k_max_conflict_text) {
        out.text = std::move(text);
      }
    }
  }
  return result;
}

Result<Round>
Engine::resolve(const ConflictResolveParams& params, Moment now, std::optional<Round>* done) {
  State& state = *m_state;
  TRY_ASSIGN(store::ConflictRow row, conflict_meant(state, params));
  Scope* scope = scope_of(state, row.scope);
  if (scope == nullptr || !scope->setup.enabled) {
    return not_in_sync(row.skill);
  }
  Work work;
  work.dry_run = params.dry_run;
  work.now = now;
  if (row.kind == ConflictKind::deletion) {
    return settle_deletion(*m_state, *scope, row, params, work);
  }
  TRY_ASSIGN(Digest chosen, choose(row, params.take));
  std::optional<Round> looked;
  if (params.take == "winner") {
    TRY_ASSIGN(chosen, what_is_there(state, *scope, row.skill, chosen, work, looked));
  }
  // Settled in the same transaction that records the choice.
  Result<Round> put =
      RoundRun(state, work)
          .put(*scope, row.skill, chosen, {}, reason_of_settling(row.id), {.settles = row.id});
  return joined(std::move(looked), std::move(put), done);
}

} // namespace upskill::sync
