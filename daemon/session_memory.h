#pragma once
#include "daemon/mapping.h"
#include "protocol/base/bounds.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

struct MemoryHeader;

// Everything of a session that must survive the daemon's sudden death, laid out in a Mapping: bytes
// read and not yet done with, bytes not yet written, the state of the protocol, the ids in flight.
// It is written in place as the session runs, in an order that makes the death of the process after
// any instruction harmless:
//   - bytes are read straight into the input region, which is zero beyond its end; what a read put
//     there before it could be recorded is found again, because a JSON line holds no NUL;
//   - a line stays in the input until its answer is written; one that was begun and not done with
//     when the daemon died comes back as `interrupted`, because running it twice may do harm;
//   - a write that may stop half way is announced before it and recorded after it, so that a torn
//     line is finished, or ended where how much of it went out is not known.
// An answer may so be written twice (the daemon died between writing and recording), never lost.
// The memory may be changed by the bridge, so the values in the header are read once, checked, and
// from then on only written.
// Owner: ClientSession. Thread: one.
class SessionMemory {
public:
  static constexpr std::size_t k_input_size = 2 * k_max_line + (1u << 20);
  static constexpr std::size_t k_output_size = 2 * k_max_unread;
  static constexpr std::size_t k_record_size = 1u
                                               << 20; // each of two; small ones lie in the header
  static constexpr std::size_t k_size = 4096 + k_input_size + k_output_size + 2 * k_record_size;

  // Fresh for a zeroed mapping of k_size, else what a daemon before us left. corrupt: written by
  // something else. `max_line` is at most k_max_line, and less only where a test looks for the end
  // of lines.
  static Result<SessionMemory> open(Mapping mapping, std::size_t max_line = k_max_line);
  // For an anonymous mapping of k_size, which cannot hold anything yet.
  static SessionMemory fresh(Mapping mapping, std::size_t max_line = k_max_line);

  // --- input
  // Where the next read goes: at least 64 KiB, at most 1 MiB. Says handled().
  std::span<char> room();
  void arrived(std::size_t bytes);

  enum class LineKind {
    none,        // no whole line is there
    whole,       // to be handled
    interrupted, // was being handled when the daemon before us died
    oversized    // longer than a line may be; its bytes are gone
  };

  struct Line {
    LineKind kind = LineKind::none;
    std::string_view text = {}; // without the newline; valid until handled()
  };

  // The next line, which from now on counts as being handled. Empty ones are skipped.
  Line next_line();
  // Every line that next_line() returned is answered, and the answers are written or pending.
  void handled();
  // A final line that the client did not end; it becomes whole.
  void end_of_input();

  bool has_input() const { return m_input_end > m_input_begin; }

  // How many daemons in a row died before the first of the lines that are `interrupted` was
  // handled.
  std::uint32_t attempts() const { return m_attempts; }

  // --- output
  std::string_view pending() const;
  // Adds what could not be written at once. `already` bytes at the front of `bytes` were written:
  // they are kept to their line's start, so that a torn line can be repeated. False when more than
  // k_max_unread would wait.
  [[nodiscard]] bool add_pending(std::string_view bytes, std::size_t already = 0);
  // `bytes` of pending() were written.
  void pending_written(std::size_t bytes);
  // Around a write that may end half way.
  void begin_write();
  void end_write();

  // --- record
  // The protocol's state and the client's ids in flight (JSON texts). What does not fit into
  // k_record_size is left out, the last ids first.
  void record(std::string_view state, std::span<const std::string_view> ids);

  struct Recovered {
    bool restored = false; // there was a session before
    std::string state = {};
    std::vector<std::string> lost_ids = {};
  };

  // What the daemon before us recorded; empty for a fresh memory.
  const Recovered& recovered() const { return m_recovered; }

  // Gives back the pages that only a large message needed.
  void trim();

private:
  SessionMemory(Mapping mapping, std::size_t max_line);

  MemoryHeader& header() const;
  char* input() const;
  char* output() const;
  std::span<char> record_area(unsigned which) const;
  Result<void> recover();
  Result<void> recover_input();
  Result<void> recover_output(bool write_was_cut);
  Result<void> recover_record();
  void store_input();
  void store_output();
  std::size_t output_line() const;
  void count_attempt();
  void clear_input(std::size_t begin, std::size_t end);
  void compact_input();
  bool compact_output(std::size_t wanted);

  Mapping m_mapping;
  std::size_t m_max_line;
  std::size_t m_input_begin = 0;
  std::size_t m_input_end = 0;
  std::size_t m_next = 0;            // where the next line to handle starts
  std::size_t m_searched = 0;        // no newline before this
  std::size_t m_interrupted_end = 0; // lines that end before this were begun by a daemon before us
  std::size_t m_input_touched = 0;   // bytes of the region that may hold pages
  std::uint32_t m_attempts = 0;
  bool m_is_counted = false; // our own attempt is in it
  bool m_skipping = false;   // in a line that is too long
  std::size_t m_output_begin = 0;
  std::size_t m_output_end = 0;
  unsigned m_record = 0; // which area holds the record, see record_area()
  Recovered m_recovered;
};

} // namespace upskill::daemon
