#include "protocol/base/utc.h"
#include "skills/trace_export/exporter.h"
#include "skills/trace_export/json_pieces.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace upskill::trace_export {
namespace {

using trace::Event;
using trace::EventForm;
using trace::EventKind;
using trace::Usage;

// What is longer is gone on with in another step.
constexpr std::size_t k_longest = 4u << 20;

void add_to_list(std::string& list, std::string_view json) {
  list += list.empty() ? "" : ",";
  list += json;
}

// ATIF counts what the cache served within the prompt.
std::optional<std::int64_t> prompt_tokens(const Usage& usage) {
  if (!usage.input && !usage.cache_read && !usage.cache_write) {
    return std::nullopt;
  }
  return usage.input.value_or(0) + usage.cache_read.value_or(0) + usage.cache_write.value_or(0);
}

std::string metrics(const Usage& usage, std::string_view prefix) {
  std::string json;
  JsonObject members(json);
  std::string lead(prefix);
  if (std::optional<std::int64_t> prompt = prompt_tokens(usage)) {
    members.number(lead + "prompt_tokens", *prompt);
  }
  if (usage.output) {
    members.number(lead + "completion_tokens", *usage.output);
  }
  if (usage.cache_read) {
    members.number(lead + "cached_tokens", *usage.cache_read);
  }
  if (usage.cost) {
    members.decimal(lead + "cost_usd", *usage.cost);
  }
  if (usage.cache_write) { // it has no place of its own, and is counted within the prompt
    members.raw("extra", "{\"cache_write_tokens\":" + std::to_string(*usage.cache_write) + "}");
  }
  members.end();
  return json;
}

struct Step {
  std::string_view source = {};
  std::string id = {}; // of its first record
  std::string parent = {};
  std::uint64_t offset = 0;
  std::optional<std::int64_t> time_ms = {};
  std::string answer = {}; // id of the model's message
  std::string model = {};
  std::string message = {};
  std::string reasoning = {};
  std::string calls = {};   // JSON, without brackets
  std::string results = {}; // the same
  std::vector<std::string> call_ids = {};
  std::string failed = {};     // ids of calls, as JSON without brackets
  std::string exit_codes = {}; // id: code, as JSON without braces
  std::string late_call = {};  // of the only result, whose call is in an earlier step
  std::optional<Usage> usage = {};
  std::string skill = {};   // that was at work
  bool is_rest = false;     // of an answer whose tokens stand at the step before
  bool is_replayed = false; // of the session that this one was forked from

  std::size_t size() const {
    return message.size() + reasoning.size() + calls.size() + results.size();
  }
};

// Harbor's Agent Trajectory Interchange Format 1.7 (facts: traces.md, Interchange).
class AtifExporter : public Exporter {
public:
  AtifExporter(trace::Format source, trace::TextFilter* filter)
      : Exporter(source, filter) {}

  void finish() override {
    end_step();
    begin();
    m_out += "]";
    trace::SessionSummary session = this->session();
    std::string totals = metrics(session.tokens, "total_");
    totals.pop_back();
    totals += totals.size() > 1 ? "," : "";
    m_out += ",\"final_metrics\":" + totals + "\"total_steps\":" + std::to_string(m_steps) + "}";
    m_out += ",\"extra\":";
    JsonObject extra(m_out);
    extra.string_if("title", session.title);
    extra.string_if("cwd", session.cwd);
    extra.string_if("branch", session.branch);
    extra.string_if("forked_from", session.forked_from);
    extra.string_if("first_record", session.first_record);
    extra.string("outcome", enum_name(session.outcome));
    if (m_asides > 0) {
      extra.number("helper_events_left_out", static_cast<std::int64_t>(m_asides));
    }
    extra.end();
    m_out += "}\n";
  }

protected:
  void write(const Event& event) override {
    switch (event.kind) {
    case EventKind::assistant:
    case EventKind::tool_call:
      return take_answer(event);
    case EventKind::tool_result:
      return take_result(event);
    case EventKind::user:
    case EventKind::meta:
      break;
    }
    if (event.form == EventForm::usage) {
      return take_usage(event);
    }
    if (event.text.empty() && event.images == 0) {
      return;
    }
    end_step();
    open_step(is_of_person(event) ? "user" : "system", event);
    m_step->message = words_of(event);
    m_step->skill = event.skill;
    end_step();
  }

private:
  void open_step(std::string_view source, const Event& event) {
    m_step.emplace();
    m_step->source = source;
    m_step->id = event.envelope->id;
    m_step->parent = event.envelope->parent;
    m_step->offset = event.envelope->offset;
    m_step->time_ms = event.envelope->time_ms;
    m_step->is_replayed = is_replayed();
  }

  // Whether this is said in the same breath as what is in the step.
  bool goes_on(const Event& event) const {
    if (!m_step || m_step->source != "agent" || m_step->size() > k_longest
        || m_step->is_replayed != is_replayed()) {
      return false;
    }
    // What is said about results comes after them; in a step it would come before.
    if (!m_step->results.empty() && event.kind == EventKind::assistant) {
      return false;
    }
    if (!event.message.empty() || !m_step->answer.empty()) {
      return event.message == m_step->answer;
    }
    return m_step->offset == event.envelope->offset
           || (m_step->results.empty() && event.kind == EventKind::tool_call);
  }

  void take_answer(const Event& event) {
    if (!goes_on(event)) {
      bool is_rest = m_step && m_step->usage && m_step->source == "agent"
                     && m_step->answer == event.message
                     && (!event.message.empty() || m_step->offset == event.envelope->offset);
      end_step();
      open_step("agent", event);
      m_step->answer = event.message;
      m_step->is_rest = is_rest;
    }
    if (m_step->skill.empty()) {
      m_step->skill = event.skill;
    }
    if (m_step->model.empty()) {
      m_step->model = event.model;
    }
    take_usage(event);
    if (event.kind == EventKind::tool_call) {
      return add_call(event);
    }
    std::string words = words_of(event);
    std::string& into = event.form == EventForm::thinking ? m_step->reasoning : m_step->message;
    into += into.empty() || words.empty() ? "" : "\n\n";
    into += words;
  }

  void add_call(const Event& event) {
    std::string json;
    JsonObject call(json);
    call.string("tool_call_id", event.call);
    call.string("function_name", event.name);
    call.raw("arguments", arguments_object(event.text, m_filter));
    call.end();
    add_to_list(m_step->calls, json);
    m_step->call_ids.emplace_back(event.call);
  }

  void take_result(const Event& event) {
    bool is_here = m_step && m_step->size() <= k_longest
                   && std::find(m_step->call_ids.begin(), m_step->call_ids.end(), event.call)
                          != m_step->call_ids.end();
    if (!is_here) {
      end_step();
      open_step("system", event);
      m_step->late_call = event.call;
    }
    std::string json;
    JsonObject result(json);
    if (is_here) {
      result.string("source_call_id", event.call);
    }
    result.string("content", words_of(event));
    result.end();
    add_to_list(m_step->results, json);
    std::string id;
    append_json_string(id, event.call);
    if (failed(event)) {
      add_to_list(m_step->failed, id);
    }
    if (event.exit_code) {
      add_to_list(m_step->exit_codes, id + ":" + std::to_string(*event.exit_code));
    }
    if (!is_here) {
      end_step();
    }
  }

  // Records of one answer repeat its tokens: the largest output counts. A total is of no step.
  void take_usage(const Event& event) {
    if (!m_step || !event.usage || event.usage->is_total || event.message != m_step->answer
        || m_step->is_rest) {
      return;
    }
    if (!m_step->usage || event.usage->output.value_or(0) > m_step->usage->output.value_or(0)) {
      m_step->usage = event.usage;
    }
  }

  void end_step() {
    if (!m_step) {
      return;
    }
    Step step = std::move(*m_step);
    m_step.reset();
    if (step.size() == 0) {
      return;
    }
    begin();
    m_out += m_steps == 0 ? "\n" : ",\n";
    JsonObject members(m_out);
    members.number("step_id", static_cast<std::int64_t>(++m_steps));
    if (step.time_ms) {
      members.string("timestamp", rfc3339(*step.time_ms));
    }
    members.string("source", step.source);
    members.string_if("model_name", step.model);
    members.string("message", step.message);
    members.string_if("reasoning_content", step.reasoning);
    if (!step.calls.empty()) {
      members.raw("tool_calls", "[" + step.calls + "]");
    }
    if (!step.results.empty()) {
      members.raw("observation", "{\"results\":[" + step.results + "]}");
    }
    if (step.usage) {
      members.raw("metrics", metrics(*step.usage, ""));
    }
    if (step.is_replayed) {
      members.raw("is_copied_context", "true");
    }
    members.raw("extra", extra_of(step));
    members.end();
  }

  static std::string extra_of(const Step& step) {
    std::string json;
    JsonObject extra(json);
    extra.number("offset", static_cast<std::int64_t>(step.offset));
    extra.string_if("id", step.id);
    extra.string_if("parent", step.parent);
    extra.string_if("message", step.answer);
    extra.string_if("skill", step.skill);
    extra.string_if("call", step.late_call);
    if (!step.failed.empty()) {
      extra.raw("failed_calls", "[" + step.failed + "]");
    }
    if (!step.exit_codes.empty()) {
      extra.raw("exit_codes", "{" + step.exit_codes + "}");
    }
    extra.end();
    return json;
  }

  // Up to the first step: what is known of the session by then; the rest is in `extra` at the end.
  void begin() {
    if (std::exchange(m_has_begun, true)) {
      return;
    }
    trace::SessionSummary session = this->session();
    std::string agent;
    JsonObject members(agent);
    members.string("name", session.harness.empty() ? "unknown" : session.harness);
    members.string("version", session.version.empty() ? "unknown" : session.version);
    members.string_if("model_name",
                      session.models.empty() ? std::string_view{} : session.models.front());
    members.end();
    JsonObject head(m_out);
    head.string("schema_version", "ATIF-v1.7");
    head.string("session_id", session.session);
    head.string_if("trajectory_id", session.agent);
    head.raw("agent", agent);
    head.raw("steps", "[");
  }

  std::optional<Step> m_step = {};
  std::uint64_t m_steps = 0;
  bool m_has_begun = false;
};

} // namespace

std::unique_ptr<Exporter> make_atif_exporter(trace::Format source, trace::TextFilter* filter) {
  return std::make_unique<AtifExporter>(source, filter);
}

} // namespace upskill::trace_export
