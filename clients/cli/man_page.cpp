#include "clients/cli/man_page.h"

#include "clients/cli/manual.h"

#include <algorithm>

namespace upskill::cli {
namespace {

// Hyphens that are to be copied, backslashes, and dots that would begin a request.
std::string escaped(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) {
    out += "\\&";
  }
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// Back-ticked words become bold.
std::string prose(std::string_view text) {
  std::string out;
  bool bold = false;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('`', at), text.size());
    std::string part = escaped(text.substr(at, end - at));
    out += bold ? "\\fB" + part + "\\fR" : part;
    bold = !bold;
    at = end + 1;
  }
  return out;
}

std::string term(std::string_view name, std::string_view meaning) {
  return ".TP\n.B " + escaped(name) + "\n" + prose(meaning) + "\n";
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

} // namespace

std::string man_page() {
  std::string out = ".TH UPSKILL 1 \"\" \"upskill " UPSKILL_VERSION "\" \"User Commands\"\n"
                    ".SH NAME\nupskill \\- keep agent skills in sync across coding agents\n"
                    ".SH SYNOPSIS\n.B upskill\n.I command\n.RI [ options ]\n"
                    ".SH DESCRIPTION\n"
                    "Agent skills are folders with a SKILL.md. upskill keeps their copies in the "
                    "folders of coding agents in agreement, through its daemon\n.BR upskilld ,\n"
                    "which every command starts where it is absent.\n";
  std::vector<std::string_view> titles;
  for (const Group& group : groups()) {
    titles.push_back(group.title);
  }
  titles.push_back("More");
  out += ".SH COMMANDS\n";
  std::vector<Command> commands = all_commands();
  for (std::string_view title : titles) {
    out += ".SS " + std::string(title) + "\n";
    for (const Command& command : commands) {
      if (group_of(command) != title || command.words == "reference") {
        continue;
      }
      out += term(usage_of(command), command.summary);
      for (const Option& option : command.options) {
        if (option.position < 0) {
          out += ".RS\n" + term(trimmed(label_of(option)), doc_of(option)) + ".RE\n";
        }
      }
    }
  }
  out += ".SH OPTIONS\n";
  for (const Option& option : global_options()) {
    out += term(trimmed(label_of(option)), doc_of(option));
  }
  out += ".SH EXIT STATUS\n";
  for (const Term& code : exit_codes()) {
    out += term(code.name, code.meaning);
  }
  out += ".SH ENVIRONMENT\n";
  for (const Term& variable : environment_variables()) {
    out += term(variable.name, variable.meaning);
  }
  out += ".SH FILES\n";
  for (const Term& file : files()) {
    out += term(file.name, file.meaning);
  }
  out += ".SH EXAMPLES\n";
  for (const Example& example : examples()) {
    out += term(example.line, example.meaning);
  }
  return out;
}

} // namespace upskill::cli
