#pragma once
#include "skills/trace/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace upskill::tests {

// An event that outlives its record.
struct SeenEvent {
  trace::EventKind kind;
  trace::EventForm form;
  std::string text;
  std::string name;
  std::string call;
  std::string message;
  std::string model;
  std::string skill;
  std::optional<bool> is_error;
  std::optional<std::int32_t> exit_code;
  std::optional<trace::Usage> usage;
  std::uint32_t images;
  std::uint32_t part;
  std::uint64_t offset;
  std::uint64_t length;
  std::optional<std::int64_t> time_ms;
  std::string id;
  std::string parent;
  std::string session;
  std::string forked_from;
  std::string agent;
  std::string turn;
  std::string cwd;
  std::string branch;
  std::string version;
  std::string harness;
  bool is_sidechain;

  friend bool operator==(const SeenEvent&, const SeenEvent&) = default;

  // `user/prompt "text"`, as tests compare it.
  std::string line() const;
};

class SeenEvents : public trace::EventSink {
public:
  std::vector<SeenEvent> events = {};

  void take(const trace::Event& event) override {
    const trace::Envelope& e = *event.envelope;
    events.push_back({event.kind,
                      event.form,
                      event.text.decoded(),
                      std::string(event.name),
                      std::string(event.call),
                      std::string(event.message),
                      std::string(event.model),
                      std::string(event.skill),
                      event.is_error,
                      event.exit_code,
                      event.usage,
                      event.images,
                      event.part,
                      e.offset,
                      e.length,
                      e.time_ms,
                      std::string(e.id),
                      std::string(e.parent),
                      std::string(e.session),
                      std::string(e.forked_from),
                      std::string(e.agent),
                      std::string(e.turn),
                      std::string(e.cwd),
                      std::string(e.branch),
                      std::string(e.version),
                      std::string(e.harness),
                      e.is_sidechain});
  }

  // One line for each: kind/form, name in parentheses, text in quotes.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const SeenEvent& event : events) {
      lines.push_back(event.line());
    }
    return lines;
  }
};

inline std::string SeenEvent::line() const {
  std::string line(enum_name(kind));
  line += '/';
  line += enum_name(form);
  if (!name.empty()) {
    line += " (" + name + ")";
  }
  if (!text.empty()) {
    line += " \"" + text + "\"";
  }
  return line;
}

inline std::vector<SeenEvent>
read_events(trace::Format format, std::string_view bytes, std::uint64_t offset = 0) {
  trace::TraceParser parser(format, offset);
  SeenEvents seen;
  parser.take(bytes.substr(offset), seen);
  parser.finish(seen);
  return seen.events;
}

inline std::vector<std::string> event_lines(trace::Format format, std::string_view bytes) {
  SeenEvents seen;
  seen.events = read_events(format, bytes);
  return seen.lines();
}

// Reading any prefix of a file and going on where it could be settled gives the same events as
// reading it whole; so does reading it in pieces of any size.
inline void check_prefixes(trace::Format format, const std::string& bytes, std::size_t step = 1) {
  std::vector<SeenEvent> whole = read_events(format, bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += step) {
    CAPTURE(cut);
    trace::TraceParser parser(format);
    SeenEvents seen;
    parser.take(std::string_view(bytes).substr(0, cut), seen);
    parser.finish(seen);
    std::uint64_t resume = parser.resume_offset();
    REQUIRE(resume <= cut);
    std::erase_if(seen.events, [&](const SeenEvent& event) { return event.offset >= resume; });
    std::vector<SeenEvent> rest = read_events(format, bytes, resume);
    seen.events.insert(seen.events.end(), rest.begin(), rest.end());
    REQUIRE(seen.events.size() == whole.size());
    REQUIRE(seen.events == whole);
  }
  for (std::size_t size : {1, 2, 3, 7, 64, 1000}) {
    CAPTURE(size);
    trace::TraceParser parser(format);
    SeenEvents seen;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      parser.take(std::string_view(bytes).substr(at, size), seen);
    }
    parser.finish(seen);
    REQUIRE(seen.events == whole);
  }
}

} // namespace upskill::tests
