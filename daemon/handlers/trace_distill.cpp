#include "daemon/await.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/trace_evidence.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/distill/several.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_sources = 100;
constexpr std::int64_t k_most_tokens = 1'000'000;

Result<TraceDistillResult> distill_all(archive::Archive& archive,
                                       const TraceDistillParams& params,
                                       const RequestContext& context) {
  TraceDistillResult result;
  std::vector<Evidence> gathered;
  trace::RecentIds seen;
  std::optional<Error> first;
  for (const std::string& name : params.sources) {
    Result<TraceSource> source = find_source(archive, name, context.caller.cwd);
    Result<Evidence> evidence = source ? gather(archive,
                                                *std::move(source),
                                                params.sources.size() > 1 ? &seen : nullptr,
                                                context.stopping)
                                       : Result<Evidence>(fail(std::move(source).error()));
    if (!evidence) {
      if (evidence.error().code == ErrorCode::cancelled) {
        return fail(std::move(evidence).error());
      }
      first = first ? first : evidence.error();
      result.warnings.push_back(in_backticks(name) + ": " + evidence.error().message);
      continue;
    }
    for (const std::string& problem : evidence->problems) {
      result.warnings.push_back(in_backticks(name) + ": " + problem);
    }
    gathered.push_back(*std::move(evidence));
  }
  if (gathered.empty()) {
    return fail(*first);
  }
  std::vector<const distill::Distiller*> distillers;
  std::vector<std::string> allowed;
  for (const Evidence& evidence : gathered) {
    distillers.push_back(evidence.distiller.get());
    TRY_ASSIGN(std::vector<std::string> rules, allowed_rules(archive, evidence.source));
    std::ranges::move(rules, std::back_inserter(allowed));
  }
  auto tokens = static_cast<std::size_t>(std::min(params.tokens, k_most_tokens));
  distill::DistilledSeveral several;
  if (distillers.size() == 1) {
    distill::DistillOptions options;
    options.tokens = tokens;
    several.parts.push_back(distillers.front()->distilled(options));
    several.text = several.parts.front().text;
    several.there.push_back(0);
  } else {
    several = distill::distill_several(distillers, tokens);
  }
  for (std::size_t i = 0; i < several.parts.size(); ++i) {
    const Evidence& evidence = gathered[several.there[i]];
    const distill::Heading& heading = evidence.distiller->heading();
    result.traces.push_back(
        {evidence.source.name,
         heading.session.empty() ? evidence.source.row.session : heading.session,
         heading.harness,
         evidence.format,
         static_cast<std::int64_t>(several.parts[i].tokens_after),
         counts_of(several.parts[i], evidence)});
  }
  for (std::size_t i : several.left_out) {
    result.warnings.push_back(in_backticks(gathered[i].source.name)
                              + ": there was no room for it; more `tokens` make some");
  }
  result.text = std::move(several.text);
  result.flagged = flagged_in(result.text, archive.rules(), allowed);
  result.tokens = static_cast<std::int64_t>(result.text.size() / 4);
  if (!params.output.empty() && params.output != "-") { // as for every program: to be printed
    TRY_ASSIGN(result.output, output_file(normalized_path(params.output, context.caller.cwd)));
    TRY(write_file_atomically(result.output, result.text, 0600, Durability::process_crash));
  }
  return result;
}

} // namespace

Awaitable<TraceDistillResult>
distill_traces(TraceRoom room, TraceDistillParams params, RequestContext context) {
  if (params.sources.empty() || params.sources.size() > k_max_sources) {
    co_return fail(ErrorCode::invalid_argument,
                   "params.sources: 1 to 100 sessions are to be named");
  }
  if (params.tokens < static_cast<std::int64_t>(distill::k_least_tokens)) {
    co_return fail(ErrorCode::invalid_argument,
                   "params.tokens: what happened in a session takes 1000 at least");
  }
  context.release();
  auto work = [&](archive::Archive& archive) { return distill_all(archive, params, context); };
  AWAIT(Result<TraceDistillResult> result, room.desk.with(std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
