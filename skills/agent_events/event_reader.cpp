#include "skills/agent_events/event_reader.h"

#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace upskill::agent_events {
namespace {

using ReadEvent = void (*)(const nlohmann::json& event, Recorder& recorder);

ReadEvent reader_of(Agent agent) {
  switch (agent) {
  case Agent::claude_code:
    return read_claude_event;
  case Agent::codex:
    return read_codex_event;
  case Agent::gemini:
    return read_gemini_event;
  case Agent::opencode:
    return read_opencode_event;
  case Agent::copilot:
    return read_copilot_event;
  case Agent::cursor:
    break;
  }
  return read_cursor_event;
}

} // namespace

EventReader::EventReader(Agent agent, std::vector<std::string> placed)
    : m_agent(agent)
    , m_recorder(std::make_unique<Recorder>(std::move(placed))) {}

EventReader::~EventReader() = default;

void EventReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    std::string_view part = bytes.substr(0, end);
    if (m_line.size() + part.size() > k_max_event) {
      m_is_too_long = true;
      part = {};
    }
    m_line += part;
    if (end == std::string_view::npos) {
      return;
    }
    bytes.remove_prefix(end + 1);
    if (std::exchange(m_is_too_long, false)) {
      ++m_recorder->run.broken_events;
    } else {
      take_line(m_line);
    }
    m_line.clear();
  }
}

void EventReader::take_line(std::string_view line) {
  std::size_t start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos || line[start] != '{') {
    return;
  }
  nlohmann::json event = line.size() > k_max_event ? nlohmann::json() : parse_event(line);
  if (!event.is_object()) {
    ++m_recorder->run.broken_events;
    return;
  }
  reader_of(m_agent)(event, *m_recorder);
}

void EventReader::take_usage_file(std::string_view text) {
  if (m_agent == Agent::copilot && text.size() <= k_max_event) {
    read_copilot_usage(parse_event(text), *m_recorder);
  }
}

AgentRun EventReader::finish() {
  if (std::exchange(m_is_too_long, false)) {
    ++m_recorder->run.broken_events;
  } else {
    take_line(m_line);
  }
  m_line.clear();
  m_recorder->finish();
  return std::move(m_recorder->run);
}

} // namespace upskill::agent_events
