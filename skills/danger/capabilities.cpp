#include "skills/danger/capabilities.h"

#include "skills/danger/characters.h"
#include "skills/danger/passage_list.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_most = 1000;         // capabilities of a kind of one file
constexpr std::size_t k_longest_word = 64;   // bytes of a program's name
constexpr std::size_t k_longest_shown = 200; // bytes

using document::Yaml;

std::size_t offset_of(const FileView& view, int line) {
  return view.offset_of(view.document().parts.yaml_line - 1 + static_cast<std::size_t>(line));
}

// Cuts at commas and spaces outside of parentheses.
std::vector<std::string> tools_in(std::string_view text) {
  std::vector<std::string> tools;
  std::string tool;
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    bool is_border = depth <= 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n');
    if (!is_border) {
      tool += c;
    } else if (!tool.empty()) {
      tools.push_back(std::move(tool));
      tool.clear();
    }
  }
  if (!tool.empty()) {
    tools.push_back(std::move(tool));
  }
  return tools;
}

void add(std::vector<Capability>& out, std::string_view what, std::size_t at) {
  std::string shown = shortened(cleaned(what.substr(0, 4 * k_longest_shown)), k_longest_shown);
  if (!shown.empty() && out.size() < k_most) {
    out.push_back({std::move(shown), at});
  }
}

// Every text below a key `command`, or of a list of texts.
void add_commands(const Yaml& node, const FileView& view, std::vector<Capability>& out) {
  for (const document::YamlMember& member : node.members) {
    if (member.value.is_scalar()
        && (member.key == "command" || member.key == "prompt" || member.key == "url")) {
      add(out, member.value.text, offset_of(view, member.line));
    } else {
      add_commands(member.value, view, out);
    }
  }
  for (const Yaml& item : node.items) {
    if (item.is_scalar()) {
      add(out, item.text, offset_of(view, item.line));
    } else {
      add_commands(item, view, out);
    }
  }
}

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-' || c == '.' || c == '+' || c == '/';
}

// Words of the shell itself, and programs that only start the next one.
bool is_shell_word(std::string_view word) {
  constexpr std::array<std::string_view, 34> k_words{
      "if",    "then",   "else",  "elif", "fi",   "for",      "while",  "until", "do",
      "done",  "case",   "esac",  "in",   "cd",   "echo",     "export", "set",   "unset",
      "local", "return", "exit",  "true", "test", "printf",   "source", "shift", "read",
      "break", "trap",   "alias", "pwd",  "wait", "function", "EOF"};
  return std::ranges::find(k_words, word) != k_words.end();
}

bool starts_next(std::string_view word) {
  constexpr std::array<std::string_view, 8> k_words{
      "sudo", "env", "time", "nohup", "exec", "command", "then", "do"};
  return std::ranges::find(k_words, word) != k_words.end();
}

bool is_shell(const FileView& view, const Passage& passage) {
  if (passage.place == Place::code) {
    std::string_view language = passage.language.substr(0, passage.language.find(' '));
    constexpr std::array<std::string_view, 8> k_shells{
        "", "sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"};
    return std::ranges::find(k_shells, language) != k_shells.end();
  }
  std::string extension = extension_of(view.file().path);
  bool is_named = extension == "sh" || extension == "bash" || extension == "zsh";
  std::string_view first = view.text().substr(0, view.text().find('\n'));
  return passage.place == Place::script
         && (is_named || (first.starts_with("#!") && first.ends_with("sh")));
}

// The programs of one line: its first word, and the first behind `|`, `&&`, `;` and `$(`.
void add_programs(std::string_view line, std::size_t at, std::vector<Capability>& out) {
  if (trimmed(line).starts_with('#')) {
    return;
  }
  bool is_start = true;
  for (std::size_t i = 0; i < line.size();) {
    char c = line[i];
    if (is_name_byte(c)) {
      std::size_t begin = i;
      while (i < line.size() && is_name_byte(line[i])) {
        ++i;
      }
      std::string_view word = line.substr(begin, i - begin);
      bool is_assignment = i < line.size() && line[i] == '=';
      bool is_letter = (word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z')
                       || word[0] == '/' || word[0] == '.';
      if (is_start && !is_assignment && is_letter && word.size() <= k_longest_word
          && !is_shell_word(word) && !starts_next(word)) {
        add(out, word, at + begin);
      }
      is_start = is_start && (is_assignment || starts_next(word));
      while (is_assignment && i < line.size() && line[i] != ' ' && line[i] != '\t') {
        ++i; // over the value
      }
      continue;
    }
    bool is_border = c == '|' || c == ';' || c == '&' || (c == '(' && i > 0 && line[i - 1] == '$');
    bool is_prompt = c == '$' && is_start;
    is_start = is_border || (is_start && (c == ' ' || c == '\t' || is_prompt));
    ++i;
  }
}

} // namespace

std::vector<Capability> allowed_tools(const FileView& document) {
  std::vector<Capability> out;
  for (std::string_view key : {"allowed-tools", "allowed_tools", "tools"}) {
    const Yaml* value = document.document().front_matter.find(key);
    if (value == nullptr) {
      continue;
    }
    std::size_t at = offset_of(document, value->line);
    if (value->is_scalar()) {
      for (const std::string& tool : tools_in(value->text)) {
        add(out, tool, at);
      }
    }
    for (const Yaml& item : value->items) {
      add(out, item.text, offset_of(document, item.line));
    }
  }
  return out;
}

std::vector<Capability> hook_commands(const FileView& document) {
  std::vector<Capability> out;
  if (const Yaml* hooks = document.document().front_matter.find("hooks"); hooks != nullptr) {
    add_commands(*hooks, document, out);
    if (hooks->is_scalar()) {
      add(out, hooks->text, offset_of(document, hooks->line));
    }
  }
  return out;
}

std::vector<Capability> load_commands(const FileView& document) {
  std::vector<Capability> out;
  std::string_view body = document.document().parts.body;
  auto first = body.empty() ? document.text().size()
                            : static_cast<std::size_t>(body.data() - document.text().data());
  for (const Passage& passage : document.passages()) {
    if (passage.place == Place::load && passage.begin >= first) {
      add(out, document.text().substr(passage.begin, passage.end - passage.begin), passage.begin);
    }
  }
  return out;
}

std::vector<Capability> shell_commands(const FileView& view) {
  std::vector<Capability> out;
  for (const Passage& passage : view.passages()) {
    if (!is_shell(view, passage)) {
      continue;
    }
    Lines lines(view.text(), passage.begin, passage.end);
    while (lines.next()) {
      add_programs(lines.line(), lines.begin, out);
    }
  }
  return out;
}

bool is_unlimited(std::string_view tool) {
  return tool == "*" || tool == "Bash" || tool == "Bash(*)" || tool == "Bash(:*)"
         || tool == "Bash()" || tool == "shell" || tool == "Shell";
}

bool covers(std::string_view wide, std::string_view narrow) {
  if (wide == narrow || wide == "*") {
    return true;
  }
  std::size_t open = wide.find('(');
  std::string_view name = wide.substr(0, open);
  if (narrow.substr(0, narrow.find('(')) != name) {
    return false;
  }
  if (open == std::string_view::npos || is_unlimited(wide)) {
    return true;
  }
  std::string_view pattern = wide.substr(0, wide.size() - (wide.ends_with(')') ? 1 : 0));
  if (!pattern.ends_with('*')) {
    return false;
  }
  pattern.remove_suffix(1);
  while (pattern.ends_with(':') || pattern.ends_with(' ')) {
    pattern.remove_suffix(1);
  }
  // `Bash(git:*)` is no leave for `Bash(gitleaks)`.
  std::string_view rest = narrow.substr(std::min(pattern.size(), narrow.size()));
  return narrow.starts_with(pattern)
         && (pattern.ends_with('(') || rest.empty() || rest[0] == ':' || rest[0] == ' '
             || rest[0] == ')');
}

} // namespace upskill::danger
