#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

void read_init(const Json& event, Recorder& recorder) {
  recorder.run.agent_version = text_of(event, "claude_code_version").substr(0, k_max_name);
  recorder.model(text_of(event, "model"));
  for (const Json& skill : array_of(event, "skills")) {
    if (skill.is_string()) {
      recorder.offered(skill.get_ref<const std::string&>());
    }
  }
}

std::set<std::string> skills_of(std::string_view tool, const Json& input) {
  if (tool == "Skill") {
    return skill_called(text_of(input, "skill"));
  }
  return tool == "Read" || tool == "Bash" ? skills_read_by(input) : std::set<std::string>();
}

void read_assistant(const Json& event, Recorder& recorder) {
  // What an agent's own helper says is not its answer; what it uses was used.
  bool is_main = text_of(event, "parent_tool_use_id").empty();
  const Json& message = object_of(event, "message");
  recorder.model(text_of(message, "model"));
  for (const Json& part : array_of(message, "content")) {
    std::string_view type = text_of(part, "type");
    if (type == "text" && is_main) {
      recorder.say(text_of(part, "text"));
    } else if (type == "tool_use") {
      std::string_view tool = text_of(part, "name");
      recorder.call(text_of(part, "id"), tool, skills_of(tool, object_of(part, "input")));
    }
  }
}

void read_user(const Json& event, Recorder& recorder) {
  for (const Json& part : array_of(object_of(event, "message"), "content")) {
    if (text_of(part, "type") == "tool_result") {
      recorder.result(text_of(part, "tool_use_id"), !flag_of(part, "is_error").value_or(false));
    }
  }
}

// `usage` knows nothing of helpers, and a price whose basis is not the list was guessed.
void read_model_usage(const Json& models, Recorder& recorder) {
  if (models.empty()) {
    return;
  }
  AgentRun& run = recorder.run;
  run.usage = {};
  double cost = 0;
  bool is_listed = true;
  for (const auto& [name, usage] : models.items()) {
    recorder.model(name);
    run.usage.input = sum(run.usage.input, count_of(usage, "inputTokens"));
    run.usage.output = sum(run.usage.output, count_of(usage, "outputTokens"));
    run.usage.cache_read = sum(run.usage.cache_read, count_of(usage, "cacheReadInputTokens"));
    run.usage.cache_write = sum(run.usage.cache_write, count_of(usage, "cacheCreationInputTokens"));
    run.usage.reasoning = sum(run.usage.reasoning, count_of(usage, "thinkingTokens"));
    std::optional<double> price = amount_of(usage, "costUSD");
    is_listed = is_listed && price && text_of(usage, "costBasis") == "list";
    cost += price.value_or(0);
  }
  if (is_listed) {
    run.cost = cost;
    run.cost_basis = "list";
  }
}

std::string_view why_failed(const Json& event) {
  if (std::string_view said = text_of(event, "result"); !said.empty()) {
    return said;
  }
  for (const Json& said : array_of(event, "errors")) {
    if (said.is_string() && !said.get_ref<const std::string&>().empty()) {
      return said.get_ref<const std::string&>();
    }
  }
  return text_of(event, "subtype");
}

void read_result(const Json& event, Recorder& recorder) {
  recorder.run.turns = count_of(event, "num_turns");
  read_model_usage(object_of(event, "modelUsage"), recorder);
  recorder.status(count_of(event, "api_error_status"));
  // `subtype` says `success` of a 404 as well.
  if (flag_of(event, "is_error").value_or(true) || text_of(event, "subtype") != "success") {
    recorder.fail(why_failed(event));
    return;
  }
  recorder.say(text_of(event, "result"));
  recorder.done();
}

} // namespace

void read_claude_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  if (type == "system") {
    if (text_of(event, "subtype") == "init") {
      read_init(event, recorder);
    } else if (text_of(event, "subtype") == "api_retry") {
      // What it would end with if it were given the time.
      recorder.status(count_of(event, "error_status"));
      recorder.trouble(text_of(event, "error"));
    }
  } else if (type == "assistant") {
    read_assistant(event, recorder);
  } else if (type == "user") {
    read_user(event, recorder);
  } else if (type == "result") {
    read_result(event, recorder);
  } else {
    ++recorder.run.unknown_events;
  }
}

} // namespace upskill::agent_events
