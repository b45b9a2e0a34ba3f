#include "clients/cli/run.h"

#include "clients/cli/call_method.h"
#include "clients/cli/complain.h"
#include "clients/cli/completion.h"
#include "clients/cli/daemon_commands.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/help.h"
#include "clients/cli/man_page.h"
#include "clients/cli/parse.h"
#include "clients/cli/reference.h"
#include "clients/cli/text.h"

namespace upskill::cli {
namespace {

int refuse(const Error& error, bool plain) {
  complain(error, plain);
  return exit_code_of(error);
}

int show_help(const Command& command, const Screen& screen) {
  Page page(screen);
  if (command.words.empty()) {
    show_overview(page);
  } else if (!commands_below(command.words).empty()) {
    show_group(page, command.words);
  } else {
    show_command(page, command);
  }
  return page.print() ? k_done : k_could_not;
}

int help_about(const Invocation& invocation, const Screen& screen) {
  auto found = invocation.values.find("command");
  if (found == invocation.values.end()) {
    return show_help({}, screen);
  }
  std::vector<std::string_view> words(found->second.begin(), found->second.end());
  words.push_back("--help");
  Result<Invocation> about = parse(words);
  return about ? show_help(about->command, screen) : refuse(about.error(), invocation.no_color);
}

int print_completion(const Invocation& invocation) {
  std::string shell = invocation.value("shell").value_or("");
  std::string script = shell == "bash"  ? bash_completion()
                       : shell == "zsh" ? zsh_completion()
                                        : fish_completion();
  return write_all(1, script) ? k_done : k_could_not;
}

int run_own_command(const Invocation& invocation,
                    const Screen& screen,
                    const Environment& environment) {
  const std::string& words = invocation.command.words;
  if (words == "help") {
    return help_about(invocation, screen);
  }
  if (words == "daemon run") {
    return run_daemon(invocation, environment);
  }
  if (words == "daemon start") {
    return start_daemon(invocation, environment);
  }
  if (words == "daemon unit") {
    return print_unit(invocation, environment);
  }
  if (words == "completion") {
    return print_completion(invocation);
  }
  if (words == "man") {
    return write_all(1, man_page()) ? k_done : k_could_not;
  }
  if (words == "reference") {
    Result<void> written = write_reference(invocation.value("output").value_or(""));
    return written ? k_done : refuse(written.error(), invocation.no_color);
  }
  // `mcp` alone never gets here; with options it does.
  return refuse(
      {ErrorCode::invalid_argument, "`upskill mcp` takes no options", "`upskill help mcp`"},
      invocation.no_color);
}

} // namespace

int run(std::span<char*> argv) {
  std::vector<std::string_view> words;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    words.emplace_back(argv[i]);
  }
  Environment environment = process_environment();
  Result<Invocation> parsed = parse(words);
  if (!parsed) {
    return refuse(parsed.error(), environment("NO_COLOR").has_value());
  }
  Invocation& invocation = *parsed;
  invocation.no_color = invocation.no_color || !environment("NO_COLOR").value_or("").empty();
  if (invocation.version) {
    return write_all(1, "upskill " UPSKILL_VERSION "\n") ? k_done : k_could_not;
  }
  Screen screen = this_screen(environment, invocation.no_color);
  if (invocation.help || invocation.command.words.empty()) {
    return show_help(invocation.command, screen);
  }
  if (invocation.command.method == nullptr) {
    return run_own_command(invocation, screen, environment);
  }
  if (invocation.command.method->name == "daemon_stop") {
    return stop_daemon(invocation, screen, environment);
  }
  if (invocation.command.method->name == "daemon_logs") {
    return show_logs(invocation, screen, environment);
  }
  return call_method(invocation, screen, environment);
}

} // namespace upskill::cli
