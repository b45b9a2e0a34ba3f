#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::trace {

inline constexpr std::size_t k_kept_of_string = 64u << 10;

// A record of JSON that is too long to be kept whole: its structure stays, and of each string the
// first k_kept_of_string bytes or a little less (most of such a record is images; facts: Codex's
// giant rollouts). Bounded by k_max_record even so; then its end is missing. Either is cut before a
// word, or before k_cut_margin bytes without a blank: half a secret is known to no rule.
// Owner: a splitter. Thread: its. Lifetime: from record to record.
class LongRecord {
public:
  void begin();
  void take(std::string_view bytes);
  // What was kept, with k_record_padding bytes behind it that may be read. Until begin() or drop().
  std::string_view finish();

  // Gives back its memory, where finish() was called: nobody looks at the record any more.
  void drop() {
    if (m_is_finished) {
      m_kept = {};
      m_is_finished = false;
    }
  }

  std::uint64_t length() const { return m_length; } // of all that was taken

private:
  void put(char c);
  void take_of_string(char c);
  void cut();

  std::string m_kept = {};
  std::uint64_t m_length = 0;
  std::size_t m_in_string = 0; // bytes of the string that we are in, and its quote; 0: in none
  std::size_t m_cut = 0;       // in m_kept: the last place where it may be cut without a blank
  std::size_t m_digits = 0;    // of a \uXXXX that are still to come
  bool m_is_escaped = false;   // the last byte was a backslash
  bool m_is_full = false;      // its end is missing
  bool m_is_finished = false;
};

} // namespace upskill::trace
