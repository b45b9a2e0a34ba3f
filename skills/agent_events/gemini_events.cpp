#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

void read_call(const Json& event, Recorder& recorder) {
  std::string_view tool = text_of(event, "tool_name");
  const Json& parameters = object_of(event, "parameters");
  std::set<std::string> skills;
  if (tool == "activate_skill") {
    skills = skill_called(text_of(parameters, "name"));
  } else if (tool == "read_file" || tool == "run_shell_command") {
    skills = skills_read_by(parameters);
  }
  recorder.call(text_of(event, "tool_id"), tool, std::move(skills));
}

// `input_tokens` is with what the cache served, thoughts are in the total only. A request that
// failed is told as one of no tokens.
void read_stats(const Json& stats, Recorder& recorder) {
  AgentRun& run = recorder.run;
  std::optional<std::int64_t> input = count_of(stats, "input_tokens");
  std::optional<std::int64_t> output = count_of(stats, "output_tokens");
  std::optional<std::int64_t> total = count_of(stats, "total_tokens");
  for (const auto& [name, of_model] : object_of(stats, "models").items()) {
    recorder.model(name);
  }
  if (total == 0) {
    return;
  }
  run.usage.cache_read = count_of(stats, "cached");
  run.usage.input = less(input, run.usage.cache_read);
  run.usage.output = output;
  if (input && output && total) {
    run.usage.reasoning = less(total, sum(input, output));
    run.usage.output = sum(output, run.usage.reasoning);
  }
}

} // namespace

void read_gemini_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  if (type == "init") {
    return; // its model may be `auto`; the statistics name those that answered
  }
  if (type == "message") {
    if (text_of(event, "role") == "assistant") {
      if (!flag_of(event, "delta").value_or(false)) {
        recorder.begin_text();
      }
      recorder.say_more(text_of(event, "content"));
    }
  } else if (type == "tool_use") {
    read_call(event, recorder);
  } else if (type == "tool_result") {
    recorder.result(text_of(event, "tool_id"), text_of(event, "status") == "success");
  } else if (type == "error") {
    recorder.trouble(text_of(event, "message"));
  } else if (type == "result") {
    read_stats(object_of(event, "stats"), recorder);
    if (text_of(event, "status") == "success") {
      recorder.done();
    } else {
      recorder.fail(text_of(object_of(event, "error"), "message"));
    }
  } else {
    ++recorder.run.unknown_events;
  }
}

} // namespace upskill::agent_events
