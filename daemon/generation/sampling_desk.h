#pragma once
#include "daemon/models/model.h"
#include "daemon/models/question.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace upskill::generation {

// The name by which the calling agent's own model is asked.
inline constexpr std::string_view k_sampling = "sampling";

// Where the calling agent is asked instead of a server (MCP: sampling/createMessage). A question
// that the client has not answered yet is never answered in this call: the call ends with
// InputRequired, is made again with the answers, and finds by its kept answers the way back to
// where it was. So questions wait here until they are cancelled. Owner: a call. Thread: that of its
// executor. Lifetime: longer than its models.
class SamplingDesk {
public:
  // `responses`: as RequestContext::input_responses; what is no answer to sampling is ignored.
  SamplingDesk(asio::any_io_executor executor, const std::string& responses);

  // Questions that wait for the client.
  std::size_t waiting() const { return m_waiting.size(); }

  // At most as many as a client may be asked at once.
  std::vector<mcp::InputRequest> questions() const;

  void on_question(std::function<void()> tell) { m_tell = std::move(tell); }

  // corrupt: what the client said is no answer.
  asio::awaitable<Result<models::Answer>> ask(models::Request request);

private:
  runtime::Condition m_never;
  std::map<std::string, std::string> m_answers = {}; // the client's, by key
  std::map<std::string, std::string> m_waiting = {}; // parameters, by key
  std::function<void()> m_tell = {};
};

// The model behind it. Lifetime: shorter than the desk's.
class SamplingModel : public models::Model {
public:
  explicit SamplingModel(SamplingDesk& desk)
      : m_desk(desk) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request request) override;

private:
  SamplingDesk& m_desk;
};

// Who answers behind `sampling`: whichever model the client of that agent uses.
models::Identify identify_client(const std::string& client);

} // namespace upskill::generation
