#pragma once
#include "protocol/base/bounds.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::rpc {

// Cuts a byte stream into lines (MCP stdio transport: one message per line). Bytes go in by the
// piece, lines come out as views into the buffer, without a copy. Owned by one connection; holds at
// most twice the longest line plus one piece.
class Framing {
public:
  explicit Framing(std::size_t max_line = k_max_line)
      : m_max_line(max_line) {}

  // Where the next `bytes` bytes may be written; then call commit with how many came. Ends the life
  // of every view given out.
  char* prepare(std::size_t bytes);
  void commit(std::size_t bytes);
  // The two above, for bytes that lie somewhere else.
  void feed(std::string_view bytes);

  struct Line {
    std::string_view text = {}; // without its newline and a carriage return before it
    bool oversized = false;     // a line over the limit came here; its text is gone
  };

  // The next whole line; nothing when more bytes are needed. Empty lines are skipped. A line over
  // the limit is reported once, as soon as that is known, and dropped up to its newline.
  std::optional<Line> next();

  // The unfinished line, for the handover to another process. Empty while an oversized line is
  // being dropped.
  std::string_view rest() const;

  bool is_dropping() const { return m_dropping; }

  // Bytes held, for limits and tests.
  std::size_t capacity() const { return m_buffer.size(); }

private:
  void compact();

  std::size_t m_max_line;
  std::string m_buffer = {};
  std::size_t m_begin = 0;   // of the first line not given out
  std::size_t m_scanned = 0; // no newline before this
  std::size_t m_end = 0;     // of the bytes received
  bool m_dropping = false;
};

} // namespace upskill::rpc
