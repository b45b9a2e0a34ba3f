#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

inline constexpr std::size_t k_most_findings = 200;
inline constexpr std::size_t k_most_evidence = 200; // bytes

enum class Severity : std::uint8_t {
  severe,  // no honest skill needs it: such a skill is not installed without a person's word
  warning, // a person should look at it
  note     // good to know
};

// One thing that is dangerous, and where.
struct Finding {
  std::string id = {}; // of the rule or check, as `download-run`
  Severity severity = Severity::note;
  std::string path = {};     // within the skill, cleaned for showing
  std::size_t line = 0;      // from 1; 0: the file as a whole
  std::size_t column = 0;    // in characters, from 1; 0 where `line` is 0
  std::string evidence = {}; // quoted, one line of UTF-8 without control characters or secrets
  std::string message = {};  // what it means
  std::string hint = {};     // what to do

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct DangerReport {
  std::vector<Finding> findings = {}; // the most severe first, then by path and place
  std::size_t left_out = 0;           // findings over the bounds; never more severe than those told

  bool is_severe() const {
    return !findings.empty() && findings.front().severity == Severity::severe;
  }
};

} // namespace upskill::danger

template <> struct upskill::EnumNames<upskill::danger::Severity> {
  static constexpr std::array<std::string_view, 3> names{"severe", "warning", "note"};
};
