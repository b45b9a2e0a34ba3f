#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

// Events of these kinds say nothing that we keep.
constexpr std::array<std::string_view, 4> k_known{"session.", "assistant.", "model.", "tool."};

void read_call(const Json& data, Recorder& recorder) {
  std::string_view tool = text_of(data, "toolName");
  const Json& arguments = object_of(data, "arguments");
  std::set<std::string> skills;
  if (tool == "skill") {
    skills = skill_called(text_of(arguments, "skill"));
  } else if (tool == "view" || tool == "bash") {
    skills = skills_read_by(arguments);
  }
  recorder.call(text_of(data, "toolCallId"), tool, std::move(skills));
}

// What it said after an error means that it went on.
void read_message(const Json& data, Recorder& recorder) {
  recorder.model(text_of(data, "model"));
  std::string_view text = text_of(data, "content");
  if (!text.empty() && text_of(data, "parentToolCallId").empty()) {
    recorder.say(text);
    recorder.run.ending = Ending::cut_off;
  }
}

void read_result(const Json& event, Recorder& recorder) {
  if (count_of(event, "exitCode") == 0) {
    recorder.done();
  } else {
    recorder.fail({});
  }
}

} // namespace

void read_copilot_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  const Json& data = object_of(event, "data");
  if (type == "assistant.message") {
    read_message(data, recorder);
  } else if (type == "tool.execution_start") {
    read_call(data, recorder);
  } else if (type == "tool.execution_complete") {
    recorder.result(text_of(data, "toolCallId"), flag_of(data, "success").value_or(false));
  } else if (type == "session.skills_loaded") {
    for (const Json& skill : array_of(data, "skills")) {
      recorder.offered(text_of(skill, "name"));
    }
  } else if (type == "session.error") {
    recorder.status(count_of(data, "statusCode"));
    recorder.fail(text_of(data, "message"));
  } else if (type == "result") {
    read_result(event, recorder);
  } else if (type != "user.message" && std::ranges::none_of(k_known, [&](std::string_view prefix) {
               return type.starts_with(prefix);
             })) {
    ++recorder.run.unknown_events;
  }
}

// The input is with what the cache served and took.
void read_copilot_usage(const Json& document, Recorder& recorder) {
  for (const auto& [name, metrics] : object_of(document, "modelMetrics").items()) {
    recorder.model(name);
    const Json& told = object_of(metrics, "usage");
    Usage& usage = recorder.run.usage;
    std::optional<std::int64_t> read = count_of(told, "cacheReadTokens");
    std::optional<std::int64_t> write = count_of(told, "cacheWriteTokens");
    usage.input = sum(usage.input, less(count_of(told, "inputTokens"), sum(read, write)));
    usage.cache_read = sum(usage.cache_read, read);
    usage.cache_write = sum(usage.cache_write, write);
    usage.output = sum(usage.output, count_of(told, "outputTokens"));
    usage.reasoning = sum(usage.reasoning, count_of(told, "reasoningTokens"));
    recorder.run.turns = sum(recorder.run.turns, count_of(object_of(metrics, "requests"), "count"));
  }
}

} // namespace upskill::agent_events
