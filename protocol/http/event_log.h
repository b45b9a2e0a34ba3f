#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::http {

// What was said on the streams of one legacy session, so that a client whose connection broke can
// have the rest of a stream (MCP 2025-03-26 to 2025-11-25: Resumability). Bounded: an open stream
// keeps 256 KiB besides its newest event; of those that have ended 16 are kept, for a minute and up
// to 1 MiB together, besides the newest.
// Owner: the session. Thread: one. No clock: the time is a parameter.
class EventLog {
public:
  using Time = std::chrono::steady_clock::time_point;
  using StreamId = std::uint64_t; // never reused

  static constexpr std::size_t k_max_open_bytes = 256u << 10;
  static constexpr std::size_t k_max_ended_bytes = 1u << 20;
  static constexpr std::size_t k_max_ended = 16;
  static constexpr auto k_kept = std::chrono::seconds(60);

  struct Event {
    std::string id = {};
    std::string_view data = {}; // until the log changes
  };

  // What followed an event on its stream.
  struct Rest {
    StreamId stream = 0;
    bool has_ended = false;
    std::vector<Event> events = {};
  };

  StreamId open();
  // The id of the place before the first event.
  std::string priming_id(StreamId stream) const;
  // Keeps an event and gives its id, unique within the session.
  std::string add(StreamId stream, std::string_view data);
  void end(StreamId stream, Time now);

  // Nothing when the id is none of ours, its stream is not kept any more, or some of what followed
  // is not.
  std::optional<Rest> after(std::string_view id) const;

  // Forgets what has been kept long enough; when to look again.
  std::optional<Time> expire(Time now);

private:
  struct Stream {
    std::uint64_t last = 0; // of its events
    std::deque<std::string> events = {};
    std::size_t bytes = 0;
    std::optional<Time> ended = {};
  };

  void trim_ended();

  std::map<StreamId, Stream> m_streams = {};
  std::deque<StreamId> m_ended = {}; // oldest first
  std::size_t m_ended_bytes = 0;
  StreamId m_last = 0;
};

} // namespace upskill::http
