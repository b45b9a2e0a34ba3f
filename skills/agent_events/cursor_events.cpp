#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

// `{"readToolCall": {"args": {..}, "result": {..}}}`: the tool is the one member.
void read_call(const Json& event, Recorder& recorder) {
  bool is_completed = text_of(event, "subtype") == "completed";
  std::string_view id = text_of(event, "call_id");
  for (const auto& [tool, call] : object_of(event, "tool_call").items()) {
    if (!is_completed || id.empty()) {
      bool can_read = tool == "readToolCall" || tool == "shellToolCall";
      recorder.call(
          id, tool, can_read ? skills_read_by(object_of(call, "args")) : std::set<std::string>());
    } else {
      const Json& result = object_of(call, "result");
      recorder.result(id, !result.contains("error") && !result.contains("rejected"));
    }
    return;
  }
}

void read_result(const Json& event, Recorder& recorder) {
  if (flag_of(event, "is_error").value_or(true)) {
    recorder.fail(text_of(event, "result"));
    return;
  }
  recorder.say(text_of(event, "result"));
  recorder.done();
}

} // namespace

// As others report it; tokens are not told.
void read_cursor_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  if (type == "system") {
    recorder.model(text_of(event, "model"));
  } else if (type == "assistant") {
    for (const Json& part : array_of(object_of(event, "message"), "content")) {
      recorder.say(text_of(part, "text"));
    }
  } else if (type == "tool_call") {
    read_call(event, recorder);
  } else if (type == "result") {
    read_result(event, recorder);
  } else if (type != "user" && type != "thinking") {
    ++recorder.run.unknown_events;
  }
}

} // namespace upskill::agent_events
