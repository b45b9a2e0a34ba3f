#include "daemon/models/wire.h"

#include "daemon/models/anthropic_wire.h"
#include "daemon/models/chat_wire.h"
#include "daemon/models/responses_wire.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::models {

using Json = nlohmann::json;

bool WireTarget::leaves_out(std::string_view field) const {
  auto is_out = [&](const std::vector<std::string>& fields) {
    return std::ranges::find(fields, field) != fields.end();
  };
  return is_out(left_out) || is_out(model.rejects);
}

Result<void> AnswerReader::take(std::string_view bytes) {
  m_size += bytes.size();
  if (m_size > k_longest_answer) {
    return fail(ErrorCode::too_large,
                fmt::format("the server's answer is longer than {} bytes", k_longest_answer));
  }
  if (!m_is_stream) {
    m_body += bytes;
    std::size_t first = m_body.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    if (first == std::string::npos || (m_body.size() - first < 6 && m_body[first] != '{')) {
      return {};
    }
    std::string_view rest = std::string_view(m_body).substr(first);
    m_is_stream = rest.starts_with(':') || rest.starts_with("data:") || rest.starts_with("event:")
                  || rest.starts_with("id:") || rest.starts_with("retry:");
    if (!*m_is_stream) {
      return {};
    }
    std::string begun = std::exchange(m_body, {});
    return m_events.take(begun, [this](const SseEvent& one) { event(one); });
  }
  if (!*m_is_stream) {
    m_body += bytes;
    return {};
  }
  return m_events.take(bytes, [this](const SseEvent& one) { event(one); });
}

void AnswerReader::event(const SseEvent& event) {
  if (m_said) {
    return;
  }
  if (event.data == "[DONE]") {
    return on_done();
  }
  Json data = parse_json(event.data);
  if (!data.is_object()) {
    m_is_garbled = m_is_garbled || event.data.starts_with('{');
    return; // a ping of words, or an event of tomorrow
  }
  bool is_error =
      event.name == "error" || data.value("type", Json()) == "error" || data.contains("error");
  if (is_error) {
    if (auto said = server_error_in(data, 200)) {
      return fail_with(std::move(*said));
    }
  }
  on_event(data);
}

Result<void> AnswerReader::take_document(int status) {
  Json document = parse_json(m_body);
  if (auto said = server_error_in(document, status)) {
    fail_with(std::move(*said));
    return {};
  }
  if (!document.is_object()) {
    return fail(ErrorCode::corrupt,
                "the server's answer is no JSON: `" + short_quote(m_body.substr(0, 16'384)) + "`",
                "check the base URL");
  }
  on_document(document);
  return {};
}

AnswerOrFailure AnswerReader::finish(int status,
                                     const Headers& headers,
                                     std::int64_t unix_ms,
                                     std::string_view where,
                                     std::string_view model) {
  bool is_stream = m_is_stream.value_or(false);
  if (status < 200 || status >= 300) {
    ServerError said = m_said ? *m_said : read_server_error(status, m_body);
    return tl::make_unexpected(failure_of(said, headers, unix_ms, where, model));
  }
  if (!is_stream && !m_body.empty()) {
    if (Result<void> taken = take_document(status); !taken) {
      return tl::make_unexpected(Failure{.error = std::move(taken).error()});
    }
  }
  if (m_said) {
    Failure failure = failure_of(*m_said, headers, unix_ms, where, model);
    failure.may_retry = failure.may_retry && !m_has_content;
    return tl::make_unexpected(std::move(failure));
  }
  if (m_is_garbled) { // what is missing may be all that was asked for
    Error error{ErrorCode::corrupt,
                fmt::format("the answer of `{}` has a piece that is no JSON", where),
                {}};
    return tl::make_unexpected(Failure{.error = std::move(error)});
  }
  if (!m_is_complete) {
    Error error{is_stream || m_body.empty() ? ErrorCode::unavailable : ErrorCode::corrupt,
                is_stream || m_body.empty()
                    ? fmt::format("the answer of `{}` was cut off", where)
                    : fmt::format("the answer of `{}` has not the form of one", where),
                {}};
    bool may_retry = error.code == ErrorCode::unavailable && !m_has_content;
    return tl::make_unexpected(Failure{.error = std::move(error), .may_retry = may_retry});
  }
  at_end();
  for (ToolCall& call : m_answer.calls) {
    call.arguments = tool_arguments(call.arguments);
  }
  if (!m_answer.calls.empty() && m_answer.stop == Stop::end) {
    m_answer.stop = Stop::tool_use;
  }
  return std::move(m_answer);
}

void AnswerReader::add_text(std::string_view text) {
  m_answer.text += text;
  m_has_content = m_has_content || !text.empty();
}

void AnswerReader::fail_with(ServerError said) {
  m_said = std::move(said);
}

Result<WireCall> write_call(const Request& request, const WireTarget& target) {
  switch (target.model.wire) {
  case Wire::anthropic:
    return write_anthropic_call(request, target);
  case Wire::chat:
    return write_chat_call(request, target);
  case Wire::responses:
    return write_responses_call(request, target);
  case Wire::scripted:
    break;
  }
  return fail(ErrorCode::unsupported,
              "the model `scripted` needs rules to answer by",
              "name the file that has them");
}

std::unique_ptr<AnswerReader> make_reader(Wire wire) {
  switch (wire) {
  case Wire::anthropic:
    return std::make_unique<AnthropicReader>();
  case Wire::responses:
    return std::make_unique<ResponsesReader>();
  default:
    return std::make_unique<ChatReader>();
  }
}

std::string system_text(const Request& request, bool has_schema_in_words) {
  if (!has_schema_in_words || request.answer_schema.empty()) {
    return request.system;
  }
  return request.system + (request.system.empty() ? "" : "\n\n")
         + "Answer with JSON only, without a fence, that fits this JSON Schema:\n"
         + request.answer_schema;
}

} // namespace upskill::models
