#pragma once
#include "daemon/models/wire.h"

namespace upskill::models {

// Anthropic's Messages API (models facts, 1), which llama.cpp speaks too.
Result<WireCall> write_anthropic_call(const Request& request, const WireTarget& target);

// Owner, thread, lifetime: as AnswerReader.
class AnthropicReader : public AnswerReader {
private:
  void on_event(const nlohmann::json& data) override;
  void on_document(const nlohmann::json& document) override;

  void take_block(const nlohmann::json& block);
  void take_delta(const nlohmann::json& delta);
  void take_stop(const nlohmann::json& holder);
  void take_usage(const nlohmann::json& usage);

  bool m_is_call = false; // the block that is open is a tool's
};

} // namespace upskill::models
