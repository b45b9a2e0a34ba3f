#include "protocol/mcp/questions.h"

#include "protocol/base/utf8.h"
#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/output.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"

#include <algorithm>
#include <utility>

namespace upskill::mcp {
namespace {

constexpr std::string_view k_our_ids = "\"upskill-"; // Server::State::next_request_id

// What a JSON-RPC error says; the client's words, so not for long.
std::string words_of(std::string_view error) {
  std::string words = "without words";
  rpc::JsonScanner scanner(error);
  if (scanner.peek() == JsonKind::object) {
    scanner.members([&](std::string_view key) {
      auto value = scanner.value();
      if (key == "\"message\"" && value.kind == JsonKind::string) {
        words = rpc::string_value(value.raw);
      }
    });
  }
  return std::string(utf8_prefix(words, 300));
}

Error too_much_held() {
  return {ErrorCode::busy,
          "the client's calls hold 32 MiB with this answer, or all clients' 128 MiB",
          "make the call again when others have ended"};
}

std::string_view params_of(const InputRequest& request) {
  return request.params.empty() ? std::string_view("{}") : request.params;
}

} // namespace

bool Questions::is_asking(CallId call) const {
  return std::any_of(
      m_rounds.begin(), m_rounds.end(), [&](const Round& round) { return round.call == call; });
}

std::vector<CallId> Questions::asking() const {
  std::vector<CallId> calls;
  for (const Round& round : m_rounds) {
    calls.push_back(round.call);
  }
  return calls;
}

void Questions::ask(CallId call,
                    InputRequired required,
                    const std::function<std::string()>& next_id,
                    std::string& output) {
  Round& round = m_rounds.emplace_back();
  round.call = call;
  round.state = std::move(required.state);
  for (InputRequest& request : required.requests) {
    Question& question = round.questions.emplace_back();
    question.id = next_id();
    question.kind = request.kind;
    write_request(output, question.id, method_of(request.kind), params_of(request));
    question.key = std::move(request.key);
  }
}

std::optional<Error> Questions::failure_of(const Question& question,
                                           const rpc::Message& response) const {
  std::string asked = "`" + std::string(method_of(question.kind)) + "`";
  if (!response.failure.raw.empty()) {
    return Error{ErrorCode::refused,
                 "the client answered " + asked
                     + " with an error: " + words_of(response.failure.raw)};
  }
  if (response.result.kind != JsonKind::object) {
    return Error{ErrorCode::refused, "the client's answer to " + asked + " is not an object"};
  }
  if (m_bytes + response.result.raw.size() > k_max_bytes) {
    return Error{ErrorCode::too_large, "the client's answers are longer than 16 MiB together"};
  }
  return std::nullopt;
}

std::optional<Questions::Settled>
Questions::take(const rpc::Message& response, ByteBudget& budget, std::string& output) {
  if (m_rounds.empty() || response.error_code != 0 || !response.id.starts_with(k_our_ids)) {
    return std::nullopt;
  }
  for (auto round = m_rounds.begin(); round != m_rounds.end(); ++round) {
    auto question = std::find_if(
        round->questions.begin(), round->questions.end(), [&](const Question& candidate) {
          return candidate.is_open && candidate.id == response.id;
        });
    if (question == round->questions.end()) {
      continue;
    }
    Settled settled;
    settled.call = round->call;
    settled.failure = failure_of(*question, response);
    question->is_open = false;
    if (!settled.failure) {
      std::optional<ByteBudget::Share> held = budget.take(response.result.raw.size());
      if (held) {
        question->held = std::move(*held);
      } else {
        settled.failure = too_much_held();
      }
    }
    if (settled.failure) {
      settle(round, output);
      return settled;
    }
    question->answer = rpc::with_padding(response.result.raw);
    m_bytes += question->answer.size();
    if (std::any_of(round->questions.begin(), round->questions.end(), [](const Question& other) {
          return other.is_open;
        })) {
      return std::nullopt;
    }
    JsonWriter json(settled.responses);
    json.begin_object();
    for (const Question& answered : round->questions) {
      json.raw_field(answered.key, answered.answer);
    }
    json.end_object();
    settled.state = std::move(round->state);
    settle(round, output);
    return settled;
  }
  return std::nullopt;
}

void Questions::withdraw(CallId call, std::string& output) {
  auto round = std::find_if(
      m_rounds.begin(), m_rounds.end(), [&](const Round& other) { return other.call == call; });
  if (round != m_rounds.end()) {
    settle(round, output);
  }
}

void Questions::settle(std::vector<Round>::iterator round, std::string& output) {
  for (const Question& question : round->questions) {
    m_bytes -= question.answer.size();
    if (question.is_open) {
      write_notification(output,
                         "notifications/cancelled",
                         R"({"requestId":)" + question.id
                             + R"(,"reason":"the call that asked is over"})");
    }
  }
  m_rounds.erase(round);
}

std::string fault_of(const InputRequired& required) {
  if (required.requests.empty() && required.state.empty()) {
    return "the answer asks for nothing";
  }
  if (required.requests.size() > Questions::k_max_at_once) {
    return "the answer asks for more than 8 things at once";
  }
  for (std::size_t i = 0; i < required.requests.size(); ++i) {
    const InputRequest& request = required.requests[i];
    bool is_twin = std::any_of(required.requests.begin(),
                               required.requests.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const InputRequest& other) { return other.key == request.key; });
    if (request.key.empty() || is_twin) {
      return "the answer asks for two things by one name, or by none";
    }
  }
  return {};
}

void write_input_requests(JsonWriter& json, const std::vector<InputRequest>& requests) {
  json.key("inputRequests");
  json.begin_object();
  for (const InputRequest& request : requests) {
    json.key(request.key);
    json.begin_object();
    json.field("method", method_of(request.kind));
    json.raw_field("params", params_of(request));
    json.end_object();
  }
  json.end_object();
}

} // namespace upskill::mcp
