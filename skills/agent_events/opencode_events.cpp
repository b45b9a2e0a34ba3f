#include "skills/agent_events/event_json.h"
#include "skills/agent_events/read_events.h"
#include "skills/agent_events/recorder.h"
#include "skills/agent_events/skill_paths.h"

#include <nlohmann/json.hpp>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

// One event for a call and what became of it.
void read_call(const Json& part, Recorder& recorder) {
  std::string_view tool = text_of(part, "tool");
  const Json& state = object_of(part, "state");
  const Json& input = object_of(state, "input");
  std::set<std::string> skills;
  if (tool == "skill") {
    skills = skill_called(text_of(input, "name"));
  } else if (tool == "read" || tool == "bash") {
    skills = skills_read_by(input);
  }
  std::string_view id = text_of(part, "callID");
  recorder.call(id, tool, std::move(skills));
  std::string_view status = text_of(state, "status");
  recorder.result(id, status == "completed");
  if (status == "error") {
    recorder.trouble(text_of(state, "error"));
  }
}

// Each step tells its own; the output is without reasoning. A price of 0 is one that it does not
// know.
void read_step(const Json& part, AgentRun& run) {
  const Json& tokens = object_of(part, "tokens");
  const Json& cache = object_of(tokens, "cache");
  Usage& usage = run.usage;
  std::optional<std::int64_t> reasoning = count_of(tokens, "reasoning");
  usage.input = sum(usage.input, count_of(tokens, "input"));
  usage.output = sum(usage.output, sum(count_of(tokens, "output"), reasoning));
  usage.reasoning = sum(usage.reasoning, reasoning);
  usage.cache_read = sum(usage.cache_read, count_of(cache, "read"));
  usage.cache_write = sum(usage.cache_write, count_of(cache, "write"));
  if (double cost = amount_of(part, "cost").value_or(0); cost > 0) {
    run.cost = run.cost.value_or(0) + cost;
    run.cost_basis = "agent";
  }
  run.turns = sum(run.turns, 1);
}

std::string_view why_failed(const Json& error) {
  std::string_view said = text_of(object_of(error, "data"), "message");
  said = said.empty() ? text_of(error, "message") : said;
  return said.empty() ? text_of(error, "name") : said;
}

} // namespace

void read_opencode_event(const Json& event, Recorder& recorder) {
  std::string_view type = text_of(event, "type");
  const Json& part = object_of(event, "part");
  if (type == "step_start") {
    recorder.begin_text();
  } else if (type == "text") {
    recorder.say_more(text_of(part, "text"));
  } else if (type == "tool_use") {
    read_call(part, recorder);
  } else if (type == "step_finish") {
    read_step(part, recorder.run);
    // There is no last event: a step that asks for no tool is the last one.
    if (text_of(part, "reason") != "tool-calls") {
      recorder.done();
    }
  } else if (type == "error") {
    const Json& error = object_of(event, "error");
    recorder.status(count_of(object_of(error, "data"), "statusCode"));
    recorder.fail(why_failed(error));
  } else if (type != "reasoning") {
    ++recorder.run.unknown_events;
  }
}

} // namespace upskill::agent_events
