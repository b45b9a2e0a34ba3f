#include "clients/cli/command.h"

#include "clients/connect/text_reader.h"

#include <algorithm>
#include <array>

namespace upskill::cli {
namespace {

// An optional field that may also be said without its name, because that is how one says it.
struct LoosePositional {
  std::string_view command;
  std::string_view field;
};

constexpr std::array<LoosePositional, 18> k_loose_positionals{{{"list", "query"},
                                                               {"update", "skill"},
                                                               {"outdated", "skill"},
                                                               {"rollback", "version"},
                                                               {"sync status", "skill"},
                                                               {"sync plan", "skill"},
                                                               {"sync now", "skill"},
                                                               {"sync log", "skill"},
                                                               {"sync conflicts", "skill"},
                                                               {"sync undo", "id"},
                                                               {"sync resolve", "take"},
                                                               {"trace import", "paths"},
                                                               {"trace purge", "ids"},
                                                               {"trace capture", "action"},
                                                               {"trace allow", "rules"},
                                                               {"inbox list", "id"},
                                                               {"watch status", "skill"},
                                                               {"runs history", "skill"}}};

struct ShortOption {
  std::string_view command; // empty: every command that has the field
  std::string_view field;
  char letter;
};

constexpr std::array k_short_options{ShortOption{"", "limit", 'n'},
                                     ShortOption{"daemon logs", "lines", 'n'},
                                     ShortOption{"agents", "all", 'a'},
                                     ShortOption{"list", "query", 'q'},
                                     // As the Python tool has them.
                                     ShortOption{"", "tests", 't'},
                                     ShortOption{"", "model", 'm'},
                                     ShortOption{"", "verbose", 'v'},
                                     ShortOption{"", "jobs", 'j'},
                                     ShortOption{"", "output", 'o'},
                                     ShortOption{"generate", "example", 'e'},
                                     ShortOption{"generate", "from", 'f'},
                                     ShortOption{"runs", "dir", 'd'},
                                     ShortOption{"runs", "skill", 's'},
                                     ShortOption{"runs history", "skill", 's'},
                                     // As the installer that others use has them.
                                     ShortOption{"install", "skill", 's'},
                                     ShortOption{"install", "agent", 'a'},
                                     ShortOption{"remove", "agent", 'a'},
                                     ShortOption{"setup", "agent", 'a'},
                                     ShortOption{"setup remove", "agent", 'a'}};

// What others call it: upskill's names for what has another one here.
struct OtherName {
  std::string_view field;
  std::string_view name;
};

constexpr std::array<OtherName, 1> k_other_names{{{"jobs", "max-parallel"}}};

// Fields whose name is that of an option which every command takes.
constexpr std::array<OtherName, 1> k_renamed{{{"version", "to"}}};

// Options that may stand without a value.
struct LooseValue {
  std::string_view command;
  std::string_view field;
  std::string_view value;
};

constexpr std::array<LooseValue, 7> k_loose_values{{{"setup", "project", "."},
                                                    {"setup remove", "project", "."},
                                                    {"install", "project", "."},
                                                    {"update", "project", "."},
                                                    {"outdated", "project", "."},
                                                    {"remove", "project", "."},
                                                    {"rollback", "project", "."}}};

// Flags about what is shown, of which the daemon is not told.
struct ShownFlag {
  std::string_view command;
  std::string_view name;
  char letter;
  std::string_view doc;
};

constexpr std::array<ShownFlag, 4> k_shown_flags{
    {{"daemon logs", "follow", 'f', "Go on showing what is added; end with Ctrl-C."},
     {"install", "verbose", 'v', "Also show what is merely worth a note."},
     {"update", "verbose", 'v', "Also show what is merely worth a note."},
     {"scan", "verbose", 'v', "Also show skills without a finding, and what is worth a note."}}};

// Of upskill's main branch of 2026-05, for `--executor jobs`.
constexpr std::array<MootOption, 8> k_moot_options{{{"artifact-repo", true},
                                                    {"wait", false},
                                                    {"no-wait", false},
                                                    {"jobs-timeout", true},
                                                    {"jobs-flavor", true},
                                                    {"jobs-secrets", true},
                                                    {"jobs-namespace", true},
                                                    {"jobs-image", true}}};

// Flags that are on unless told, so that people say no.
constexpr std::array<std::string_view, 1> k_negatable{{"log_runs"}};

// What a command was called before, or is for short: it works, and no help, completion or reference
// names it.
struct Alias {
  std::string_view words;
  std::string_view command;
};

constexpr std::array<Alias, 5> k_aliases{{{"plot", "runs"},
                                          {"inbox", "inbox list"},
                                          {"add", "install"},
                                          {"rm", "remove"},
                                          {"uninstall", "remove"}}};

constexpr std::array<TurningFlag, 4> k_turning_flags{{{"setup", "--remove", "setup remove"},
                                                      {"generate", "--propose", "propose"},
                                                      {"runs", "--history", "runs history"},
                                                      {"eval", "--changed", "eval changed"}}};

std::string with_dashes(std::string_view field) {
  std::string name(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string text_member(const connect::TextReader& value, std::string_view name) {
  auto member = value.member(name);
  return member ? member->string().value_or("") : std::string();
}

std::vector<std::string> texts(std::optional<connect::TextReader> array) {
  std::vector<std::string> out;
  if (array) {
    array->each_element(
        [&](std::size_t, JsonReader& value) { out.push_back(value.string().value_or("")); });
  }
  return out;
}

void read_kind(const connect::TextReader& schema, Option& option) {
  std::string type = text_member(schema, "type");
  option.choices = texts(schema.member("enum"));
  if (!option.choices.empty()) {
    option.kind = ValueKind::choice;
  } else if (type == "boolean") {
    option.kind = ValueKind::flag;
  } else if (type == "integer") {
    option.kind = ValueKind::number;
  } else if (type == "number") {
    option.kind = ValueKind::decimal;
  } else if (type == "array") {
    option.many = true;
    if (auto items = schema.member("items")) {
      read_kind(*items, option);
    }
  }
}

Option own_option(std::string_view name, char letter, ValueKind kind, std::string_view doc) {
  Option option;
  option.field = option.name = name;
  option.letter = letter;
  option.kind = kind;
  option.doc = doc;
  return option;
}

// One that a method's command has besides its fields.
Option added_flag(std::string_view name, char letter, std::string_view doc) {
  Option option = own_option(name, letter, ValueKind::flag, doc);
  option.is_ours = true;
  return option;
}

std::vector<Command> make_own_commands() {
  Option shell = own_option("shell", 0, ValueKind::choice, "The shell it is for.");
  shell.choices = {"bash", "zsh", "fish"};
  shell.required = true;
  shell.position = 0;
  Option about = own_option("command", 0, ValueKind::text, "Words of a command.");
  about.many = true;
  about.position = 0;
  Option folder = own_option("output", 'o', ValueKind::text, "Folder to write to.");
  folder.required = true;

  Option http = own_option("http", 0, ValueKind::text, "Also serve MCP over HTTP at ADDR:PORT.");
  http.without_value = "127.0.0.1:4147"; // as upskilld has it

  std::vector<Command> commands;
  Option skill = own_option("skill", 0, ValueKind::text, "Only these; all unless told.");
  skill.many = true;
  skill.position = 0;
  commands.push_back(
      {"watch",
       "Follow watched skills until you quit: a live picture on a terminal, else lines.",
       nullptr,
       {skill,
        own_option(
            "lines", 0, ValueKind::flag, "Lines on a terminal, too; one for each change.")}});
  Option level = own_option("log", 0, ValueKind::choice, "How much is logged; `info` unless told.");
  level.choices = {"error", "warning", "info", "verbose"};
  commands.push_back(
      {"daemon run",
       "Run the daemon here, until Ctrl-C; takes upskilld's options.",
       nullptr,
       {level,
        http,
        own_option("log-file", 0, ValueKind::text, "Log there instead of to standard error."),
        own_option("mirror", 0, ValueKind::text, "Write every message in both directions there."),
        own_option("trace", 0, ValueKind::text, "Write what takes how long there, for Chrome.")},
       true});
  commands.push_back({"daemon start", "Start the daemon, if it is not running.", nullptr, {http}});
  commands.push_back({"daemon unit", "Print a systemd user unit for the daemon."});
  commands.push_back(
      {"mcp", "Speak MCP on stdin and stdout: what an agent's configuration names."});
  Option event = own_option("event", 0, ValueKind::text, "The event, as the agent calls it.");
  event.required = true;
  event.position = 0;
  commands.push_back(
      {"hook",
       "Note that a session has something new: what an agent's hooks run.",
       nullptr,
       {event,
        own_option("agent", 0, ValueKind::text, "Who runs it; told from the event otherwise.")}});
  commands.push_back({"completion", "Print completions for a shell.", nullptr, {shell}});
  commands.push_back({"man", "Print the man page; `upskill man | man -l -` shows it."});
  commands.push_back({"help", "Show help for a command.", nullptr, {about}});
  commands.push_back({"reference", "Write the generated documents.", nullptr, {folder}});
  return commands;
}

} // namespace

Command command_of(const MethodInfo& method) {
  Command command{std::string(method.command), std::string(method.summary), &method};
  std::string text = method.params_schema();
  auto schema = connect::TextReader::open(text, "the schema");
  if (!schema) {
    return command;
  }
  std::vector<std::string> required = texts(schema->member("required"));
  int position = 0;
  if (auto properties = schema->member("properties")) {
    properties->each_field([&](std::string_view field, JsonReader& value) {
      const auto& detail = static_cast<connect::TextReader&>(value);
      Option option;
      option.field = field;
      option.name = with_dashes(field);
      option.doc = text_member(detail, "description");
      read_kind(detail, option);
      option.required = std::find(required.begin(), required.end(), field) != required.end();
      auto is_this = [&](const auto& row) {
        return row.field == field && (row.command.empty() || row.command == method.command);
      };
      bool loose = std::any_of(k_loose_positionals.begin(), k_loose_positionals.end(), is_this);
      if (option.required || loose) {
        option.position = position++;
      }
      auto letter = std::find_if(k_short_options.begin(), k_short_options.end(), is_this);
      option.letter = letter == k_short_options.end() ? '\0' : letter->letter;
      for (const OtherName& renamed : k_renamed) {
        option.name = renamed.field == field ? renamed.name : option.name;
      }
      for (const LooseValue& loose_value : k_loose_values) {
        option.without_value = is_this(loose_value) ? loose_value.value : option.without_value;
      }
      for (const OtherName& other : k_other_names) {
        option.also = other.field == field ? other.name : option.also;
      }
      Option negation = option;
      command.options.push_back(std::move(option));
      if (std::ranges::find(k_negatable, field) != k_negatable.end()) {
        negation.name = "no-" + negation.name;
        negation.doc = "Do not.";
        negation.negates = true;
        command.options.push_back(std::move(negation));
      }
    });
  }
  for (const ShownFlag& flag : k_shown_flags) {
    if (flag.command == method.command) {
      command.options.push_back(added_flag(flag.name, flag.letter, flag.doc));
    }
  }
  if (const TurningFlag* turning = find_turning_flag(method.command)) {
    // For help and completion: where it is said, the words are read as the other command's.
    command.options.push_back(
        added_flag(turning->flag.substr(2),
                   0,
                   "Instead: `upskill " + std::string(turning->meant) + "`, with its options."));
  }
  return command;
}

std::string_view command_called(std::string_view words) {
  auto is_this = [&](const Alias& alias) { return alias.words == words; };
  auto found = std::find_if(k_aliases.begin(), k_aliases.end(), is_this);
  return found == k_aliases.end() ? words : found->command;
}

const TurningFlag* find_turning_flag(std::string_view command) {
  auto found = std::ranges::find(k_turning_flags, command, &TurningFlag::command);
  return found == k_turning_flags.end() ? nullptr : found;
}

const std::vector<Command>& own_commands() {
  static const std::vector<Command> k_commands = make_own_commands();
  return k_commands;
}

const Command* find_own_command(std::string_view words) {
  for (const Command& command : own_commands()) {
    if (command.words == words) {
      return &command;
    }
  }
  return nullptr;
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const MethodInfo& method : catalog()) {
    if (!method.command.empty()) {
      commands.push_back(command_of(method));
    }
  }
  const std::vector<Command>& own = own_commands();
  commands.insert(commands.end(), own.begin(), own.end());
  return commands;
}

const std::vector<Option>& global_options() {
  static const std::vector<Option> k_options{
      own_option("json", 0, ValueKind::flag, "Print the result as one JSON document."),
      own_option("yes", 'y', ValueKind::flag, "Do it without asking."),
      own_option("private", 0, ValueKind::flag, "Use a daemon and a state for this command alone."),
      own_option("config", 0, ValueKind::text, "Path of the configuration to use."),
      own_option("no-color", 0, ValueKind::flag, "No colours; NO_COLOR does the same."),
      own_option("help", 'h', ValueKind::flag, "Show help."),
      own_option("version", 'V', ValueKind::flag, "Show the version."),
  };
  return k_options;
}

std::vector<Option> global_options_of(const Command& command) {
  std::vector<Option> options;
  bool changes = command.method != nullptr && command.method->effect != Effect::reads
                 && has_field(command, "dry_run");
  for (const Option& option : global_options()) {
    bool about_methods =
        option.name == "private" || option.name == "config"
        || (option.name == "json" && (command.words == "mcp" || command.words == "hook"));
    if ((option.name == "yes" && !changes) || option.name == "version"
        || (about_methods && command.method == nullptr)) {
      continue;
    }
    options.push_back(option);
  }
  return options;
}

bool has_field(const Command& command, std::string_view field) {
  return std::any_of(command.options.begin(), command.options.end(), [&](const Option& option) {
    return option.field == field;
  });
}

const MootOption* find_moot_option(const Command& command, std::string_view name) {
  auto found = std::ranges::find(k_moot_options, name, &MootOption::name);
  return found != k_moot_options.end() && has_field(command, "executor") ? found : nullptr;
}

} // namespace upskill::cli
