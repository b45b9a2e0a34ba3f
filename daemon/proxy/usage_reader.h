#pragma once
#include "daemon/models/model.h"
#include "daemon/models/sse.h"
#include "daemon/proxy/agent_wire.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::proxy {

inline constexpr std::size_t k_max_agent_answer = 32u << 20; // bytes

// Reads beside an answer that goes on to an agent, what it took: a stream of events or one
// document. It judges nothing: what it cannot read leaves the usage unknown, and the agent gets it
// all the same.
// Owner: one exchange. Thread: any, one at a time. Lifetime: the exchange's.
class UsageReader {
public:
  explicit UsageReader(AgentWire wire);

  void take(std::string_view bytes);
  // After the last byte.
  void finish();

  const models::Usage& usage() const { return m_usage; }

  const std::string& model() const { return m_model; } // as the server names it; may be empty

  // The last thing that belongs to an answer came.
  bool is_complete() const { return m_is_complete; }

private:
  void take_event(const models::SseEvent& event);
  void take_object(const nlohmann::json& data, bool is_document);
  void take_anthropic(const nlohmann::json& data, bool is_document);
  void take_chat(const nlohmann::json& data);
  void take_responses(const nlohmann::json& data, bool is_document);
  void take_gemini(const nlohmann::json& data);

  AgentWire m_wire;
  models::SseParser m_events;
  std::optional<bool> m_is_stream; // known from the first bytes
  bool m_is_broken = false;
  std::string m_body; // of a document, or what came before one could tell
  models::Usage m_usage;
  std::string m_model;
  bool m_is_complete = false;
};

} // namespace upskill::proxy
