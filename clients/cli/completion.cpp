#include "clients/cli/completion.h"

#include "clients/cli/completion_words.h"
#include "clients/cli/manual.h"
#include "clients/cli/parse.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <array>

namespace upskill::cli {
namespace {

std::vector<Command> shown_commands() {
  std::vector<Command> commands = all_commands();
  std::erase_if(commands, [](const Command& command) { return command.words == "reference"; });
  return commands;
}

// "list", "sync" and so on, each once, in order.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const Command& command : shown_commands()) {
    std::string word = command.words.substr(0, command.words.find(' '));
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
  }
  return words;
}

// Every word that a command is made of, each once.
std::vector<std::string> command_words() {
  std::vector<std::string> words = first_words();
  for (const std::string& first : first_words()) {
    for (std::string& word : commands_below(first)) {
      if (std::find(words.begin(), words.end(), word) == words.end()) {
        words.push_back(std::move(word));
      }
    }
  }
  return words;
}

std::string spaced(const std::vector<std::string>& words) {
  return joined(words, " ");
}

// For single quotes in a shell's script.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

// For the brackets of zsh's _arguments.
std::string bracketed(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool is_special = std::string_view("[]:\\").find(c) != std::string_view::npos;
    out += is_special ? std::string{'\\', c} : std::string(1, c);
  }
  return out;
}

std::string option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : named_options(command)) {
    names.push_back("--" + option.name);
  }
  return spaced(names);
}

// What each positional of a command may be, as a case of the bash script.
std::string bash_words(const Command& command) {
  std::string cases;
  std::string below = spaced(commands_below(command.words)); // `eval accept`, beside `eval PATH`
  for (const Option& option : command.options) {
    std::string found;
    if (option.position < 0) {
      continue;
    }
    if (std::string values = spaced(values_of(option)); !values.empty()) {
      found = "words=\"" + values + "\"";
    } else if (takes_path(option)) {
      found = "paths=1";
    } else if (takes_skill(option)) {
      found = "skills=1";
    } else if (option.field == "command") {
      cases += "0) words=\"" + spaced(first_words()) + "\" ;; ";
      found = "_upskill_second \"$last\"";
    } else {
      continue;
    }
    if (option.position == 0 && !below.empty()) {
      cases += "0) " + found + "; words=\"" + below + "\" ;; ";
    }
    cases += (option.many ? "*" : std::to_string(option.position)) + ") " + found + " ;; ";
  }
  return cases.empty() ? "" : "case $place in " + cases + "esac; ";
}

// In zsh, what follows a command that takes words may be a further word of another one: `watch
// run`.
std::string further_in_zsh(const std::string& word, auto&& arguments) {
  std::string cases;
  for (const Command& command : shown_commands()) {
    if (command.words.starts_with(word + " ")) {
      cases += "\n        " + command.words.substr(word.size() + 1)
               + ") shift 2 words; (( CURRENT -= 2 )); " + arguments(command) + "; return ;;";
    }
  }
  return cases.empty() ? cases
                       : "(( CURRENT == 3 )) && compadd " + spaced(commands_below(word))
                             + "\n      (( CURRENT > 3 )) && case $words[3] in" + cases
                             + "\n      esac\n      ";
}

// Of a first word: the command's own, or what those below it are about.
std::string meaning_of(const std::string& word) {
  for (const Command& command : shown_commands()) {
    if (command.words == word) {
      return command.summary;
    }
  }
  return commands_below(word).empty() ? "" : "commands about " + word;
}

std::string global_names() {
  std::vector<std::string> names;
  for (const Option& option : global_options()) {
    names.push_back("--" + option.name);
  }
  return spaced(names);
}

} // namespace

std::string bash_completion() {
  std::string out = "# bash completion for upskill; written by `upskill completion bash`\n"
                    "_upskill_second() {\n  case $1 in\n";
  std::string groups;
  for (const std::string& word : first_words()) {
    if (std::vector<std::string> below = commands_below(word); is_group(word)) {
      groups += (groups.empty() ? "" : "|") + word;
      out += "    " + word + ") words=\"" + spaced(below) + "\" ;;\n";
    }
  }
  out += "  esac\n}\n"
         "_upskill() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=\"\" word options=\"\" words=\"\" paths=\"\" skills=\"\"\n"
         "  local i last=\"\" place=0\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    [[ $word == -* ]] && continue\n"
         "    if [[ -z $command ]]; then command=$word\n";
  out += "    elif [[ $command == @(";
  // A command that takes words, one of which makes another command of it: `eval accept`.
  std::string mixed;
  for (const Command& command : shown_commands()) {
    std::size_t space = command.words.find(' ');
    if (space != std::string::npos && !is_group(command.words.substr(0, space))) {
      mixed += (mixed.empty() ? "" : "|") + in_quotes(command.words);
    }
  }
  out += groups + ") || \"$command $word\" == @(" + mixed
         + ") ]]; then command+=\" $word\"\n    else last=$word; "
           "((place++)); fi\n  done\n";
  out += "  case $command:$previous in\n";
  // What follows an option is told by the command as well where its values are not always the same.
  std::vector<std::string> done;
  for (const Command& command : shown_commands()) {
    for (const Option& option : named_options(command)) {
      std::string pattern = "*:--" + option.name;
      if (is_of_its_command(option)) {
        pattern = in_quotes(command.words) + ":--" + option.name;
      }
      bool known = std::find(done.begin(), done.end(), pattern) != done.end();
      std::string values =
          takes_agent(option) ? "$(" + std::string(k_list_agents) + ")" : spaced(values_of(option));
      if (known || option.kind == ValueKind::flag || (values.empty() && !takes_path(option))) {
        continue;
      }
      out += "    " + pattern + ") "
             + (takes_path(option) ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                                   : "COMPREPLY=($(compgen -W \"" + values + "\" -- \"$current\"))")
             + "; return ;;\n";
      done.push_back(std::move(pattern));
    }
  }
  out += "  esac\n  case $command in\n";
  out +=
      "    \"\") words=\"" + spaced(first_words()) + "\" options=\"" + global_names() + "\" ;;\n";
  for (const std::string& word : first_words()) {
    std::vector<std::string> below = commands_below(word);
    if (is_group(word)) {
      out += "    \"" + word + "\") words=\"" + spaced(below) + "\" options=\"--help\" ;;\n";
    }
  }
  for (const Command& command : shown_commands()) {
    out += "    \"" + command.words + "\") " + bash_words(command) + "options=\""
           + option_names(command) + "\" ;;\n";
  }
  out += "  esac\n"
         "  if [[ $current == -* ]]; then words=$options; paths=\"\"; skills=\"\"; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  if [[ -n $skills ]]; then\n"
         "    local folder\n"
         "    for folder in ~/.agents/skills ~/.claude/skills; do\n"
         "      [[ -d $folder ]] && COMPREPLY+=($(cd \"$folder\" && compgen -d -- \"$current\"))\n"
         "    done\n"
         "  fi\n"
         "  if [[ -n $paths ]]; then COMPREPLY+=($(compgen -f -- \"$current\")); fi\n"
         "}\n"
         "complete -o filenames -F _upskill upskill\n";
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef upskill\n# zsh completion for upskill; written by `upskill completion "
      "zsh`\n\n_upskill_agents() {\n  compadd -- $("
      + std::string(k_list_agents)
      + ")\n}\n\n_upskill() {\n  local -a commands\n  case $words[2] in\n";
  auto arguments = [](const Command& command) {
    std::string lines = "_arguments";
    for (const Option& option : named_options(command)) {
      std::string value;
      if (option.kind != ValueKind::flag) {
        std::string choices = spaced(values_of(option));
        value = ":" + option.name + ":"
                + (!choices.empty()      ? "(" + choices + ")"
                   : takes_agent(option) ? "_upskill_agents"
                   : takes_path(option)  ? "_files"
                                         : "");
      }
      lines += " \\\n        "
               + in_quotes(std::string(option.many ? "*" : "") + "--" + option.name + "["
                        + bracketed(option.doc) + "]" + value);
    }
    for (const Option& option : command.options) {
      if (option.position >= 0) {
        std::string choices =
            option.field == "command" ? spaced(command_words()) : spaced(values_of(option));
        std::string action = !choices.empty()     ? "(" + choices + ")"
                             : takes_path(option) ? "_files"
                                                  : " ";
        lines += " \\\n        "
                 + in_quotes(std::string(option.many       ? "*"
                                      : option.required ? ""
                                                        : ":")
                          + ":" + option.name + ":" + action);
      }
    }
    return lines;
  };
  for (const std::string& word : first_words()) {
    if (!is_group(word)) {
      continue;
    }
    out += "    " + word + ")\n      if (( CURRENT == 3 )); then\n        commands=(\n";
    for (const Command& command : shown_commands()) {
      if (command.words.starts_with(word + " ")) {
        out += "          " + in_quotes(command.words.substr(word.size() + 1) + ":" + command.summary)
               + "\n";
      }
    }
    out += "        )\n        _describe command commands\n        return\n      fi\n"
           "      local third=$words[3]\n      shift 2 words; (( CURRENT -= 2 ))\n"
           "      case $third in\n";
    for (const Command& command : shown_commands()) {
      if (command.words.starts_with(word + " ")) {
        out += "        " + command.words.substr(word.size() + 1) + ") " + arguments(command)
               + " ;;\n";
      }
    }
    out += "      esac ;;\n";
  }
  for (const Command& command : shown_commands()) {
    if (command.words.find(' ') == std::string::npos) {
      out += "    " + command.words + ") " + further_in_zsh(command.words, arguments)
             + "shift words; (( CURRENT -= 1 )); " + arguments(command) + " ;;\n";
    }
  }
  out += "    -*) _arguments";
  for (const Option& option : global_options()) {
    out += " " + in_quotes("--" + option.name + "[" + bracketed(option.doc) + "]");
  }
  out += " ;;\n    *)\n      commands=(\n";
  for (const std::string& word : first_words()) {
    out += "        " + in_quotes(word + ":" + meaning_of(word)) + "\n";
  }
  return out + "      )\n      _describe command commands ;;\n  esac\n}\n\n_upskill \"$@\"\n";
}

std::string fish_completion() {
  std::string out = "# fish completion for upskill; written by `upskill completion fish`\n"
                    "complete -c upskill -f\n"
                    "function __upskill_agents\n  sh -c "
                    + in_quotes(k_list_agents) + "\nend\n";
  std::string starts;
  for (const std::string& word : first_words()) {
    starts += " " + word;
  }
  for (const std::string& word : first_words()) {
    out += "complete -c upskill -n \"not __fish_seen_subcommand_from" + starts + "\" -a " + word
           + " -d " + in_quotes(meaning_of(word)) + "\n";
  }
  for (const Option& option : global_options()) {
    out += "complete -c upskill -n \"not __fish_seen_subcommand_from" + starts + "\" -l "
           + option.name + " -d " + in_quotes(option.doc) + "\n";
  }
  for (const Command& command : shown_commands()) {
    std::size_t space = command.words.find(' ');
    std::string first = command.words.substr(0, space);
    std::string condition = "__fish_seen_subcommand_from " + first;
    if (space != std::string::npos) {
      std::string second = command.words.substr(space + 1);
      out += "complete -c upskill -n \"" + condition + "; and not __fish_seen_subcommand_from "
             + spaced(commands_below(first)) + "\" -a " + second + " -d " + in_quotes(command.summary)
             + "\n";
      condition += "; and __fish_seen_subcommand_from " + second;
    }
    for (const Option& option : named_options(command)) {
      out += "complete -c upskill -n \"" + condition + "\" -l " + option.name
             + (option.letter == 0 ? std::string() : std::string(" -s ") + option.letter)
             + (option.kind == ValueKind::flag ? ""
                : takes_path(option)           ? " -rF"
                                               : " -x")
             + (takes_agent(option)         ? " -a '(__upskill_agents)'"
                : values_of(option).empty() ? ""
                                            : " -a " + in_quotes(spaced(values_of(option))))
             + " -d " + in_quotes(option.doc) + "\n";
    }
    for (const Option& option : command.options) {
      if (option.position >= 0 && takes_path(option)) {
        out += "complete -c upskill -n \"" + condition + "\" -F\n";
      } else if (std::vector<std::string> values =
                     option.field == "command" ? command_words() : values_of(option);
                 option.position >= 0 && !values.empty()) {
        out += "complete -c upskill -n \"" + condition + "\" -a " + in_quotes(spaced(values)) + "\n";
      }
    }
  }
  return out;
}

} // namespace upskill::cli
