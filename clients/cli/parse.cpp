#include "clients/cli/parse.h"

#include "clients/cli/suggest.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace upskill::cli {
namespace {

const MethodInfo* method_of(std::string_view words) {
  for (const MethodInfo& method : catalog()) {
    if (!words.empty() && method.command == words) {
      return &method;
    }
  }
  return nullptr;
}

std::optional<Command> find_command(std::string_view words) {
  words = command_called(words);
  if (const MethodInfo* method = method_of(words)) {
    return command_of(*method);
  }
  const Command* own = find_own_command(words);
  return own == nullptr ? std::nullopt : std::optional(*own);
}

std::vector<std::string> command_words() {
  std::vector<std::string> words;
  for (const MethodInfo& method : catalog()) {
    if (!method.command.empty()) {
      words.emplace_back(method.command);
    }
  }
  for (const Command& command : own_commands()) {
    if (command.words != "reference") {
      words.push_back(command.words);
    }
  }
  return words;
}

tl::unexpected<Error> usage(std::string message, std::string hint) {
  return fail(ErrorCode::invalid_argument, std::move(message), std::move(hint));
}

tl::unexpected<Error> unknown_command(std::string_view first, std::string_view second) {
  std::vector<std::string> all = command_words();
  std::vector<std::string> below = commands_below(first);
  if (!below.empty() && second.empty()) {
    return usage("`" + std::string(first) + "` needs a further word", "one of " + joined(below));
  }
  std::string written(first);
  std::string meant;
  if (!below.empty()) {
    written += " " + std::string(second);
    meant = suggestion(written, all);
  } else {
    std::vector<std::string> starts = all;
    for (std::string& words : starts) {
      words.resize(std::min(words.find(' '), words.size()));
    }
    meant = suggestion(first, starts);
    // What is written for short: `conflicts` for `sync conflicts`.
    for (const std::string& words : all) {
      if (meant.empty() && words.ends_with(" " + std::string(first))) {
        meant = words;
      }
    }
  }
  return usage("there is no command `" + clean_line(written) + "`",
               meant.empty() ? "`upskill help` lists the commands"
                             : "did you mean `upskill " + meant + "`?");
}

// Reads the words one after the other. Lives for one parse.
class Reading {
public:
  explicit Reading(std::span<const std::string_view> words)
      : m_words(words) {}

  Result<Invocation> run() {
    while (m_at < m_words.size()) {
      std::string_view word = m_words[m_at++];
      if (m_out.command.takes_rest) {
        hand_on(word);
      } else if (!m_options_ended && word == "--") {
        m_options_ended = true;
      } else if (!m_options_ended && !m_turned_by.empty() && word == m_turned_by) {
        continue; // it has said which command this is
      } else if (!m_options_ended && word.size() > 2 && word.starts_with("--")) {
        TRY(long_option(word.substr(2)));
      } else if (!m_options_ended && word.size() > 1 && word.front() == '-') {
        TRY(short_options(word.substr(1)));
      } else if (m_out.command.words.empty()) {
        TRY(choose_command(word));
      } else {
        TRY(positional(word));
      }
    }
    TRY(check_complete());
    imply_scope();
    return std::move(m_out);
  }

private:
  Result<void> choose_command(std::string_view word) {
    std::string_view next = m_at < m_words.size() ? m_words[m_at] : std::string_view();
    std::optional<Command> found;
    if (!next.empty()) {
      found = find_command(std::string(word) + " " + std::string(next));
    }
    if (found) {
      ++m_at;
    } else if (is_group(word) && (next == "--help" || next == "-h")) {
      m_out.command.words = word; // help of the group
      return {};
    } else if (!is_group(word) || next.empty() || next.starts_with("-")) {
      found = find_command(word); // a group's word that stands alone may be a command, too
    }
    if (!found) {
      return unknown_command(word, next.starts_with("-") ? std::string_view() : next);
    }
    m_out.command = turned(std::move(*found));
    return {};
  }

  // What the command is with the flags that follow it.
  Command turned(Command command) {
    const TurningFlag* turning = find_turning_flag(command.words);
    std::span<const std::string_view> ahead = m_words.subspan(m_at);
    ahead = ahead.first(
        static_cast<std::size_t>(std::ranges::find(ahead, std::string_view("--")) - ahead.begin()));
    if (turning == nullptr || std::ranges::find(ahead, turning->flag) == ahead.end()) {
      return command;
    }
    std::optional<Command> meant = find_command(turning->meant);
    if (!meant) {
      return command;
    }
    m_turned_by = turning->flag;
    return std::move(*meant);
  }

  // What is about this program stays here, the rest is another's.
  void hand_on(std::string_view word) {
    if (word == "--help" || word == "-h") {
      m_out.help = true;
    } else if (word == "--json" || word == "--no-color") {
      set_global(word.substr(2), {});
    } else {
      m_out.rest.emplace_back(word);
    }
  }

  std::array<const std::vector<Option>*, 2> option_lists() const {
    return {&m_out.command.options, &global_options()};
  }

  const Option* find(std::string_view name, char letter) const {
    auto fits = [&](const Option& option) {
      // A positional that has to be given has no name of its own; a loose one has both.
      bool named = option.position < 0 || !option.required;
      return named
             && (letter != 0 ? option.letter == letter
                             : option.name == name || (!name.empty() && option.also == name));
    };
    for (const std::vector<Option>* options : option_lists()) {
      auto found = std::find_if(options->begin(), options->end(), fits);
      if (found != options->end()) {
        return &*found;
      }
    }
    return nullptr;
  }

  Result<void> long_option(std::string_view text) {
    std::size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    const Option* option = find(name, 0);
    if (option == nullptr) {
      return is_moot(name, equals != std::string_view::npos)
                 ? Result<void>()
                 : unknown_option("--" + std::string(name));
    }
    std::string label = "--" + option->name;
    if (option->kind == ValueKind::flag) {
      if (equals != std::string_view::npos) {
        return usage("`" + label + "` takes no value", "write `" + label + "` alone");
      }
      return take(*option, "", label);
    }
    if (equals != std::string_view::npos) {
      return take(*option, text.substr(equals + 1), label);
    }
    return take_next(*option, label);
  }

  // What upskill has for jobs on other machines: scripts that were written for it say it here, too.
  bool is_moot(std::string_view name, bool has_value) {
    const MootOption* found = find_moot_option(m_out.command, name);
    if (found == nullptr) {
      return false;
    }
    m_at += found->takes_value && !has_value && m_at < m_words.size() ? 1 : 0;
    m_out.moot.push_back("--" + std::string(name));
    return true;
  }

  Result<void> short_options(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      std::string label = std::string("-") + letters[i];
      const Option* option = find({}, letters[i]);
      if (option == nullptr) {
        return unknown_option(label);
      }
      if (option->kind == ValueKind::flag) {
        TRY(take(*option, "", label));
      } else if (i + 1 < letters.size()) {
        return take(*option, letters.substr(i + 1), label);
      } else {
        return take_next(*option, label);
      }
    }
    return {};
  }

  Result<void> take_next(const Option& option, const std::string& label) {
    bool has_next = m_at < m_words.size();
    if (!option.without_value.empty() && (!has_next || m_words[m_at].starts_with("-"))) {
      return take(option, option.without_value, label);
    }
    if (!has_next) {
      return usage("`" + label + "` needs a value", option.doc);
    }
    return take(option, m_words[m_at++], label);
  }

  Result<void> positional(std::string_view word) {
    for (const Option& option : m_out.command.options) {
      if (option.position == m_position) {
        m_position += option.many ? 0 : 1;
        return take(option, word, "`" + option.name + "`");
      }
    }
    return usage("`" + clean_line(word) + "` is one word too many for `upskill "
                     + m_out.command.words + "`",
                 "`upskill help " + m_out.command.words + "` shows what it takes");
  }

  Result<void> unknown_option(const std::string& label) {
    std::vector<std::string> names;
    for (const std::vector<Option>* options : option_lists()) {
      for (const Option& option : *options) {
        if (option.position < 0 || !option.required) {
          names.push_back("--" + option.name);
        }
      }
    }
    std::string meant = suggestion(label, names);
    std::string where = m_out.command.words.empty() ? "upskill" : "upskill " + m_out.command.words;
    std::string help = "upskill help" + where.substr(std::string_view("upskill").size());
    return usage("`" + where + "` has no option `" + clean_line(label) + "`",
                 meant.empty() ? "`" + help + "` lists them" : "did you mean `" + meant + "`?");
  }

  Result<void> take(const Option& option, std::string_view value, const std::string& label) {
    if (is_global(option)) {
      if (option.kind != ValueKind::flag && value.empty()) {
        return usage(quoted(label) + " needs a value", option.doc);
      }
      set_global(option.name, value);
      return {};
    }
    if (option.kind == ValueKind::number) {
      std::int64_t number = 0;
      auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (problem != std::errc{} || end != value.data() + value.size()) {
        return usage("`" + clean_line(value) + "` is not a whole number for " + quoted(label),
                     option.doc);
      }
    }
    if (option.kind == ValueKind::decimal) {
      double number = 0;
      auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (problem != std::errc{} || end != value.data() + value.size() || !std::isfinite(number)) {
        return usage("`" + clean_line(value) + "` is not a number for " + quoted(label),
                     option.doc);
      }
    }
    if (option.kind == ValueKind::choice
        && std::find(option.choices.begin(), option.choices.end(), value) == option.choices.end()) {
      return usage("`" + clean_line(value) + "` is no value for " + quoted(label),
                   "one of " + joined(option.choices));
    }
    std::vector<std::string>& values = m_out.values[option.field];
    if (!values.empty() && !option.many && option.kind != ValueKind::flag) {
      return usage(quoted(label) + " was given twice", "say it once");
    }
    values.emplace_back(option.negates ? k_no : value);
    return {};
  }

  static std::string quoted(const std::string& label) {
    return label.front() == '`' ? label : "`" + label + "`";
  }

  bool is_global(const Option& option) const {
    const std::vector<Option>& options = global_options();
    return &option >= options.data() && &option < options.data() + options.size();
  }

  void set_global(std::string_view name, std::string_view value) {
    m_out.json = m_out.json || name == "json";
    m_out.yes = m_out.yes || name == "yes";
    m_out.run_private = m_out.run_private || name == "private";
    m_out.no_color = m_out.no_color || name == "no-color";
    m_out.help = m_out.help || name == "help";
    m_out.version = m_out.version || name == "version";
    if (name == "config") {
      m_out.config = value;
    }
  }

  Result<void> check_complete() const {
    if (m_out.help || m_out.version) {
      return {};
    }
    for (const Option& option : m_out.command.options) {
      if (option.required && m_out.values.find(option.field) == m_out.values.end()) {
        std::string label = option.position < 0 ? "--" + option.name : option.name;
        return usage("`upskill " + m_out.command.words + "` needs `" + label + "`", option.doc);
      }
    }
    return {};
  }

  // Who names a project means the skills in it.
  void imply_scope() {
    auto may_stand_alone = [](const Option& option) {
      return option.field == "project" && !option.without_value.empty();
    };
    if (m_out.flag("project") && !m_out.flag("scope")
        && std::ranges::any_of(m_out.command.options, may_stand_alone)) {
      m_out.values["scope"] = {"project"};
    }
  }

  std::span<const std::string_view> m_words;
  std::size_t m_at = 0;
  bool m_options_ended = false;
  int m_position = 0;
  std::string_view m_turned_by = {}; // the flag that has made the command another one
  Invocation m_out = {};
};

} // namespace

Result<Invocation> parse(std::span<const std::string_view> words) {
  return Reading(words).run();
}

bool is_group(std::string_view word) {
  std::vector<std::string> below = commands_below(word);
  if (const TurningFlag* turning = find_turning_flag(word)) {
    std::erase_if(below, [&](const std::string& one) { // `runs history`, which is said as a flag
      return std::string(word) + " " + one == turning->meant;
    });
  }
  if (below.empty()) {
    return false;
  }
  std::optional<Command> alone = find_command(word);
  return !alone || alone->words != word // `inbox`, which is another name of `inbox list`
         || std::ranges::none_of(alone->options,
                                 [](const Option& option) { return option.position >= 0; });
}

std::vector<std::string> commands_below(std::string_view word) {
  std::vector<std::string> below;
  for (const std::string& words : command_words()) {
    if (words.size() > word.size() + 1 && words.starts_with(word) && words[word.size()] == ' ') {
      below.push_back(words.substr(word.size() + 1));
    }
  }
  return below;
}

} // namespace upskill::cli
