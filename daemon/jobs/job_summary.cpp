#include "daemon/jobs/job_summary.h"

#include "protocol/base/utc.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"

#include <utility>

namespace upskill::jobs {
namespace {

std::string_view name_of(mcp::InputKind kind) {
  switch (kind) {
  case mcp::InputKind::elicitation:
    return "elicitation";
  case mcp::InputKind::sampling:
    return "sampling";
  case mcp::InputKind::roots:
    break;
  }
  return "roots";
}

// What the client is asked by elicitation/create; the rest is the work's own affair.
struct Elicitation {
  static constexpr bool k_lenient = true;
  std::string message = {};
  JsonText schema = {};

  static void describe(auto& f) {
    f.optional(&Elicitation::message, "message", "");
    f.optional(&Elicitation::schema, "requestedSchema", "");
  }
};

JobQuestion question_of(const mcp::InputRequest& request) {
  JobQuestion question{.key = request.key, .kind = std::string(name_of(request.kind))};
  Result<Elicitation> asked = fail(ErrorCode::not_found, "it is no elicitation");
  if (request.kind == mcp::InputKind::elicitation) {
    rpc::JsonParser parser;
    Result<void> read = parser.read(request.params, "params", [&](JsonReader& reader) {
      asked = decode<Elicitation>(reader, "params");
    });
    static_cast<void>(read); // then nothing was asked that can be shown so
  }
  if (asked) {
    question.message = std::move(asked->message);
    question.schema = std::move(asked->schema);
  } else {
    question.params.text = request.params;
  }
  return question;
}

std::string result_of(const mcp::ToolAnswer& answer) {
  if (!answer.structured.empty()) {
    return answer.structured;
  }
  return answer.content.empty() ? json_string(answer.text) : answer.content;
}

std::string_view next_step(JobState state) {
  switch (state) {
  case JobState::working:
    return "look again later with action `show`, or with `wait`";
  case JobState::input_required:
    return "answer its questions with action `answer`";
  default:
    return "";
  }
}

void add_outcome(const Job& job, Detail detail, JobSummary& summary) {
  if (!*job.outcome) {
    summary.error = job.outcome->error().message;
    summary.hint = job.outcome->error().hint;
    return;
  }
  const mcp::ToolAnswer& answer = **job.outcome;
  std::string result = result_of(answer);
  if (answer.is_error && !answer.text.empty()) {
    summary.error = answer.text;
  } else if (detail == Detail::shown && result.size() > k_max_shown_result) {
    summary.hint = "the result has " + std::to_string(result.size()) + " bytes: read resource `"
                   + job_uri(job.id) + "`";
  } else {
    summary.error = answer.is_error ? "the tool failed, and `result` says why" : "";
    summary.result.text = std::move(result);
  }
}

} // namespace

JobSummary summary_of(const Job& job, Detail detail) {
  JobSummary summary{.id = job.id,
                     .tool = job.tool,
                     .state = job.state,
                     .message = job.message,
                     .progress = job.progress,
                     .total = job.total,
                     .created_at = rfc3339(job.created_ms),
                     .updated_at = rfc3339(job.updated_ms)};
  if (detail == Detail::line) {
    return summary;
  }
  for (const mcp::InputRequest& request : job.requests) {
    summary.questions.push_back(question_of(request));
  }
  summary.hint = next_step(job.state);
  if (job.outcome) {
    add_outcome(job, detail, summary);
  }
  return summary;
}

mcp::ResourceContents job_resource(const Job& job) {
  mcp::ResourceContents contents;
  contents.uri = job_uri(job.id);
  contents.mime_type = "application/json";
  contents.bytes = encode(summary_of(job, Detail::whole));
  return contents;
}

} // namespace upskill::jobs
