#include "skills/trace_export/exporter.h"
#include "skills/trace_export/json_pieces.h"

#include <utility>

namespace upskill::trace_export {
namespace {

using trace::Event;
using trace::EventForm;
using trace::EventKind;

// An answer longer than this is several messages.
constexpr std::size_t k_longest = 4u << 20;

// What a model said at once: its records follow each other and have the same id.
struct Answer {
  std::string message = {};
  std::uint64_t offset = 0;
  std::optional<std::int64_t> time_ms = {};
  std::string model = {};
  std::string content = {};
  std::string reasoning = {};
  std::string calls = {}; // JSON, without brackets
};

// The Session Trace Simple Format (facts: traces.md, Interchange): a line for the session, and one
// for each message.
class StsExporter : public Exporter {
public:
  StsExporter(trace::Format source, trace::TextFilter* filter)
      : Exporter(source, filter) {}

  void finish() override {
    end_answer();
    begin();
  }

protected:
  void write(const Event& event) override {
    if (is_replayed()) {
      return; // the format has no mark for it
    }
    switch (event.kind) {
    case EventKind::assistant:
    case EventKind::tool_call:
      return take_answer(event);
    case EventKind::tool_result:
      end_answer();
      return write_message("tool", event, words_of(event));
    case EventKind::user:
    case EventKind::meta:
      break;
    }
    if (event.form == EventForm::usage || (event.text.empty() && event.images == 0)) {
      return;
    }
    end_answer();
    write_message(is_of_person(event) ? "user" : "system", event, words_of(event));
  }

private:
  void take_answer(const Event& event) {
    if (m_answer) {
      bool is_same = event.message.empty() ? m_answer->offset == event.envelope->offset
                                           : m_answer->message == event.message;
      std::size_t size =
          m_answer->content.size() + m_answer->reasoning.size() + m_answer->calls.size();
      if (!is_same || size > k_longest) {
        end_answer();
      }
    }
    if (!m_answer) {
      m_answer.emplace();
      m_answer->message = event.message;
      m_answer->offset = event.envelope->offset;
      m_answer->time_ms = event.envelope->time_ms;
    }
    if (m_answer->model.empty()) {
      m_answer->model = event.model;
    }
    if (event.kind == EventKind::tool_call) {
      add_call(event);
    } else {
      std::string words = words_of(event);
      std::string& into =
          event.form == EventForm::thinking ? m_answer->reasoning : m_answer->content;
      into += into.empty() || words.empty() ? "" : "\n\n";
      into += words;
    }
  }

  void add_call(const Event& event) {
    std::string& calls = m_answer->calls;
    calls += calls.empty() ? "" : ",";
    JsonObject call(calls);
    call.string("id", event.call);
    std::string function;
    JsonObject members(function);
    members.string("name", event.name);
    members.string("arguments", arguments_text(event.text, m_filter));
    members.end();
    call.raw("function", function);
    call.end();
  }

  void end_answer() {
    if (!m_answer) {
      return;
    }
    Answer answer = std::move(*m_answer);
    m_answer.reset();
    if (answer.content.empty() && answer.reasoning.empty() && answer.calls.empty()) {
      return;
    }
    begin();
    std::string json;
    JsonObject message(json);
    message.string("role", "assistant");
    message.string("content", answer.content);
    message.string_if("reasoningContent", answer.reasoning);
    if (!answer.calls.empty()) {
      message.raw("toolCalls", "[" + answer.calls + "]");
    }
    if (answer.time_ms) {
      message.number("timestamp", *answer.time_ms);
    }
    message.string_if("model", answer.model);
    message.end();
    write_line(json);
  }

  void write_message(std::string_view role, const Event& event, const std::string& words) {
    begin();
    std::string json;
    JsonObject message(json);
    message.string("role", role);
    message.string("content", words);
    if (event.kind == EventKind::tool_result) {
      message.string_if("toolCallId", event.call);
    }
    if (event.envelope->time_ms) {
      message.number("timestamp", *event.envelope->time_ms);
    }
    message.end();
    write_line(json);
  }

  void write_line(std::string_view message) {
    JsonObject line(m_out);
    line.string("type", "message");
    line.raw("message", message);
    line.end();
    m_out += '\n';
  }

  // The session's line, before the first message: what is known of it by then.
  void begin() {
    if (std::exchange(m_has_begun, true)) {
      return;
    }
    trace::SessionSummary session = this->session();
    JsonObject line(m_out);
    line.string("type", "session");
    line.string("harness", session.harness.empty() ? "unknown" : session.harness);
    line.string("id", session.session);
    line.string_if("agentId", session.agent);
    line.string_if("name", session.title);
    line.end();
    m_out += '\n';
  }

  std::optional<Answer> m_answer = {};
  bool m_has_begun = false;
};

} // namespace

std::unique_ptr<Exporter> make_sts_exporter(trace::Format source, trace::TextFilter* filter) {
  return std::make_unique<StsExporter>(source, filter);
}

} // namespace upskill::trace_export
