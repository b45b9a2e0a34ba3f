#pragma once
#include "protocol/base/result.h"
#include "skills/eval/case.h"
#include "skills/generate/prompt.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::generate {

inline constexpr std::size_t k_default_cases = 5;
inline constexpr std::size_t k_most_cases = 20;
inline constexpr std::size_t k_max_skill_text = 100'000; // bytes of a body that are shown

// Test cases are written from the skill alone: never from a trace, never from an answer.
struct CaseRequest {
  std::string name = {};
  std::string description = {};
  std::string body = {};               // SKILL.md after its front matter
  std::size_t count = k_default_cases; // 1 to k_most_cases; others count as the nearest
};

// The same request gives the same bytes.
Prompt case_prompt(const CaseRequest& request);

// The cases in a model's reply, numbered from 1. Left out, with a warning: cases that give away in
// their input what they expect, repeat another, or are more than were asked for. Warned of: fewer
// than two expected texts, and cases that only ask for the skill's own words. invalid_argument or
// too_large where the reply has none that can be used; located, as by eval::read_cases().
Result<eval::CaseSuite> read_written_cases(std::string_view reply, const CaseRequest& request);

// Such cases as upskill's test file, for people to keep and mend.
std::string write_test_file(const eval::CaseSuite& suite);

} // namespace upskill::generate
