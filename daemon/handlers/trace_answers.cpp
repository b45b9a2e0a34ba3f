#include "daemon/handlers/trace_answers.h"

#include "daemon/capture/moment_words.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"

#include <stdlib.h>
#include <sys/stat.h>

namespace upskill::daemon {
namespace {

TraceOutcome outcome_of(std::string_view word) {
  const auto& names = EnumNames<TraceOutcome>::names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == word) {
      return static_cast<TraceOutcome>(i);
    }
  }
  return TraceOutcome::unknown;
}

std::string time_of(const std::optional<std::int64_t>& ms) {
  return ms ? rfc3339(*ms) : std::string();
}

} // namespace

TraceSummary summary_of(const store::SessionRow& row) {
  TraceSummary summary;
  summary.id = to_valid_utf8(row.session);
  summary.agent = to_valid_utf8(row.harness);
  summary.helper = to_valid_utf8(row.agent);
  summary.title = row.title;
  summary.project = to_valid_utf8(row.project);
  summary.branch = row.branch;
  summary.models = row.models;
  summary.started_at = time_of(row.started_ms);
  summary.ended_at = time_of(row.ended_ms);
  summary.prompts = row.counts.prompts;
  summary.answers = row.counts.answers;
  summary.tool_calls = row.counts.tool_calls;
  summary.errors = row.counts.errors;
  summary.interrupts = row.counts.interrupts;
  summary.corrections = row.counts.corrections;
  summary.tokens = {
      row.tokens.input, row.tokens.output, row.tokens.cache_read, row.tokens.cache_write};
  summary.cost = row.tokens.cost;
  for (const store::SessionSkill& skill : row.skills) {
    summary.skills.push_back(skill.skill);
  }
  summary.outcome = outcome_of(row.outcome);
  summary.bytes = row.text_size;
  summary.source = to_valid_utf8(row.source);
  summary.format = row.format;
  summary.forked_from = to_valid_utf8(row.forked_from);
  summary.redacted = row.redacted;
  summary.raw = row.is_raw;
  return summary;
}

Result<TraceSummary> summary_of(archive::Archive& archive, const store::SessionRow& row) {
  TraceSummary summary = summary_of(row);
  if (row.candidates > 0) {
    TRY_ASSIGN(summary.flagged, archive.store().blocked(row.id));
  }
  return summary;
}

Result<std::size_t> limit_of(std::int64_t asked, std::int64_t most, std::int64_t allowed) {
  if (asked < 1 || asked > most) {
    return fail(ErrorCode::invalid_argument,
                "params.limit: must be from 1 to " + std::to_string(most));
  }
  return static_cast<std::size_t>(std::min(asked, allowed));
}

Result<std::string> output_file(const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) != 0) {
    return path;
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument,
                "params.output: " + in_backticks(path) + " is no file",
                "`-o -` prints it");
  }
  char* real = ::realpath(path.c_str(), nullptr);
  std::string found = real != nullptr ? real : path;
  ::free(real);
  return found;
}

Result<std::string>
folder_of(const std::string& folder, std::string_view name, const std::string& cwd) {
  if (folder.empty()) {
    return std::string();
  }
  if (folder.front() != '/' && cwd.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params." + std::string(name) + ": must be an absolute path");
  }
  return normalized_path(folder, cwd);
}

template <class P>
Result<store::SessionFilter>
filter_of(const P& params, const std::string& cwd, std::int64_t now_ms) {
  store::SessionFilter filter;
  filter.harness = params.agent;
  filter.tool = params.tool;
  filter.skill = params.skill;
  if (params.outcome) {
    filter.outcome = enum_name(*params.outcome);
  }
  TRY_ASSIGN(filter.project, folder_of(params.project, "project", cwd));
  if (!params.since.empty()) {
    TRY_ASSIGN(filter.since_ms, capture::moment_of(params.since, "since", now_ms));
  }
  if (!params.until.empty()) {
    TRY_ASSIGN(filter.until_ms, capture::moment_of(params.until, "until", now_ms));
  }
  return filter;
}

template Result<store::SessionFilter>
filter_of(const TraceListParams& params, const std::string& cwd, std::int64_t now_ms);
template Result<store::SessionFilter>
filter_of(const TraceSearchParams& params, const std::string& cwd, std::int64_t now_ms);

} // namespace upskill::daemon
