#pragma once
#include "protocol/types/describe.h"
#include "skills/danger/finding.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

// What a passage of a file is to those who read or run it.
enum class Place : std::uint8_t {
  prose,        // markdown, as an agent and a person read it
  code,         // in a fence of markdown
  hidden,       // markdown that a page does not show: comments, invisible elements
  front_matter, // of SKILL.md
  load,         // commands that run without being asked for: hooks, and !`command`
  script,       // a program
  data          // any other text
};

inline constexpr std::size_t k_places = 7;

// A pattern and the conditions under which it is dangerous (README.md, Rules). Patterns are RE2's,
// over bytes, whatever the case, and `.` is a newline too.
struct Rule {
  std::string id = {};
  std::string group = {}; // of several of a group on one line only the most severe is told
  std::array<std::optional<Severity>, k_places> looks_at = {};
  std::vector<std::string> keywords = {}; // lower-case; the regex is tried where one stands
  std::string regex = {};
  std::vector<std::string> match_has = {};   // all are found in what matched
  std::vector<std::string> match_lacks = {}; // none is
  std::vector<std::string> unit_has = {};    // all are found in the paragraph or command round it
  std::vector<std::string> unit_lacks = {};  // none is
  std::string with = {};                     // found elsewhere in the file, within so many bytes
  std::vector<std::string> with_lacks = {};  // none is found in that
  std::optional<std::size_t> within = {};    // nothing: anywhere in the file
  bool is_speech = false;                    // words to a model: in quotes they are only mentioned
  bool mention_counts = false;               // as severe where a text only talks about it
  std::string message = {};
  std::string hint = {};
};

} // namespace upskill::danger

template <> struct upskill::EnumNames<upskill::danger::Place> {
  static constexpr std::array<std::string_view, upskill::danger::k_places> names{
      "prose", "code", "hidden", "front_matter", "load", "script", "data"};
};
