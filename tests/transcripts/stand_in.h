#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/session.h"
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
//   ! answer {...}                          answers the oldest call: the tool's result
//   ! error {"code","message","hint"}       the oldest call fails; code as Error's, for example
//   busy ! resources {"resources":[...],"next"}  answers a list (members as in mcp::Resource) !
//   templates [...]                       answers a list of templates ! contents
//   {"uri","mime","text"|"hex"}  answers a read ! last                                  what
//   follows concerns the newest call, not the oldest ! progress {"done","total","message"} !
//   expect-call {...}                     the oldest call is like this pattern ! expect-cancelled 1
//   so many calls were cancelled since the last time ! list-changed, ! updated URI ! restart save,
//   forget, restore; calls in flight are lost ! close
class StandIn final : public Wire {
public:
  explicit StandIn(const Transcript& transcript, const mcp::Server& server)
      : m_server(server)
      , m_audience(transcript.is_people ? Audience::people : Audience::agents)
      , m_is_scripted(transcript.needs_stand_in)
      , m_session(server, m_audience) {}

  void send(std::string_view line) override {
    mcp::Outcome outcome;
    m_session.receive(line, outcome);
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
    if (word == "list-changed" || word == "updated" || word == "close") {
      notice(word, argument);
      return true;
    }
    if (word == "restart") {
      return restart();
    }
    if (word == "expect-cancelled") {
      return std::to_string(std::exchange(m_cancelled, 0)) == argument;
    }
    return !m_calls.empty() && on_call(word, argument);
  }

private:
  static Result<mcp::Answer> default_answer(const mcp::Call& call) {
    switch (call.kind) {
    case mcp::Call::Kind::tool:
      return mcp::ToolAnswer{"{}"};
    case mcp::Call::Kind::list_resources:
      return mcp::ResourcePage{};
    case mcp::Call::Kind::list_resource_templates:
      return mcp::ResourceTemplatePage{};
    case mcp::Call::Kind::read_resource:
      break;
    }
    return fail(ErrorCode::not_found, "there is no resource `" + call.uri + "`");
  }

  static ErrorCode code_from(const std::string& name) {
    for (int code = 0; code <= static_cast<int>(ErrorCode::internal); ++code) {
      if (to_string(static_cast<ErrorCode>(code)) == name) {
        return static_cast<ErrorCode>(code);
      }
    }
    return ErrorCode::internal;
  }

  static std::string bytes_from_hex(const std::string& hex) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    }
    return bytes;
  }

  mcp::Call& current() { return m_is_last ? m_calls.back() : m_calls.front(); }

  void take(const std::string& output) {
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
    take(output);
  }

  void notice(std::string_view word, std::string_view argument) {
    std::string output;
    if (word == "list-changed") {
      m_session.resource_list_changed(output);
    } else if (word == "updated") {
      m_session.resources_updated(argument, output);
    } else {
      m_session.close(output);
    }
    take(output);
  }

  bool restart() {
    auto restored = mcp::Session::restore(m_server, m_audience, m_session.save());
    if (!restored) {
      return false;
    }
    m_session = std::move(*restored);
    std::string output;
    for (const mcp::Call& call : m_calls) {
      m_session.answer_lost(call.client_id, output);
    }
    m_calls.clear();
    take(output);
    return true;
  }

  bool on_call(std::string_view word, std::string_view argument) {
    Json json = Json::parse(argument, nullptr, false);
    if (json.is_discarded()) {
      return false;
    }
    if (word == "answer") {
      answer(mcp::ToolAnswer{json.dump()});
    } else if (word == "error") {
      answer(fail(
          code_from(json.value("code", "")), json.value("message", ""), json.value("hint", "")));
    } else if (word == "resources") {
      answer(page_from(json));
    } else if (word == "templates") {
      mcp::ResourceTemplatePage page;
      for (const Json& entry : json) {
        page.templates.push_back({entry.value("uri", ""), entry.value("name", "")});
      }
      answer(std::move(page));
    } else if (word == "contents") {
      mcp::ResourceContents contents{json.value("uri", ""), json.value("mime", "")};
      contents.is_text = json.contains("text");
      contents.bytes =
          contents.is_text ? json.value("text", "") : bytes_from_hex(json.value("hex", ""));
      answer(std::move(contents));
    } else if (word == "progress") {
      std::string output;
      auto total =
          json.contains("total") ? std::optional(json["total"].get<double>()) : std::nullopt;
      m_session.progress(
          current().id, json.value("done", 0.0), total, json.value("message", ""), output);
      take(output);
    } else if (word == "expect-call") {
      return mismatch(json, description(current())).empty();
    } else {
      return false;
    }
    return true;
  }

  static mcp::ResourcePage page_from(const Json& json) {
    mcp::ResourcePage page;
    for (const Json& entry : json["resources"]) {
      mcp::Resource resource;
      resource.uri = entry.value("uri", "");
      resource.name = entry.value("name", "");
      resource.title = entry.value("title", "");
      resource.mime_type = entry.value("mime", "");
      if (entry.contains("size")) {
        resource.size = entry["size"].get<std::int64_t>();
      }
      page.resources.push_back(std::move(resource));
    }
    page.next_cursor = json.value("next", "");
    return page;
  }

  static Json description(const mcp::Call& call) {
    Json json{{"id", Json::parse(call.client_id)},
              {"uri", call.uri},
              {"cursor", call.cursor},
              {"wants_progress", call.wants_progress},
              {"context", call.context}};
    if (call.method != nullptr) {
      json["tool"] = call.method->name;
      json["arguments"] = Json::parse(call.arguments);
    }
    return json;
  }

  const mcp::Server& m_server;
  Audience m_audience;
  bool m_is_scripted;
  mcp::Session m_session;
  std::deque<mcp::Call> m_calls = {};
  std::deque<std::string> m_lines = {};
  int m_cancelled = 0;
  bool m_is_last = false;
};

} // namespace upskill::transcripts
