#pragma once
#include "protocol/codec/writer.h"
#include "protocol/mcp/answer.h"
#include "protocol/mcp/byte_budget.h"
#include "protocol/mcp/call.h"
#include "protocol/rpc/message.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// What a legacy client is being asked, by requests of ours, while calls of its wait for that.
// Owned by a session. Bounded, because the client decides how long it takes and what it says.
class Questions {
public:
  static constexpr std::size_t k_max_at_once = 8;       // of one call
  static constexpr int k_max_rounds = 16;               // of one call
  static constexpr std::size_t k_max_bytes = 16u << 20; // answers kept for calls that still wait

  // A call whose questions came to an end: with all answers, or with an error.
  struct Settled {
    CallId call = 0;
    std::string responses = {}; // as Call::input_responses
    std::string state = {};     // of the InputRequired
    std::optional<Error> failure = {};
  };

  bool empty() const { return m_rounds.empty(); }

  bool is_asking(CallId call) const;
  std::vector<CallId> asking() const;

  // Writes a request for each question. `next_id` gives the ids, JSON strings that were never used.
  // The caller has checked that the call is not asking, and what it asks.
  void ask(CallId call,
           InputRequired required,
           const std::function<std::string()>& next_id,
           std::string& output);
  // Takes a response, whose bytes are of `budget`; whatever answers no open question is ignored.
  // What is still open of a call that failed is withdrawn, telling the client by `output`.
  std::optional<Settled>
  take(const rpc::Message& response, ByteBudget& budget, std::string& output);
  // Forgets a call; the client is told that its open questions need no answer.
  void withdraw(CallId call, std::string& output);

  void clear() { m_rounds.clear(); }

private:
  struct Question {
    std::string id = {}; // JSON string
    std::string key = {};
    InputKind kind = InputKind::elicitation;
    bool is_open = true;
    std::string answer = {}; // JSON object
    ByteBudget::Share held = {};
  };

  struct Round {
    CallId call = 0;
    std::string state = {};
    std::vector<Question> questions = {};
  };

  void settle(std::vector<Round>::iterator round, std::string& output);
  std::optional<Error> failure_of(const Question& question, const rpc::Message& response) const;

  std::vector<Round> m_rounds = {};
  std::size_t m_bytes = 0; // of all answers
};

// What is wrong with an InputRequired, which is ours; empty when nothing is.
std::string fault_of(const InputRequired& required);

// `{"method":...,"params":...}`, by key, as a member `inputRequests` of the object being written.
void write_input_requests(JsonWriter& json, const std::vector<InputRequest>& requests);

} // namespace upskill::mcp
