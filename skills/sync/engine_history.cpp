#include "protocol/base/utc.h"
#include "skills/sync/engine_state.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace upskill::sync {
namespace {

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

} // namespace

const Scope* scope_of(const Engine::State& state, store::Id id) {
  auto at = std::ranges::find(state.scopes, id, &Scope::id);
  return at == state.scopes.end() ? nullptr : &*at;
}

Scope* scope_of(Engine::State& state, store::Id id) {
  return const_cast<Scope*>(scope_of(std::as_const(state), id));
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

} // namespace upskill::sync
