#include "protocol/base/utc.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/joined_rounds.h"
#include "skills/sync/round.h"
#include "skills/sync/winner_in_place.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace upskill::sync {
namespace {

// The SKILL.md of a version, and how it differs, travel in the answer up to this size; of larger
// ones it only says where they lie.
constexpr std::size_t k_most_text = 32u << 10;
constexpr std::size_t k_most_paths = 20; // that are named of those in which versions differ
constexpr std::size_t k_shortest_hash = 4;

std::optional<std::string> document_of(const VersionContent& content) {
  const Entry* document = content.tree.find(skill_file(content.tree));
  if (document == nullptr || document->size > k_most_text) {
    return std::nullopt;
  }
  Result<std::string> text = content.bytes_of(*document);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

// How a losing version differs from what is in place; that one of them is damaged is told instead.
void compare(const Result<VersionContent>& winner,
             const Result<VersionContent>& loser,
             ConflictVersion& out) {
  if (!winner || !loser) {
    out.diff = (winner ? loser : winner).error().message + "\n";
    return;
  }
  Result<VersionDiff> diff = diff_versions(*winner, *loser, {k_most_paths, k_most_text});
  if (!diff) {
    out.diff = diff.error().message + "\n";
    return;
  }
  out.differs = std::move(diff->paths);
  out.more_differ = static_cast<std::int64_t>(diff->more);
  out.diff = std::move(diff->text);
}

// The losing versions as they were kept, the winner as it is now.
std::vector<ConflictVersion> versions_of(const Engine::State& state,
                                         const store::ConflictRow& row) {
  std::optional<WinnerInPlace> in_place = winner_in_place(state, row);
  auto winner = std::ranges::find(row.versions, true, &store::ConflictVersionRow::winner);
  std::optional<Result<VersionContent>> won;
  if (winner != row.versions.end()) {
    won = in_place ? in_place->content : kept_version(state.objects, winner->hash);
  }
  std::vector<ConflictVersion> versions;
  for (const store::ConflictVersionRow& version : row.versions) {
    ConflictVersion& out = versions.emplace_back();
    out.hash = version.hash.hex();
    out.path = version.path;
    out.winner = version.winner;
    out.stored = version.stored;
    if (version.winner) {
      if (in_place) {
        out.edited = true;
        out.before = std::exchange(out.hash, in_place->content.tree.hash().hex());
        out.path = in_place->path;
      }
      out.text = *won ? document_of(**won) : std::nullopt;
      continue;
    }
    Result<VersionContent> kept = kept_version(state.objects, version.hash);
    out.text = kept ? document_of(*kept) : std::nullopt;
    if (won) {
      compare(*won, kept, out);
    }
  }
  return versions;
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
                                    : take.size() >= k_shortest_hash
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
              "give one of " + all
                  + ", the path of one, `winner`, or `loser` where there is only one");
}

// The winner is what is in place: where somebody has edited it since, or an undo has put another
// version there, choosing it keeps that.
Result<Digest> what_is_there(Engine::State& state,
                             Scope& scope,
                             const std::string& name,
                             const Digest& winner,
                             const Work& work,
                             std::optional<Round>& done) {
  Work look = work;
  look.everything = true;
  look.only_skill = name;
  look.asked_in = scope.id;
  TRY_ASSIGN(Round round, RoundRun(state, look).run()); // with what was edited a moment ago
  if (!work.dry_run) {
    join(done, std::move(round));
  }
  const Skill* skill = scope.find(state.key_of(name));
  return skill != nullptr && skill->ancestor ? *skill->ancestor : winner;
}

// A held deletion: a person decides whether the skill goes everywhere or comes back.
Result<void> settle_deletion(Engine::State& state,
                             Scope& scope,
                             const store::ConflictRow& row,
                             const ConflictResolveParams& params,
                             Work& work,
                             std::optional<Round>& done) {
  auto deletion = scope.deletions.find(row.skill);
  if (params.take == "delete") {
    work.everything = true;
    work.only_skill = row.skill;
    work.asked_in = scope.id;
    const bool known = deletion != scope.deletions.end();
    const bool before = known && std::exchange(deletion->second.confirmed, true);
    Result<Round> round = RoundRun(state, work).run();
    if (known && work.dry_run) {
      scope.deletions[row.skill].confirmed = before;
    }
    if (!round) {
      return fail(round.error());
    }
    join(done, std::move(*round));
    return {};
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
  RoundRun run(state, work);
  Result<void> put = run.put(scope, row.skill, content, roots, reason);
  join(done, run.take_round());
  if (put && !work.dry_run) {
    put = state.store.resolve_conflict(row.id, work.now.wall_ms);
  }
  return put;
}

// A winner that was edited is shown as it is now, and so it is meant by what is shown of it; unless
// a losing version is shown by the same words, which has no others.
bool means_winner_in_place(const Engine::State& state,
                           const store::ConflictRow& row,
                           const std::string& take) {
  auto is_named = [&](const std::string& hash, const std::string& path) {
    return hash.starts_with(take) || path == take;
  };
  if (take.size() < k_shortest_hash
      || std::ranges::any_of(row.versions, [&](const store::ConflictVersionRow& version) {
           return !version.winner && is_named(version.hash.hex(), version.path);
         })) {
    return false;
  }
  std::optional<WinnerInPlace> in_place = winner_in_place(state, row);
  return in_place && is_named(in_place->content.tree.hash().hex(), in_place->path);
}

// `done` is what was done, also where it fails in the end.
Result<void> settle(Engine::State& state,
                    const ConflictResolveParams& params,
                    Moment now,
                    std::optional<Round>& done,
                    std::optional<store::Id>& meant) {
  TRY_ASSIGN(store::ConflictRow row, conflict_meant(state, params));
  meant = row.id;
  Scope* scope = scope_of(state, row.scope);
  if (scope == nullptr) {
    return not_in_sync(row.skill);
  }
  Work work;
  work.dry_run = params.dry_run;
  work.now = now;
  if (row.kind == ConflictKind::deletion) {
    return settle_deletion(state, *scope, row, params, work, done);
  }
  const std::string take = means_winner_in_place(state, row, params.take) ? "winner" : params.take;
  TRY_ASSIGN(Digest chosen, choose(row, take));
  if (take == "winner") {
    TRY_ASSIGN(chosen, what_is_there(state, *scope, row.skill, chosen, work, done));
  }
  // Settled in the same transaction that records the choice.
  const std::string reason = reason_of_settling(row.id);
  RoundRun run(state, work);
  Result<void> put = run.put(*scope, row.skill, chosen, {}, reason, {.settles = row.id});
  join(done, run.take_round());
  return put;
}

} // namespace

Result<SyncConflictsResult> Engine::conflicts(const SyncConflictsParams& params) const {
  TRY_ASSIGN(auto rows, m_state->store.open_conflicts(params.skill));
  SyncConflictsResult result;
  for (const store::ConflictRow& row : rows) {
    Conflict& conflict = result.conflicts.emplace_back();
    conflict.id = row.id;
    conflict.kind = row.kind;
    conflict.skill = row.skill;
    const Scope* scope = scope_of(std::as_const(*m_state), row.scope);
    conflict.scope = scope != nullptr ? scope->setup.name() : std::string();
    conflict.time = rfc3339(row.time_ms);
    conflict.reason = row.reason;
    conflict.versions = versions_of(*m_state, row);
  }
  return result;
}

Result<Round>
Engine::resolve(const ConflictResolveParams& params, Moment now, std::optional<Round>* done) {
  std::optional<Round> all;
  std::optional<store::Id> meant;
  Result<void> settled = settle(*m_state, params, now, all, meant);
  if (settled && meant) {
    join(all, {.settles = meant});
  }
  return answer_of(std::move(all), std::move(settled), done);
}

} // namespace upskill::sync
