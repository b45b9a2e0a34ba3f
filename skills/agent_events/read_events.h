#pragma once
#include <nlohmann/json_fwd.hpp>

namespace upskill::agent_events {

class Recorder;

// One event of each agent's stream; `event` is an object. Versions: README.md.
void read_claude_event(const nlohmann::json& event, Recorder& recorder);
void read_codex_event(const nlohmann::json& event, Recorder& recorder);
void read_gemini_event(const nlohmann::json& event, Recorder& recorder);
void read_opencode_event(const nlohmann::json& event, Recorder& recorder);
void read_copilot_event(const nlohmann::json& event, Recorder& recorder);
void read_cursor_event(const nlohmann::json& event, Recorder& recorder);
// The document of Copilot's `--usage-output-file`; anything else is none.
void read_copilot_usage(const nlohmann::json& document, Recorder& recorder);

} // namespace upskill::agent_events
