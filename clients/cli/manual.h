#pragma once
#include "clients/cli/command.h"

#include <span>
#include <string>
#include <string_view>

namespace upskill::cli {

// What help, man page and reference tell beyond the catalogue: order, examples, exit codes, files.

struct Group {
  std::string_view title;
  std::string_view words; // commands of these first words, separated by spaces
};

struct Example {
  std::string_view command; // words of the command it belongs to
  std::string_view line;
  std::string_view meaning;
  bool overview = false; // shown by `upskill help` as well
};

struct Term {
  std::string_view name;
  std::string_view meaning;
};

std::span<const Group> groups();
std::span<const Example> examples();
std::span<const Term> exit_codes();
std::span<const Term> environment_variables();
std::span<const Term> files();

// The title of the group a command belongs to.
std::string_view group_of(const Command& command);

// "upskill sync undo [ID] [OPTIONS]".
std::string usage_of(const Command& command);
// "-n, --limit N".
std::string label_of(const Option& option);
// Its description with the choices, when there are any.
std::string doc_of(const Option& option);
// Options of a command that are not only positionals, then the global ones that suit it.
std::vector<Option> named_options(const Command& command);

} // namespace upskill::cli
