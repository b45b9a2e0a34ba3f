#pragma once
#include "daemon/models/wire.h"

#include <map>

namespace upskill::models {

// OpenAI's Chat Completions (models facts, 2 and 3), which nearly every server speaks.
Result<WireCall> write_chat_call(const Request& request, const WireTarget& target);

// Owner, thread, lifetime: as AnswerReader.
class ChatReader : public AnswerReader {
private:
  void on_event(const nlohmann::json& data) override;
  void on_document(const nlohmann::json& document) override;
  void on_done() override;
  void at_end() override;

  void take_choice(const nlohmann::json& choice);
  void take_message(const nlohmann::json& message);
  void take_call(const nlohmann::json& call);
  void take_usage(const nlohmann::json& usage);

  std::map<std::int64_t, std::size_t> m_places; // of calls, by their index on the wire
  std::string m_refusal;
};

// The headers of both wires of OpenAI.
Headers openai_headers(const WireTarget& target);

} // namespace upskill::models
