#pragma once
#include "protocol/base/mcp_bounds.h"
#include "protocol/types/skills.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// What a review is about, as it lies on the disk: none of it is to be trusted.
struct ReviewSubject {
  std::string skill;  // the folder's name
  std::string folder; // its path
  std::string document = "SKILL.md";
  std::string text = {}; // of the document; k_reviewed_text bytes of it are shown
  std::int64_t size = 0; // of the document, bytes
  std::vector<SkillFile> files = {};
  bool all_files = true; // false: some could not be looked at
  SkillValidation findings = {};
};

// The values of the prompt's argument `focus` that are offered; any other text is one too.
std::span<const std::string_view> review_focuses();

// What the model is told. Everything of the skill stands between marks that its author could not
// know. Pure; some 80 KB at most.
std::string review_request(const ReviewSubject& subject, std::string_view focus);

} // namespace upskill::daemon
