#pragma once
#include "daemon/models/wire.h"

namespace upskill::models {

// OpenAI's Responses API (models facts, 2). Nothing is stored there.
Result<WireCall> write_responses_call(const Request& request, const WireTarget& target);

// Owner, thread, lifetime: as AnswerReader.
class ResponsesReader : public AnswerReader {
private:
  void on_event(const nlohmann::json& data) override;
  void on_document(const nlohmann::json& document) override;

  void take_item(const nlohmann::json& item);
  void take_usage(const nlohmann::json& usage);

  std::string m_streamed; // text, for servers whose last event does not repeat it
};

} // namespace upskill::models
