#include "clients/cli/completion_words.h"

#include <algorithm>
#include <array>

namespace upskill::cli {

bool takes_path(const Option& option) {
  constexpr std::array<std::string_view, 18> k_paths{{"paths",
                                                      "path",
                                                      "source",
                                                      "from",
                                                      "project",
                                                      "config",
                                                      "output",
                                                      "tests",
                                                      "against",
                                                      "html",
                                                      "junit",
                                                      "csv",
                                                      "benchmark_json",
                                                      "record",
                                                      "replay",
                                                      "runs_dir",
                                                      "dir",
                                                      "log_file"}};
  return std::ranges::find(k_paths, option.field) != k_paths.end();
}

bool takes_skill(const Option& option) {
  return option.field == "skill" || option.field == "with";
}

bool takes_agent(const Option& option) {
  return option.kind != ValueKind::flag
         && (option.field == "agent" || option.field == "without" || option.field == "link");
}

std::vector<std::string> values_of(const Option& option) {
  if (option.field == "scope") {
    return {"user", "project"};
  }
  if (option.field == "take" && option.choices.empty()) {
    return {"winner", "loser", "delete", "restore"};
  }
  if (option.field == "student") {
    return {"chat",
            "agent",
            "cli.claude-code",
            "cli.codex",
            "cli.gemini",
            "cli.opencode",
            "cli.copilot",
            "cli.cursor"};
  }
  return option.choices;
}

bool is_of_its_command(const Option& option) {
  return option.field == "take" || option.field == "format" || option.field == "link";
}

} // namespace upskill::cli
