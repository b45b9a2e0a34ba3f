#pragma once
#include "protocol/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace upskill::models {

// One event of a stream; `name` is empty where none was given.
struct SseEvent {
  std::string_view name = {};
  std::string_view data = {};
};

// Reads `text/event-stream` (HTML standard, 9.2.6) in pieces of any size; comments, ids and retries
// are of no use here and skipped. An event that its blank line did not end is none.
// Owner: one response. Thread: any, one at a time. Lifetime: the response's.
class SseParser {
public:
  using OnEvent = std::function<void(const SseEvent&)>;

  // An event longer than that many bytes is too_large.
  explicit SseParser(std::size_t longest)
      : m_longest(longest) {}

  // The views that `on_event` gets are good until it returns. An error is the last of a stream.
  Result<void> take(std::string_view bytes, const OnEvent& on_event);

private:
  void end_line(std::string_view line, const OnEvent& on_event);

  std::size_t m_longest;
  std::string m_line;        // what came of a line that has not ended
  bool m_was_return = false; // the last byte was one: a line feed that follows belongs to it
  bool m_is_first = true;    // line, before which a byte order mark may stand
  std::string m_name;
  std::string m_data;
  bool m_has_data = false;
};

} // namespace upskill::models
