#pragma once
#include "tests/transcripts/pattern.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Golden sessions. A transcript is a file of lines:
//   # why this session exists
//   ! people            the session is one of a person's (agents' unless said)
//   ! end               the client closes its input; without it, so it does after the last line
//   ! stand-in          needs a scripted outside, so it cannot run against a daemon
//   ! daemon            needs the daemon and its home, so no stand-in can play it
//   ! lists-change      stand-in only: the tools and prompts of this server may change
//   > line              what the client sends, byte for byte; it need not be JSON
//   < pattern           the next line the server sends (pattern.h)
//   <~ pattern          one of the next lines: those written next to each other come in any order
//   ! word argument     what the outside does now: a stand-in (stand_in.h), or the home of a daemon
//                       (e2e/daemon_transcripts_test.cpp)
// In what is sent and expected, <NAME> stands for what an earlier "<keep:NAME>" met (pattern.h).
namespace upskill::transcripts {

// What a transcript is run against: something that takes lines and gives lines.
class Wire {
public:
  virtual ~Wire() = default;
  virtual void send(std::string_view line) = 0;
  // The next line of the server; nothing when none will come. How long to wait for it is the wire's
  // affair.
  virtual std::optional<std::string> receive() = 0;

  // The client has said everything; what the server has still to say comes all the same.
  virtual void end() {}

  // Does what a `! word` says; false when this wire cannot.
  virtual bool outside(std::string_view) { return false; }
};

struct Step {
  enum class Kind { send, expect, expect_any_order, end, outside };

  Kind kind = Kind::send;
  std::string text = {};
  std::size_t line = 0; // of the file, from 1
};

struct Transcript {
  std::string name = {};
  bool is_people = false;
  bool needs_stand_in = false;
  bool needs_daemon = false;
  bool lists_change = false;
  std::vector<Step> steps = {};
  std::vector<std::string> problems = {}; // of the file itself
};

inline Transcript parse_transcript(std::string name, std::istream& in) {
  Transcript transcript;
  transcript.name = std::move(name);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    auto rest = [&](std::string_view mark) { return line.substr(mark.size()); };
    if (line == "! people") {
      transcript.is_people = true;
    } else if (line == "! end") {
      transcript.steps.push_back({Step::Kind::end, {}, number});
    } else if (line == "! lists-change") {
      transcript.lists_change = true;
    } else if (line == "! stand-in") {
      transcript.needs_stand_in = true;
    } else if (line == "! daemon") {
      transcript.needs_daemon = true;
    } else if (line.starts_with("> ")) {
      transcript.steps.push_back({Step::Kind::send, rest("> "), number});
    } else if (line.starts_with("< ")) {
      transcript.steps.push_back({Step::Kind::expect, rest("< "), number});
    } else if (line.starts_with("<~ ")) {
      transcript.steps.push_back({Step::Kind::expect_any_order, rest("<~ "), number});
    } else if (line.starts_with("! ")) {
      transcript.steps.push_back({Step::Kind::outside, rest("! "), number});
    } else {
      transcript.problems.push_back("line " + std::to_string(number) + ": begins with no mark");
    }
  }
  if (transcript.needs_stand_in && transcript.needs_daemon) {
    transcript.problems.push_back("nobody can play what needs a stand-in and a daemon");
  }
  return transcript;
}

inline Transcript load_transcript(const std::string& path) {
  std::ifstream file(path);
  Transcript transcript = parse_transcript(path.substr(path.rfind('/') + 1), file);
  if (transcript.steps.empty()) {
    transcript.problems.push_back("the transcript is empty or cannot be read");
  }
  return transcript;
}

// Runs one transcript; its problems, each with the line of the file, empty when all is as written.
class Runner {
public:
  Runner(const Transcript& transcript, Wire& wire)
      : m_transcript(transcript)
      , m_wire(wire) {}

  std::vector<std::string> run() {
    m_problems = m_transcript.problems;
    const auto& steps = m_transcript.steps;
    for (std::size_t at = 0; at < steps.size() && m_problems.empty();) {
      const Step& step = steps[at];
      switch (step.kind) {
      case Step::Kind::send:
        m_wire.send(with_kept(step.text));
        ++at;
        break;
      case Step::Kind::end:
        end_once();
        ++at;
        break;
      case Step::Kind::outside:
        if (!m_wire.outside(step.text)) {
          problem(step, "nobody here can do this: " + step.text);
        }
        ++at;
        break;
      case Step::Kind::expect:
        expect_one(step);
        ++at;
        break;
      case Step::Kind::expect_any_order:
        at = expect_group(at);
        break;
      }
    }
    if (m_problems.empty()) {
      end_once();
      if (std::optional<std::string> extra = m_wire.receive()) {
        m_problems.push_back(m_transcript.name + ": the server also sent " + extra->substr(0, 300));
      }
    }
    return m_problems;
  }

private:
  void problem(const Step& step, const std::string& what) {
    m_problems.push_back(m_transcript.name + ":" + std::to_string(step.line) + ": " + what);
  }

  void end_once() {
    if (!std::exchange(m_has_ended, true)) {
      m_wire.end();
    }
  }

  // The values are part of JSON strings, in each of their places.
  std::string with_kept(std::string text) const {
    for (const auto& [name, value] : m_kept) {
      const std::string mark = "<" + name + ">";
      std::string literal = Json(value).dump();
      const std::string inner = literal.substr(1, literal.size() - 2);
      for (std::size_t at = text.find(mark); at != std::string::npos;
           at = text.find(mark, at + inner.size())) {
        text.replace(at, mark.size(), inner);
      }
    }
    return text;
  }

  // Nothing after a problem was noted.
  std::optional<Json> next_message(const Step& step) {
    std::optional<std::string> line = m_wire.receive();
    if (!line) {
      problem(step, "the server sent nothing, expected " + step.text);
      return std::nullopt;
    }
    Json message = Json::parse(*line, nullptr, false);
    if (message.is_discarded()) {
      problem(step, "the server sent a line that is not JSON: " + line->substr(0, 300));
      return std::nullopt;
    }
    return message;
  }

  std::optional<Json> pattern_of(const Step& step) {
    Json pattern = Json::parse(with_kept(step.text), nullptr, false);
    if (pattern.is_discarded()) {
      problem(step, "the pattern is not JSON");
      return std::nullopt;
    }
    return pattern;
  }

  void expect_one(const Step& step) {
    auto pattern = pattern_of(step);
    auto message = pattern ? next_message(step) : std::nullopt;
    if (message) {
      if (std::string difference = mismatch(*pattern, *message); !difference.empty()) {
        problem(step, difference);
      } else {
        keep_values(*pattern, *message, m_kept);
      }
    }
  }

  std::size_t expect_group(std::size_t at) {
    const auto& steps = m_transcript.steps;
    const Step& first = steps[at];
    std::vector<Json> patterns;
    for (; at < steps.size() && steps[at].kind == Step::Kind::expect_any_order; ++at) {
      if (auto pattern = pattern_of(steps[at])) {
        patterns.push_back(std::move(*pattern));
      }
    }
    while (!patterns.empty() && m_problems.empty()) {
      auto message = next_message(first);
      if (!message) {
        break;
      }
      auto found = std::find_if(patterns.begin(), patterns.end(), [&](const Json& pattern) {
        return mismatch(pattern, *message).empty();
      });
      if (found == patterns.end()) {
        problem(first, "none of the lines left here is " + message->dump().substr(0, 300));
      } else {
        keep_values(*found, *message, m_kept);
        patterns.erase(found);
      }
    }
    return at;
  }

  const Transcript& m_transcript;
  Wire& m_wire;
  std::map<std::string, std::string> m_kept = {};
  std::vector<std::string> m_problems = {};
  bool m_has_ended = false;
};

} // namespace upskill::transcripts
