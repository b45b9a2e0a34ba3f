#include "skills/danger/capabilities.h"
#include "skills/danger/checks.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr Danger k_all_tools = {"tools-unlimited",
                                Severity::warning,
                                "lets the agent run any command without asking",
                                "name the commands that the skill needs, as `Bash(git:*)`"};
constexpr Danger k_bash = {"tools-unlimited",
                           Severity::note,
                           "lets the agent run commands without asking",
                           "name the commands that the skill needs, as `Bash(git:*)`"};
constexpr Danger k_launcher = {"tools-wide",
                               Severity::warning,
                               "lets the agent run, without asking, a program that runs any other",
                               "name the commands that the skill needs instead"};
constexpr Danger k_hooks = {"hooks",
                            Severity::warning,
                            "has commands that run by themselves while the skill is in use",
                            "read each of them; an agent does not ask before they run"};
constexpr Danger k_load = {"load-command",
                           Severity::note,
                           "has a command that runs as soon as the skill is loaded",
                           "read it; an agent does not ask before it runs"};

// `Bash(sudo:*)`: the program is as good as a shell.
bool is_launcher(std::string_view tool) {
  constexpr std::array<std::string_view, 10> k_programs{
      "sudo", "bash", "sh", "zsh", "eval", "exec", "env", "xargs", "ssh", "su"};
  if (!tool.starts_with("Bash(")) {
    return false;
  }
  std::string_view program = tool.substr(5);
  program = program.substr(0, program.find_first_of(": )"));
  return std::ranges::find(k_programs, program) != k_programs.end();
}

} // namespace

void check_capabilities(const FileView& view, Findings& findings) {
  for (const Capability& tool : allowed_tools(view)) {
    if (is_launcher(tool.what)) {
      findings.add_quoting(view, k_launcher, tool.at, tool.what);
    } else if (is_unlimited(tool.what)) {
      bool is_plain = tool.what.find('*') == std::string::npos;
      findings.add_quoting(view, is_plain ? k_bash : k_all_tools, tool.at, tool.what);
    }
  }
  for (const Capability& command : hook_commands(view)) {
    findings.add_quoting(view, k_hooks, command.at, command.what);
  }
  for (const Capability& command : load_commands(view)) {
    findings.add_quoting(view, k_load, command.at, command.what);
  }
}

} // namespace upskill::danger
