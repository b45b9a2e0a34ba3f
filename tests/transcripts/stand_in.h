#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/session.h"
#include "tests/transcripts/stand_in_answers.h"
#include "tests/transcripts/transcript.h"

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::transcripts {

// A Session with a scripted outside, in place of a daemon. A transcript without `! stand-in` may
// run against a daemon too: here each of its calls is answered at once, a tool with `{}`, a list
// with nothing, a read with "not found". With it, the script says what happens:
//
// clang-format off
//   ! WORD {...}                    answers the oldest call; WORD and JSON as answer_from says:
//                                     answer {...}: a tool's structured result
//                                     error {"code","message","hint"}: code as Error's
//                                     ask {"requests":[{"key","kind","params"}],"state"}, ...
//   ! last                          what follows concerns the newest call, not the oldest
//   ! progress {"done","total","message"}
//   ! log {"level","logger","data"}
//   ! expect-call {...}             the oldest call is like this pattern (description)
//   ! expect-cancelled 1            so many calls were cancelled since the last time
//   ! expect-asking ["1"]           the ids of the calls that wait for the client, as JSON text
//   ! list-changed, ! tools-changed, ! prompts-changed, ! updated URI
//   ! restart                       save, forget, restore; calls in flight are lost
//   ! close
// clang-format on
//
// The random part of our requests' ids is written as 0000000000000000, in both directions.
class StandIn final : public Wire {
public:
  explicit StandIn(const Transcript& transcript, const mcp::Server& server)
      : m_server(server)
      , m_audience(transcript.is_people ? Audience::people : Audience::agents)
      , m_is_scripted(transcript.needs_stand_in)
      , m_session(server, m_audience) {}

  void send(std::string_view line) override {
    mcp::Outcome outcome;
    m_session.receive(replaced(std::string(line), k_written, m_random), outcome);
    take(outcome.output);
    for (mcp::CallId cancelled : outcome.cancelled) {
      std::erase_if(m_calls, [&](const mcp::Call& call) { return call.id == cancelled; });
      ++m_cancelled;
    }
    for (mcp::Call& call : outcome.calls) {
      m_calls.push_back(std::move(call));
    }
    while (!m_is_scripted && !m_calls.empty()) {
      answer(default_answer(m_calls.front()));
    }
  }

  std::optional<std::string> receive() override {
    if (m_lines.empty()) {
      return std::nullopt;
    }
    std::string line = std::move(m_lines.front());
    m_lines.pop_front();
    return line;
  }

  // As a daemon does; with a script, the script says when.
  void end() override {
    if (!m_is_scripted) {
      notice("close", {});
    }
  }

  bool outside(std::string_view command) override {
    std::string_view word = command.substr(0, command.find(' '));
    std::string_view argument =
        word.size() == command.size() ? std::string_view{} : command.substr(word.size() + 1);
    if (word == "last") {
      m_is_last = true;
      return !m_calls.empty();
    }
    if (word == "list-changed" || word == "tools-changed" || word == "prompts-changed"
        || word == "updated" || word == "close") {
      notice(word, argument);
      return true;
    }
    if (word == "restart") {
      return restart();
    }
    if (word == "expect-cancelled") {
      return std::to_string(std::exchange(m_cancelled, 0)) == argument;
    }
    if (word == "expect-asking") {
      return Json(m_session.asking_ids()) == Json::parse(argument, nullptr, false);
    }
    return !m_calls.empty() && on_call(word, argument);
  }

private:
  static constexpr std::string_view k_prefix = "\"upskill-";
  static constexpr std::string_view k_written = "\"upskill-0000000000000000-";

  static std::string replaced(std::string text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); !to.empty() && at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  mcp::Call& current() { return m_is_last ? m_calls.back() : m_calls.front(); }

  void take(std::string output) {
    std::size_t id = output.find(k_prefix);
    if (id != std::string::npos && output.substr(id + k_written.size() - 1, 1) == "-") {
      m_random = output.substr(id, k_written.size());
      output = replaced(std::move(output), m_random, std::string(k_written));
    }
    for (std::size_t at = 0; at < output.size();) {
      std::size_t end = output.find('\n', at);
      m_lines.push_back(output.substr(at, end - at));
      at = end == std::string::npos ? output.size() : end + 1;
    }
  }

  void answer(Result<mcp::Answer> with) {
    std::string output;
    mcp::CallId id = current().id;
    m_session.answer(id, std::move(with), output);
    std::erase_if(m_calls, [&](const mcp::Call& call) { return call.id == id; });
    m_is_last = false;
    take(std::move(output));
  }

  void notice(std::string_view word, std::string_view argument) {
    std::string output;
    if (word == "list-changed") {
      m_session.tell({mcp::Change::resource_list}, output);
    } else if (word == "tools-changed") {
      m_session.tell({mcp::Change::tool_list}, output);
    } else if (word == "prompts-changed") {
      m_session.tell({mcp::Change::prompt_list}, output);
    } else if (word == "updated") {
      m_session.tell({mcp::Change::resources, argument}, output);
    } else {
      m_session.close(output);
    }
    take(std::move(output));
  }

  bool restart() {
    auto restored = mcp::Session::restore(m_server, m_audience, m_session.save());
    if (!restored) {
      return false;
    }
    std::string output;
    for (const std::string& asking : m_session.asking_ids()) {
      restored->answer_lost(asking, output);
    }
    m_session = std::move(*restored);
    for (const mcp::Call& call : m_calls) {
      m_session.answer_lost(call.client_id, output);
    }
    m_calls.clear();
    take(std::move(output));
    return true;
  }

  bool on_call(std::string_view word, std::string_view argument) {
    Json json = argument.empty() ? Json::object() : Json::parse(argument, nullptr, false);
    if (json.is_discarded()) {
      return false;
    }
    if (auto with = answer_from(word, json)) {
      answer(std::move(*with));
      return true;
    }
    std::string output;
    if (word == "progress") {
      auto total =
          json.contains("total") ? std::optional(json["total"].get<double>()) : std::nullopt;
      m_session.progress(
          current().id, json.value("done", 0.0), total, json.value("message", ""), output);
    } else if (word == "log") {
      m_session.log(current().id,
                    level_from(json.value("level", "")),
                    json.value("logger", ""),
                    raw_member(json, "data"),
                    output);
    } else if (word == "expect-call") {
      return mismatch(json, description(current())).empty();
    } else {
      return false;
    }
    take(std::move(output));
    return true;
  }

  static mcp::LogLevel level_from(const std::string& name) {
    auto found = std::find(mcp::k_log_level_names.begin(), mcp::k_log_level_names.end(), name);
    return static_cast<mcp::LogLevel>(found - mcp::k_log_level_names.begin());
  }

  const mcp::Server& m_server;
  Audience m_audience;
  bool m_is_scripted;
  mcp::Session m_session;
  std::deque<mcp::Call> m_calls = {};
  std::deque<std::string> m_lines = {};
  std::string m_random = {}; // as k_written, of this server; empty until it is known
  int m_cancelled = 0;
  bool m_is_last = false;
};

} // namespace upskill::transcripts
