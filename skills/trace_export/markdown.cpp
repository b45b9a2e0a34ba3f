#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "skills/trace_export/exporter.h"
#include "skills/trace_export/json_pieces.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace upskill::trace_export {
namespace {

using trace::Event;
using trace::EventForm;
using trace::EventKind;

// One more backtick than stand in a row anywhere in the text, and three at least.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t row = 0;
  for (char c : text) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  return std::string(longest + 1, '`');
}

// A name within a line of ours.
std::string code(std::string_view name) {
  std::string safe(utf8_prefix(name, 200));
  std::replace_if(
      safe.begin(),
      safe.end(),
      [](char c) { return c == '`' || static_cast<unsigned char>(c) < 0x20; },
      ' ');
  return safe.empty() ? "`?`" : "`" + safe + "`";
}

// A session for people. What was said is quoted, what tools took and gave is fenced, so that none
// of it can pass for a heading.
class MarkdownExporter : public Exporter {
public:
  MarkdownExporter(trace::Format source, trace::TextFilter* filter)
      : Exporter(source, filter) {}

  void finish() override {
    begin();
    tell_left_out(m_summary.summary().counts.replayed, "of the session it was forked from");
    tell_left_out(m_asides, "of helpers");
  }

protected:
  void write(const Event& event) override {
    if (event.form == EventForm::usage) {
      return;
    }
    if (is_replayed()) {
      return;
    }
    switch (event.kind) {
    case EventKind::user:
    case EventKind::meta:
      return write_said(is_of_person(event) ? "Person" : "Program", event);
    case EventKind::assistant:
      return write_said(event.form == EventForm::thinking ? "Agent, thinking" : "Agent", event);
    case EventKind::tool_call:
      begin();
      m_out += "\nCall of " + code(event.name) + ":\n\n";
      remember(event);
      return write_fenced(arguments_text(event.text, m_filter), "json");
    case EventKind::tool_result:
      return write_result(event);
    }
  }

private:
  void tell_left_out(std::uint64_t events, std::string_view whose) {
    if (events > 0) {
      m_out += "\n" + std::to_string(events) + (events == 1 ? " event " : " events ");
      m_out += whose;
      m_out += events == 1 ? " is left out.\n" : " are left out.\n";
    }
  }

  void write_said(std::string_view who, const Event& event) {
    std::string words = words_of(event);
    if (words.empty()) {
      return;
    }
    begin();
    m_is_behind_call = false;
    m_out += "\n## ";
    m_out += who;
    if (event.envelope->time_ms) {
      m_out += ", " + rfc3339(*event.envelope->time_ms);
    }
    m_out += "\n\n> ";
    for (char c : words) {
      // A bare carriage return ends a line too.
      m_out += c == '\r' ? ' ' : c;
      m_out += c == '\n' ? "> " : "";
    }
    m_out += '\n';
  }

  void write_result(const Event& event) {
    std::string words = words_of(event);
    begin();
    bool is_behind = m_is_behind_call && !m_calls.empty() && m_calls.back().id == event.call;
    m_is_behind_call = false;
    m_out += is_behind ? "\nIt" : "\nThe call of " + code(name_of_call(event));
    m_out += failed(event) ? " failed" : " gave";
    if (event.exit_code) {
      m_out += ", exit code " + std::to_string(*event.exit_code);
    }
    m_out += words.empty() ? ": nothing\n" : ":\n\n";
    if (!words.empty()) {
      write_fenced(words, "");
    }
  }

  // So that a result that comes later says whose it is.
  void remember(const Event& event) {
    m_is_behind_call = true;
    if (m_calls.size() == k_calls) {
      m_calls.pop_front();
    }
    m_calls.push_back({std::string(event.call), std::string(event.name)});
  }

  std::string name_of_call(const Event& result) const {
    auto call = std::find_if(m_calls.rbegin(), m_calls.rend(), [&](const Call& one) {
      return !one.id.empty() && one.id == result.call;
    });
    return call == m_calls.rend() ? std::string(result.name) : call->name;
  }

  void write_fenced(const std::string& text, std::string_view language) {
    std::string fence = fence_for(text);
    m_out += fence;
    m_out += language;
    m_out += '\n' + text;
    m_out += text.ends_with('\n') ? "" : "\n";
    m_out += fence + '\n';
  }

  void begin() {
    if (std::exchange(m_has_begun, true)) {
      return;
    }
    trace::SessionSummary session = this->session();
    m_out += "# Session " + code(session.session) + "\n\n";
    auto field = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) {
        m_out += "- ";
        m_out += name;
        m_out += ": " + code(value) + "\n";
      }
    };
    field("agent", session.harness);
    field("version", session.version);
    field("helper", session.agent);
    field("project", session.cwd);
    field("branch", session.branch);
    field("forked from", session.forked_from);
  }

  struct Call {
    std::string id;
    std::string name;
  };

  static constexpr std::size_t k_calls = 256;
  std::deque<Call> m_calls = {};
  bool m_is_behind_call = false; // nothing was written since the last one
  bool m_has_begun = false;
};

} // namespace

std::unique_ptr<Exporter> make_markdown_exporter(trace::Format source, trace::TextFilter* filter) {
  return std::make_unique<MarkdownExporter>(source, filter);
}

} // namespace upskill::trace_export
