#pragma once
#include "protocol/base/result.h"
#include "skills/eval/case.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace upskill::eval {

inline constexpr std::size_t k_max_test_file = 8u << 20; // bytes
inline constexpr std::size_t k_max_cases = 10'000;
inline constexpr std::size_t k_max_checks = 100;       // of one case, or in one check
inline constexpr std::size_t k_max_check_depth = 8;    // `all_of` and `any_of` in each other
inline constexpr std::size_t k_max_case_files = 1000;  // of one case
inline constexpr double k_default_command_limit = 60;  // seconds, upskill's
inline constexpr double k_longest_command_limit = 600; // seconds

// The cases of a test file, whose format is told by what it says: upskill's test files and
// `skill_meta.json`, `evals.json` of agentskills.io and of skill-creator, trigger queries, and the
// richer form of README.md. Every case has something to check, ids are there and distinct, paths
// stay inside, patterns and schemas can be used. Errors name the case and the field:
// invalid_argument, too_large; not_found where the file has no case.
Result<CaseSuite> read_cases(std::string_view text);

// What cases are looked for: how good answers are, or whether the skill is picked.
enum class CaseUse { answers, triggers };

// Where they lie in a skill's folder, in the order in which they are looked for.
std::span<const std::string_view> case_files(CaseUse use);

struct FoundCases {
  std::string file = {}; // one of case_files()
  CaseSuite suite = {};
};

// Reads one of case_files(): the bytes, or nothing where there is no such file. Up to
// k_max_test_file + 1 bytes are enough.
using ReadFile = std::function<Result<std::optional<std::string>>(std::string_view file)>;

// The first of case_files() with cases of that use. A file that is there and cannot be read ends
// the search with an error that names it: what somebody wrote must not be passed over. not_found
// where no file has any.
Result<FoundCases> find_cases(CaseUse use, const ReadFile& read);

} // namespace upskill::eval
