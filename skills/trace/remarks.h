#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upskill::trace {

// What a person's next words say about what the agent did just before them.
enum class Remark : std::uint8_t { none, correction, approval };

// So much of a prompt is looked at: what somebody thinks of the work comes first.
inline constexpr std::size_t k_remark_head = 400;

// By phrases of English, a correction before an approval ("great, but it still fails"). Cautious:
// most prompts are the next task and say neither (facts: traces.md, section 4: 58 and 48 of 2,526).
// Time: linear in k_remark_head.
Remark remark_of(std::string_view words);

// How a stretch of a session went, from a prompt to the next one.
struct Course {
  bool has_acted = false;      // the agent said or did something
  bool is_answered = false;    // its last words came after its last action
  bool is_failing = false;     // its last action failed
  bool is_interrupted = false; // the person stopped it, and nothing came after

  friend bool operator==(const Course&, const Course&) = default;
};

// What became of it.
enum class Outcome : std::uint8_t { unknown, interrupted, failed, corrected, approved, done };

// `said_next`: the person's next words about it.
Outcome outcome_of(const Course& course, Remark said_next);

} // namespace upskill::trace

template <> struct upskill::EnumNames<upskill::trace::Outcome> {
  static constexpr std::array<std::string_view, 6> names{
      "unknown", "interrupted", "failed", "corrected", "approved", "done"};
};
