#pragma once
#include "protocol/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// What an index of a host says of one skill (skills facts, section 10).
struct IndexedSkill {
  enum class Form : std::uint8_t { document, archive, files };
  std::string name = {};
  std::string description = {};
  Form form = Form::document;
  std::string url = {};                // absolute, of the document or archive
  std::vector<std::string> files = {}; // of 0.1: relative paths; absolute addresses in `urls`
  std::vector<std::string> urls = {};
  std::string digest = {}; // `sha256:...`; 0.1 has none

  friend bool operator==(const IndexedSkill&, const IndexedSkill&) = default;
};

// Where a host publishes its index, the newest form first; relative to its origin.
inline constexpr std::array<std::string_view, 2> k_index_paths{
    "/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"};

inline constexpr std::size_t k_most_indexed = 10'000;

// Reads an index of either form, which came from `address`. Entries that are not understood are
// left out with a warning. Errors: corrupt for what is no index, too_large beyond 16 MiB or a
// million values.
struct SkillIndex {
  std::vector<IndexedSkill> skills = {};
  std::vector<std::string> warnings = {};
};

Result<SkillIndex> read_index(std::string_view text, std::string_view address);

} // namespace upskill::install
