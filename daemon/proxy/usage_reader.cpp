#include "daemon/proxy/usage_reader.h"

#include "daemon/models/wire_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::proxy {

using Json = nlohmann::json;
using models::count_member;
using models::object_member;
using models::text_member;

namespace {

using Count = std::optional<std::int64_t>;

void take_count(Count& into, const Json& usage, std::string_view key) {
  if (Count count = count_member(usage, key)) {
    into = count;
  }
}

// What the cache served is told apart: servers that count it with the prompt tell it twice.
Count without(const Count& all, const Count& part) {
  return all ? Count(std::max<std::int64_t>(*all - part.value_or(0), 0)) : std::nullopt;
}

} // namespace

UsageReader::UsageReader(AgentWire wire)
    : m_wire(wire)
    , m_events(k_max_agent_answer) {}

void UsageReader::take(std::string_view bytes) {
  if (m_is_broken) {
    return;
  }
  std::string begun;
  if (!m_is_stream) {
    m_body += bytes;
    std::size_t first = m_body.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    if (first == std::string::npos) {
      m_is_broken = m_body.size() > k_max_agent_answer;
      return;
    }
    m_is_stream = m_body[first] != '{' && m_body[first] != '[';
    if (!*m_is_stream) {
      return;
    }
    begun = std::exchange(m_body, {});
    bytes = begun;
  }
  if (!*m_is_stream) {
    m_is_broken = m_body.size() + bytes.size() > k_max_agent_answer;
    if (!m_is_broken) {
      m_body += bytes;
    }
    return;
  }
  m_is_broken = !m_events.take(bytes, [this](const models::SseEvent& event) { take_event(event); });
}

void UsageReader::finish() {
  if (m_is_broken) {
    m_usage = {};
    return;
  }
  if (m_body.empty()) {
    return;
  }
  Json document = models::parse_json(m_body);
  if (document.is_array()) { // Gemini's stream without `alt=sse`
    for (const Json& one : document) {
      take_object(one, true);
    }
  } else {
    take_object(document, true);
  }
}

void UsageReader::take_event(const models::SseEvent& event) {
  if (event.data == "[DONE]") {
    m_is_complete = true;
    return;
  }
  take_object(models::parse_json(event.data), false);
}

void UsageReader::take_object(const Json& data, bool is_document) {
  if (!data.is_object()) {
    return;
  }
  switch (m_wire) {
  case AgentWire::anthropic:
    return take_anthropic(data, is_document);
  case AgentWire::chat:
    m_is_complete = m_is_complete || (is_document && data.contains("choices"));
    return take_chat(data);
  case AgentWire::responses:
    return take_responses(data, is_document);
  case AgentWire::gemini:
    return take_gemini(data);
  }
}

void UsageReader::take_anthropic(const Json& data, bool is_document) {
  std::string type = text_member(data, "type");
  const Json& holder = type == "message_start" ? object_member(data, "message") : data;
  if (is_document || type == "message_start") {
    m_model = text_member(holder, "model");
  }
  m_is_complete = m_is_complete || type == "message_stop" || (is_document && type == "message");
  const Json& usage = object_member(holder, "usage"); // of message_delta: cumulative
  take_count(m_usage.input, usage, "input_tokens");
  take_count(m_usage.cache_read, usage, "cache_read_input_tokens");
  take_count(m_usage.cache_write, usage, "cache_creation_input_tokens");
  take_count(m_usage.output, usage, "output_tokens");
}

void UsageReader::take_chat(const Json& data) {
  if (std::string model = text_member(data, "model"); !model.empty()) {
    m_model = std::move(model);
  }
  const Json& usage = object_member(data, "usage");
  if (usage.empty()) {
    return;
  }
  m_usage.cache_read = count_member(object_member(usage, "prompt_tokens_details"), "cached_tokens");
  m_usage.input = without(count_member(usage, "prompt_tokens"), m_usage.cache_read);
  m_usage.output = count_member(usage, "completion_tokens");
  m_usage.reasoning =
      count_member(object_member(usage, "completion_tokens_details"), "reasoning_tokens");
}

void UsageReader::take_responses(const Json& data, bool is_document) {
  const Json& answer = is_document ? data : object_member(data, "response");
  if (std::string model = text_member(answer, "model"); !model.empty()) {
    m_model = std::move(model);
  }
  std::string status = text_member(answer, "status");
  m_is_complete = m_is_complete || status == "completed" || status == "incomplete";
  const Json& usage = object_member(answer, "usage");
  if (usage.empty()) {
    return;
  }
  m_usage.cache_read = count_member(object_member(usage, "input_tokens_details"), "cached_tokens");
  m_usage.input = without(count_member(usage, "input_tokens"), m_usage.cache_read);
  m_usage.output = count_member(usage, "output_tokens");
  m_usage.reasoning =
      count_member(object_member(usage, "output_tokens_details"), "reasoning_tokens");
}

// Each event tells the sum so far. `thoughtsTokenCount` is beside the candidates', not in it.
void UsageReader::take_gemini(const Json& data) {
  if (std::string model = text_member(data, "modelVersion"); !model.empty()) {
    m_model = std::move(model);
  }
  auto candidates = data.find("candidates");
  if (candidates != data.end() && candidates->is_array() && !candidates->empty()) {
    const Json& first = candidates->front();
    m_is_complete =
        m_is_complete || (first.is_object() && !text_member(first, "finishReason").empty());
  }
  const Json& usage = object_member(data, "usageMetadata");
  if (usage.empty()) {
    return;
  }
  take_count(m_usage.cache_read, usage, "cachedContentTokenCount");
  if (Count prompt = count_member(usage, "promptTokenCount")) {
    Count tools = count_member(usage, "toolUsePromptTokenCount");
    m_usage.input = without(Count(*prompt + tools.value_or(0)), m_usage.cache_read);
  }
  take_count(m_usage.reasoning, usage, "thoughtsTokenCount");
  if (Count output = count_member(usage, "candidatesTokenCount")) {
    m_usage.output = *output + m_usage.reasoning.value_or(0);
  }
}

} // namespace upskill::proxy
