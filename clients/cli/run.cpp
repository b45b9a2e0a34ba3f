#include "clients/cli/run.h"

#include "clients/cli/call_method.h"
#include "clients/cli/complain.h"
#include "clients/cli/completion.h"
#include "clients/cli/daemon_commands.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/help.h"
#include "clients/cli/json_output.h"
#include "clients/cli/man_page.h"
#include "clients/cli/parse.h"
#include "clients/cli/reference.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_command.h"
#include "clients/hook/run_hook.h"
#include "protocol/codec/writer.h"

#include <cerrno>

namespace upskill::cli {
namespace {

int refuse(const Error& error, bool plain) {
  complain(error, plain);
  return exit_code_of(error);
}

int show_help(const Command& command, const Screen& screen, bool json) {
  if (json) {
    print_json(help_document(command));
    return k_done;
  }
  Page page(screen);
  if (command.words.empty()) {
    show_overview(page);
  } else if (is_group(command.words)) {
    show_group(page, command.words);
  } else {
    show_command(page, command);
  }
  page.print();
  return k_done;
}

int help_about(const Invocation& invocation, const Screen& screen) {
  auto found = invocation.values.find("command");
  if (found == invocation.values.end()) {
    return show_help({}, screen, invocation.json);
  }
  std::vector<std::string_view> words(found->second.begin(), found->second.end());
  words.push_back("--help");
  Result<Invocation> about = parse(words);
  return about ? show_help(about->command, screen, invocation.json)
               : refuse(about.error(), invocation.no_color);
}

void print_completion(const Invocation& invocation) {
  std::string shell = invocation.value("shell").value_or("");
  std::string script = shell == "bash"  ? bash_completion()
                       : shell == "zsh" ? zsh_completion()
                                        : fish_completion();
  print_text(invocation, "script", script);
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
  if (words == "watch") {
    return watch(invocation, screen, environment);
  }
  if (words == "completion") {
    print_completion(invocation);
    return k_done;
  }
  if (words == "man") {
    print_text(invocation, "page", man_page());
    return k_done;
  }
  if (words == "reference") {
    Result<void> written = write_reference(invocation.value("output").value_or(""));
    if (!written) {
      return refuse(written.error(), invocation.no_color);
    }
    if (invocation.json) {
      print_json("{\"folder\":" + json_string(invocation.value("output").value_or("")) + "}");
    }
    return k_done;
  }
  if (words == "hook") {
    // Where its words come first, `main` has answered it.
    std::string event = invocation.value("event").value_or("");
    std::string agent = invocation.value("agent").value_or("");
    return hook::answer_hook({.event = event, .agent = agent});
  }
  // `mcp` alone never gets here; with options it does.
  return refuse(
      {ErrorCode::invalid_argument, "`upskill mcp` takes no options", "`upskill help mcp`"},
      invocation.no_color);
}

int act(std::span<char*> argv) {
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
    if (invocation.json) {
      print_json("{\"version\":" + json_string(UPSKILL_VERSION) + "}");
    } else {
      write_all(1, "upskill " UPSKILL_VERSION "\n");
    }
    return k_done;
  }
  Screen screen = this_screen(environment, invocation.no_color);
  if (invocation.help || invocation.command.words.empty()) {
    return show_help(invocation.command, screen, invocation.json);
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

// Whoever stops reading a pipe has what they wanted; anything else that keeps stdout from taking
// the result is a failure, whatever became of the command.
int code_after_output(int code) {
  int problem = stdout_problem();
  if (problem == 0 || problem == EPIPE || code == k_interrupted) {
    return code;
  }
  Error error = system_error(problem, "the result cannot be written to standard output");
  error.hint = "what the command does was done; send its result where there is room, or open "
               "standard output";
  complain(error, true);
  return k_could_not;
}

} // namespace

int run(std::span<char*> argv) {
  settle_descriptors();
  return code_after_output(act(argv));
}

} // namespace upskill::cli
