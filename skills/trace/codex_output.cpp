#include "skills/trace/codex_output.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_header = 600; // bytes before `Output:`; the real ones have about 150

constexpr std::array<std::string_view, 2> k_exits{"Process exited with code ", "Exit code: "};

// How results begin when there is no output because the tool could not even start.
constexpr std::array<std::string_view, 9> k_failures{"apply_patch verification failed",
                                                     "exec_command failed",
                                                     "write_stdin failed",
                                                     "failed to parse function arguments",
                                                     "unsupported call",
                                                     "execution error",
                                                     "aborted by user",
                                                     "tool call error",
                                                     "Script failed"};

std::optional<std::int32_t> number_at(std::string_view text) {
  std::int32_t code = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), code).ec != std::errc{}) {
    return std::nullopt;
  }
  return code;
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

} // namespace

CodexOutcome codex_outcome(std::string_view raw) {
  CodexOutcome outcome;
  outcome.is_failure = std::ranges::any_of(
      k_failures, [&](std::string_view letters) { return raw.starts_with(letters); });
  std::optional<std::int32_t> code;
  std::string_view header = raw.substr(0, k_max_header);
  while (!header.empty()) {
    if (header.starts_with("Output:")) {
      outcome.exit_code = code;
      break;
    }
    for (std::string_view letters : k_exits) {
      if (header.starts_with(letters)) {
        code = number_at(header.substr(letters.size()));
      }
    }
    std::size_t end = header.find("\\n");
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 2);
  }
  return outcome;
}

bool is_codex_json_output(std::string_view raw) {
  return raw.starts_with("{\\\"output\\\":") && raw.find("\\\"exit_code\\\":") != raw.npos;
}

std::optional<CodexJsonOutput> read_codex_json_output(std::string_view json) {
  constexpr std::string_view opening = "{\"output\":";
  if (!json.starts_with(opening)) {
    return std::nullopt;
  }
  json = without_blanks(json.substr(opening.size()));
  if (!json.starts_with('"')) {
    return std::nullopt;
  }
  std::size_t end = 1;
  while (end < json.size() && json[end] != '"') {
    end += json[end] == '\\' ? 2 : 1;
  }
  if (end >= json.size()) {
    return std::nullopt;
  }
  CodexJsonOutput output{json.substr(1, end - 1)};
  json.remove_prefix(end + 1);
  constexpr std::string_view key = "\"exit_code\":";
  if (std::size_t at = json.find(key); at != std::string_view::npos) {
    output.exit_code = number_at(without_blanks(json.substr(at + key.size())));
  }
  return output;
}

} // namespace upskill::trace
