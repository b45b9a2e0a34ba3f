#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

// What Codex's tools say in words about how they went (facts: traces.md, 1.2).
namespace upskill::trace {

struct CodexOutcome {
  std::optional<std::int32_t> exit_code = {};
  bool is_failure =
      false; // the tool itself could not do it; a command's exit code is another matter
};

// From the lines before `Output:`; what a command printed is not looked at. `raw`: as it stands in
// its JSON string.
CodexOutcome codex_outcome(std::string_view raw);

// {"output": TEXT, "metadata": {"exit_code": N, ...}} as a string, which older versions write.
bool is_codex_json_output(std::string_view raw);

struct CodexJsonOutput {
  std::string_view output; // as it stands between its quotes
  std::optional<std::int32_t> exit_code = {};
};

// `json`: the string, decoded. Nothing where it is something else after all.
std::optional<CodexJsonOutput> read_codex_json_output(std::string_view json);

} // namespace upskill::trace
