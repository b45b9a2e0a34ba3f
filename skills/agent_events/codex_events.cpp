#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

// There is no tool for skills: whoever uses one reads its SKILL.md. A later part of the same line
// may have failed, so what it printed counts too: a skill begins with its front matter.
bool has_read(const Json& item) {
  return count_of(item, "exit_code") == 0
         || text_of(item, "aggregated_output").find("name:") != std::string_view::npos;
}

void read_item(const Json& item, Recorder& recorder) {
  std::string_view type = text_of(item, "type");
  std::string_view id = text_of(item, "id");
  if (type == "agent_message") {
    recorder.say(text_of(item, "text"));
  } else if (type == "command_execution") {
    recorder.call(id, type, skills_named_in(text_of(item, "command")));
    recorder.result(id, has_read(item));
  } else if (type == "mcp_tool_call") {
    std::string tool(text_of(item, "server"));
    tool += '.';
    recorder.call(id, tool.append(text_of(item, "tool")), {});
    recorder.result(id, true);
  } else if (type == "file_change" || type == "web_search") {
    recorder.call(id, type, {});
    recorder.result(id, true);
  } else if (type == "error") {
    recorder.trouble(text_of(item, "message"));
  } else if (type != "reasoning" && type != "todo_list") {
    ++recorder.run.unknown_events;
  }
}

// Sums over the requests. The input is with what the cache served and took.
void read_usage(const Json& usage, Usage& into) {
  std::optional<std::int64_t> read = count_of(usage, "cached_input_tokens");
  std::optional<std::int64_t> write = count_of(usage, "cache_write_input_tokens");
  into.input = sum(into.input, less(count_of(usage, "input_tokens"), sum(read, write)));
  into.cache_read = sum(into.cache_read, read);
  into.cache_write = sum(into.cache_write, write);
  into.output = sum(into.output, count_of(usage, "output_tokens"));
  into.reasoning = sum(into.reasoning, count_of(usage, "reasoning_output_tokens"));
}

} // namespace

void read_codex_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  if (type == "item.completed") {
    read_item(object_of(event, "item"), recorder);
  } else if (type == "turn.completed") {
    read_usage(object_of(event, "usage"), recorder.run.usage);
    recorder.done();
  } else if (type == "turn.failed") {
    recorder.fail(text_of(object_of(event, "error"), "message"));
  } else if (type == "error") {
    recorder.trouble(text_of(event, "message")); // `Reconnecting...`: it tries again
  } else if (type != "thread.started" && type != "turn.started" && type != "item.started"
             && type != "item.updated") {
    ++recorder.run.unknown_events;
  }
}

} // namespace upskill::agent_events
