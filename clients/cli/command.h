#pragma once
#include "protocol/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

enum class ValueKind { flag, text, number, decimal, choice };

// One thing that may be said on the command line: an option, a positional, or both.
struct Option {
  std::string field; // key in the method's parameters; for our own options their name
  std::string name;  // long name without dashes
  char letter = 0;   // short name, 0 for none
  ValueKind kind = ValueKind::text;
  bool many = false;     // may be repeated
  bool required = false; // a positional that cannot be left out
  int position = -1;     // place among the positionals, -1 for none
  std::vector<std::string> choices = {};
  std::string doc = {};
  std::string without_value = {}; // what the option alone means; empty: it needs a value
  std::string also = {};          // another long name for the same
  bool negates = false;           // a flag that says no: `--no-NAME` of the option before
  bool is_ours = false;           // about what is shown: the daemon is not told
};

// What `upskill WORDS` does: a method of the catalogue, or one of the few commands that are not
// methods (`method` null).
struct Command {
  std::string words;
  std::string summary;
  const MethodInfo* method = nullptr;
  std::vector<Option> options = {};
  bool takes_rest = false; // hands every further word on
};

// The command of a method: required fields are positionals in order, every other field is an option
// of its name with dashes.
Command command_of(const MethodInfo& method);

// The command that these words mean: `runs` for its hidden alias `plot`, `inbox list` for `inbox`
// alone, any other as it is.
std::string_view command_called(std::string_view words);

// A flag with which a command is another one: `generate --propose` is `propose`.
struct TurningFlag {
  std::string_view command;
  std::string_view flag; // with its dashes
  std::string_view meant;
};

// Null where the command has none.
const TurningFlag* find_turning_flag(std::string_view command);

// Null where there is none of these words.
const Command* find_own_command(std::string_view words);
// Commands that are not methods, in the order of the help.
const std::vector<Command>& own_commands();
// Every command, the catalogue's first; `reference` is not shown to people.
std::vector<Command> all_commands();

// Options that every command takes.
const std::vector<Option>& global_options();
// Those that make sense for a command: `--yes` only where something changes.
std::vector<Option> global_options_of(const Command& command);

// Whether the method has a field of that name.
bool has_field(const Command& command, std::string_view field);

// An option of upskill's for jobs on other machines, which says nothing here.
struct MootOption {
  std::string_view name;
  bool takes_value;
};

// Null where there is none of this name, or the command runs nothing anywhere.
const MootOption* find_moot_option(const Command& command, std::string_view name);

} // namespace upskill::cli
