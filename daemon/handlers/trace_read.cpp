#include "daemon/await.h"
#include "daemon/handlers/trace_evidence.h"
#include "daemon/handlers/trace_own.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_least_tokens = 1000;
constexpr std::int64_t k_most_tokens = 24'000;

Result<TraceReadResult> read_kept(archive::Archive& archive,
                                  const TraceReadParams& params,
                                  store::SessionRow row,
                                  const RequestContext& context) {
  TraceReadResult result;
  result.id = to_valid_utf8(row.session);
  result.agent = row.harness;
  result.title = row.title;
  TRY_ASSIGN(Evidence evidence,
             gather(archive, {row.session, {}, std::move(row)}, nullptr, context.stopping));
  distill::DistillOptions options;
  options.tokens = static_cast<std::size_t>(
      std::clamp<std::int64_t>(params.tokens, k_least_tokens, k_most_tokens));
  distill::Distilled distilled = evidence.distiller->distilled(options);
  result.counts = counts_of(distilled, evidence);
  result.text = std::move(distilled.text);
  TRY_ASSIGN(std::vector<std::string> allowed, allowed_rules(archive, evidence.source));
  std::vector<std::string> flagged = flagged_in(result.text, archive.rules(), allowed);
  for (std::string& rule : flagged_in(result.title, archive.rules(), allowed)) {
    if (std::ranges::find(flagged, rule) == flagged.end()) {
      flagged.push_back(std::move(rule));
    }
  }
  if (!flagged.empty() && !context.principal.empty()) {
    std::string rules;
    for (const std::string& rule : flagged) {
      rules += (rules.empty() ? "`" : ", `") + rule + "`";
    }
    return fail(ErrorCode::refused,
                "what may be a secret is in this session (" + rules + ")",
                "a person who has looked at it says `upskill trace allow " + result.id + "`");
  }
  result.tokens = static_cast<std::int64_t>(result.text.size() / 4);
  return result;
}

} // namespace

Awaitable<TraceReadResult>
read_trace(TraceRoom room, TraceReadParams params, RequestContext context) {
  const bool is_own = params.id.empty();
  auto find = [&](archive::Archive& archive) {
    return is_own ? find_own(archive, context, room.desk.now_ms())
                  : archive.store().find_named(params.id);
  };
  Result<store::SessionRow> row;
  if (is_own) {
    AWAIT(row, wait_for_own(room.desk, context));
  } else {
    AWAIT(row, room.desk.with(find));
  }
  CO_TRY(row);
  // A session that is followed may have grown since it was last read.
  if (room.desk.is_following() && !row->source.empty()) {
    AWAIT(Result<bool> read, room.desk.read_now(row->source));
    if (read) {
      AWAIT(row, room.desk.with(find));
      CO_TRY(row);
    }
  }
  auto work = [&](archive::Archive& archive) { return read_kept(archive, params, *row, context); };
  AWAIT(Result<TraceReadResult> result, room.desk.with(std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
