#pragma once
#include "protocol/types/describe.h"
#include "skills/trace/remarks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::distill {

// What is kept first, in this order (facts: traces.md, section 4).
enum class Tier : std::uint8_t {
  human,   // a person's words
  failure, // what failed, with what made it work in the end
  answer,  // the last words of a turn
  text,    // said on the way
  call,    // what was done
  success  // what it gave
};
inline constexpr std::size_t k_tiers = 6;

// Why an event is not in the text.
enum class LeftOut : std::uint8_t {
  copy,         // stands elsewhere in the file
  replayed,     // was said in the session that this one was forked from
  thinking,     // reasoning
  instructions, // AGENTS.md and its like, system prompts
  skill,        // the text of a skill: a skill must not learn from itself
  injected,     // put there by a program
  summary,      // what a compaction left
  command,      // of the agent's own interface, and what it printed
  output,       // what a tool gave that went well
  helper,       // its session is told in a line
  state,        // settings, progress, tokens, errors of the model's server
  unknown,      // of a type nobody knows
  unreadable,
  empty,    // says nothing
  repeated, // the same failure again and again
  memory,   // more than is ever held
  budget,   // more than there was room for
  held_out  // on request
};
inline constexpr std::size_t k_left_out = 18;

// What is known about a beat, by what happened in it and what was said after it.
enum class Label : std::uint8_t {
  interrupted,  // the person stopped it
  error,        // a tool failed
  corrected,    // the person's next words say that it was wrong
  approved,     // they say that it was right
  recovered,    // what had failed went well
  tests_passed, // a command that runs tests went well
  taken_back    // the person went back before something
};
inline constexpr std::size_t k_labels = 7;

// From one prompt to the next one: prompt, actions, reply; the next prompt is how it turned out.
struct Beat {
  std::uint32_t number = 0; // from 1; 0 is what came before the first prompt
  std::uint64_t begin = 0;  // byte offsets in the file
  std::uint64_t end = 0;
  std::optional<std::int64_t> time_ms = {}; // Unix time of the prompt
  std::string prompt = {};                  // its first 120 bytes, cleaned
  std::array<bool, k_labels> labels = {};
  trace::Outcome outcome = trace::Outcome::unknown;
  bool is_held_out = false;

  friend bool operator==(const Beat&, const Beat&) = default;
};

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Evidence for a teacher. events == kept + the sum of left_out.
struct Distilled {
  // Markdown of which all that is quoted from the session stands behind the first `|` of its line.
  std::string text = {};
  std::uint64_t events = 0;
  std::uint64_t kept = 0; // of them, whole or cut
  std::array<std::uint64_t, k_tiers> kept_by_tier = {};
  std::array<std::uint64_t, k_left_out> left_out = {};
  std::uint64_t tokens_before = 0; // of all that was said in the session: bytes / 4
  std::uint64_t tokens_after = 0;  // of `text`
  std::vector<Beat> beats = {};    // the last 4,096
  std::uint64_t beats_in_all = 0;
  std::array<std::uint64_t, k_labels> labels = {}; // how many beats have each
  std::vector<ByteRange> ranges = {};              // of the file, that are in the text

  friend bool operator==(const Distilled&, const Distilled&) = default;
};

} // namespace upskill::distill

template <> struct upskill::EnumNames<upskill::distill::Tier> {
  static constexpr std::array<std::string_view, upskill::distill::k_tiers> names{
      "human", "failure", "answer", "text", "call", "success"};
};

template <> struct upskill::EnumNames<upskill::distill::LeftOut> {
  static constexpr std::array<std::string_view, upskill::distill::k_left_out> names{"copy",
                                                                                    "replayed",
                                                                                    "thinking",
                                                                                    "instructions",
                                                                                    "skill",
                                                                                    "injected",
                                                                                    "summary",
                                                                                    "command",
                                                                                    "output",
                                                                                    "helper",
                                                                                    "state",
                                                                                    "unknown",
                                                                                    "unreadable",
                                                                                    "empty",
                                                                                    "repeated",
                                                                                    "memory",
                                                                                    "budget",
                                                                                    "held_out"};
};

template <> struct upskill::EnumNames<upskill::distill::Label> {
  static constexpr std::array<std::string_view, upskill::distill::k_labels> names{
      "interrupted", "error", "corrected", "approved", "recovered", "tests_passed", "taken_back"};
};
