#include "daemon/jobs/job.h"

#include "protocol/base/utc.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"

#include <utility>

template <> struct upskill::EnumNames<upskill::mcp::InputKind> {
  static constexpr std::array<std::string_view, 3> names{"elicitation", "sampling", "roots"};
};

namespace upskill::jobs {
namespace {

// The JSON of jobs.db.
struct StoredRequest {
  std::string key;
  mcp::InputKind kind = mcp::InputKind::elicitation;
  JsonText params = {};

  static void describe(auto& f) {
    f.required(&StoredRequest::key, "key", "");
    f.required(&StoredRequest::kind, "kind", "");
    f.optional(&StoredRequest::params, "params", "");
  }
};

struct StoredAnswer {
  JsonText structured = {};
  std::string text = {};
  JsonText content = {};
  bool is_error = false;

  static void describe(auto& f) {
    f.optional(&StoredAnswer::structured, "structured", "");
    f.optional(&StoredAnswer::text, "text", "");
    f.optional(&StoredAnswer::content, "content", "");
    f.optional(&StoredAnswer::is_error, "is_error", "");
  }
};

struct StoredError {
  std::string code;
  std::string message;
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&StoredError::code, "code", "");
    f.required(&StoredError::message, "message", "");
    f.optional(&StoredError::hint, "hint", "");
  }
};

template <class T> Result<T> read_stored(std::string_view json, std::string_view what) {
  rpc::JsonParser parser;
  Result<T> decoded = fail(ErrorCode::internal, "nothing was read");
  Result<void> read =
      parser.read(json, what, [&](JsonReader& reader) { decoded = decode<T>(reader, what); });
  if (!read || !decoded) {
    const Error& error = read ? decoded.error() : read.error();
    return fail(ErrorCode::corrupt, "jobs.db: " + error.message);
  }
  return decoded;
}

ErrorCode code_named(std::string_view name) {
  for (int code = 0; code < static_cast<int>(ErrorCode::internal); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == name) {
      return static_cast<ErrorCode>(code);
    }
  }
  return ErrorCode::internal;
}

// What is no answer of the tool's: a bug of ours, and a run that was cut off.
bool is_protocol_error(const Error& error) {
  return error.code == ErrorCode::internal || error.code == ErrorCode::cancelled;
}

} // namespace

bool is_finished(JobState state) {
  return state != JobState::working && state != JobState::input_required;
}

std::string stored_error(const Error& error) {
  return encode(StoredError{std::string(to_string(error.code)), error.message, error.hint});
}

store::JobRow to_row(const Job& job) {
  store::JobRow row{.id = job.id,
                    .owner = job.owner,
                    .tool = job.tool,
                    .arguments = job.arguments,
                    .state = job.state,
                    .status_message = job.message,
                    .created_ms = job.created_ms,
                    .updated_ms = job.updated_ms,
                    .progress = job.progress,
                    .total = job.total,
                    .ttl_ms = job.ttl_ms};
  if (!job.requests.empty()) {
    std::vector<StoredRequest> requests;
    for (const mcp::InputRequest& request : job.requests) {
      requests.push_back({request.key, request.kind, {request.params}});
    }
    row.requests = encode(requests);
  }
  if (job.outcome && *job.outcome) {
    const mcp::ToolAnswer& answer = **job.outcome;
    row.result =
        encode(StoredAnswer{{answer.structured}, answer.text, {answer.content}, answer.is_error});
  } else if (job.outcome) {
    row.error = stored_error(job.outcome->error());
  }
  return row;
}

Result<Job> from_row(store::JobRow row) {
  Job job{.id = std::move(row.id),
          .owner = std::move(row.owner),
          .tool = std::move(row.tool),
          .arguments = std::move(row.arguments),
          .state = row.state,
          .message = std::move(row.status_message),
          .created_ms = row.created_ms,
          .updated_ms = row.updated_ms,
          .progress = row.progress,
          .total = row.total,
          .ttl_ms = row.ttl_ms};
  if (!row.requests.empty()) {
    TRY_ASSIGN(std::vector<StoredRequest> requests,
               read_stored<std::vector<StoredRequest>>(row.requests, "requests"));
    for (StoredRequest& request : requests) {
      job.requests.push_back(
          {std::move(request.key), request.kind, std::move(request.params.text)});
    }
  }
  if (!row.result.empty()) {
    TRY_ASSIGN(StoredAnswer answer, read_stored<StoredAnswer>(row.result, "result"));
    mcp::ToolAnswer kept;
    kept.structured = std::move(answer.structured.text);
    kept.text = std::move(answer.text);
    kept.content = std::move(answer.content.text);
    kept.is_error = answer.is_error;
    job.outcome.emplace(std::move(kept));
  } else if (!row.error.empty()) {
    TRY_ASSIGN(StoredError error, read_stored<StoredError>(row.error, "error"));
    job.outcome.emplace(
        fail(code_named(error.code), std::move(error.message), std::move(error.hint)));
  }
  return job;
}

mcp::TaskStatus task_status(const Job& job) {
  using State = mcp::TaskStatus::State;
  mcp::TaskStatus status;
  status.id = job.id;
  status.state = static_cast<State>(job.state);
  static_assert(static_cast<int>(State::cancelled) == static_cast<int>(JobState::cancelled)
                && static_cast<int>(State::completed) == static_cast<int>(JobState::completed));
  status.message = job.message;
  status.created_at = rfc3339(job.created_ms);
  status.updated_at = rfc3339(job.updated_ms);
  status.ttl_ms = job.ttl_ms;
  status.requests = job.requests;
  status.outcome = job.outcome;
  if (job.state != JobState::failed || !job.outcome) {
    return status;
  }
  if (*job.outcome) {
    status.state = State::completed;
  } else if (const Error& error = job.outcome->error(); !is_protocol_error(error)) {
    mcp::ToolAnswer answer;
    answer.text = error.hint.empty() ? error.message : error.message + "\nhint: " + error.hint;
    answer.is_error = true;
    status.state = State::completed;
    status.outcome.emplace(std::move(answer));
  }
  return status;
}

} // namespace upskill::jobs
