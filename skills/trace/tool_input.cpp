#include "skills/trace/tool_input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace upskill::trace {
namespace {

constexpr std::size_t k_looked_at = 64u << 10;

constexpr std::array<std::string_view, 20> k_keys = {
    "command",     "cmd",           "script",   "file_path",   "filePath", "path",  "notebook_path",
    "target_file", "absolute_path", "filename", "pattern",     "query",    "regex", "url",
    "skill",       "prompt",        "question", "description", "text",     "input",
};

constexpr std::array<std::string_view, 9> k_shell_words = {
    "bash",
    "shell",
    "exec",
    "terminal",
    "run_command",
    "powershell",
    "sh",
    "zsh",
    "command",
};

constexpr std::array<std::string_view, 7> k_writing_words = {
    "write",
    "edit",
    "patch",
    "create",
    "replace",
    "insert",
    "delete",
};

constexpr std::array<std::string_view, 6> k_instruction_files = {
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "copilot-instructions.md",
};

std::string lower_case(std::string_view text) {
  std::string lower(text.substr(0, 200));
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return lower;
}

bool writes(std::string_view tool) {
  std::string name = lower_case(tool);
  return std::any_of(k_writing_words.begin(), k_writing_words.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

// Steps over JSON that may be cut off anywhere. Bounded by its text; never fails.
class JsonWalk {
public:
  explicit JsonWalk(std::string_view json)
      : m_json(json) {}

  // Up to this character, over blanks and nothing else.
  bool take(char wanted) {
    skip_blanks();
    if (m_json.empty() || m_json[0] != wanted) {
      return false;
    }
    m_json.remove_prefix(1);
    return true;
  }

  char next() {
    skip_blanks();
    return m_json.empty() ? '\0' : m_json[0];
  }

  // Between the quotes of the string that comes next.
  std::string_view string() {
    take('"');
    std::size_t at = 0;
    while (at < m_json.size() && m_json[at] != '"') {
      at += m_json[at] == '\\' ? 2 : 1;
    }
    at = std::min(at, m_json.size());
    std::string_view raw = m_json.substr(0, at);
    m_json.remove_prefix(std::min(at + 1, m_json.size()));
    return raw;
  }

  // Any value that comes next, as it stands.
  std::string_view value() {
    skip_blanks();
    std::string_view all = m_json;
    std::size_t depth = 0;
    while (!m_json.empty()) {
      char c = m_json[0];
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        m_json.remove_prefix(1);
      } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
        break;
      } else {
        depth -= c == '}' || c == ']' ? 1 : 0;
        m_json.remove_prefix(1);
        continue;
      }
      if (depth == 0) {
        break;
      }
    }
    return all.substr(0, all.size() - m_json.size());
  }

private:
  void skip_blanks() {
    while (!m_json.empty()
           && std::string_view(" \t\r\n").find(m_json[0]) != std::string_view::npos) {
      m_json.remove_prefix(1);
    }
  }

  std::string_view m_json;
};

// The strings of an array, joined by blanks; of `["bash","-lc","make"]` the last.
std::string joined_strings(std::string_view array, std::size_t limit) {
  JsonWalk walk(array);
  std::string text;
  bool is_script = false;
  walk.take('[');
  while (walk.next() == '"' && text.size() < limit) {
    std::string word = Text{walk.string(), {}, Encoding::json_string}.decoded(limit);
    bool is_shell = word.ends_with("sh") && text.empty();
    is_script = is_script || is_shell;
    bool is_option = is_script && (word == "-lc" || word == "-c");
    if (!is_shell && !is_option) {
      text += text.empty() ? "" : " ";
      text += word;
    }
    if (!walk.take(',')) {
      break;
    }
  }
  text.resize(std::min(text.size(), limit));
  return text;
}

std::string decoded_value(std::string_view raw, std::size_t limit) {
  if (raw.starts_with('"')) {
    return Text{JsonWalk(raw).string(), {}, Encoding::json_string}.decoded(limit);
  }
  if (raw.starts_with('[')) {
    std::string strings = joined_strings(raw, limit);
    if (!strings.empty()) {
      return Text{strings}.decoded(limit);
    }
  }
  return Text{raw}.decoded(limit);
}

std::string key_of_json(std::string_view json, std::size_t limit) {
  JsonWalk walk(json);
  std::size_t best = k_keys.size();
  std::string_view found;
  for (walk.take('{'); walk.next() == '"';) {
    std::string_view key = walk.string();
    walk.take(':');
    std::string_view value = walk.value();
    std::size_t rank = static_cast<std::size_t>(
        std::find(k_keys.begin(), k_keys.begin() + static_cast<std::ptrdiff_t>(best), key)
        - k_keys.begin());
    if (rank < best && !value.empty()) {
      best = rank;
      found = value;
    }
    if (!walk.take(',')) {
      break;
    }
  }
  return best == k_keys.size() ? Text{json}.decoded(limit) : decoded_value(found, limit);
}

// Where this file's name stands in the input behind a separator, and is not written to.
std::size_t find_read(std::string_view input, std::string_view file) {
  for (std::size_t at = input.find(file); at != std::string_view::npos;
       at = input.find(file, at + 1)) {
    char before = at == 0 ? '\0' : input[at - 1];
    std::size_t begin = input.substr(0, at).find_last_of(" \"'>");
    bool is_written =
        begin != std::string_view::npos && at > 0
        && input.substr(0, begin + 1).find_last_not_of(" \"'\\") != std::string_view::npos
        && input[input.substr(0, begin + 1).find_last_not_of(" \"'\\")] == '>';
    if (!is_written && std::string_view("/\\ \"'").find(before) != std::string_view::npos) {
      return at;
    }
  }
  return std::string_view::npos;
}

} // namespace

bool is_shell_tool(std::string_view name) {
  std::string lower = lower_case(name);
  return std::any_of(k_shell_words.begin(), k_shell_words.end(), [&](std::string_view word) {
    std::size_t at = lower.find(word);
    bool is_whole = word.size() > 2 || lower.size() == word.size();
    return at != std::string::npos && is_whole;
  });
}

std::string key_argument(const Text& input, std::size_t limit) {
  if (input.encoding == Encoding::json_value && input.first.starts_with('"')) {
    return key_argument({JsonWalk(input.first).string(), {}, Encoding::json_string}, limit);
  }
  if (input.encoding == Encoding::json_value && input.more.empty()) {
    std::string_view json = input.first.substr(0, k_looked_at);
    return json.starts_with('{') ? key_of_json(json, limit) : decoded_value(json, limit);
  }
  // JSON within a string, or no JSON at all: what a patch tool takes.
  std::string text = input.decoded(k_looked_at);
  if (text.starts_with('{')) {
    return key_of_json(text, limit);
  }
  return Text{text}.decoded(limit);
}

std::string_view skill_read_by(std::string_view tool, const Text& input) {
  std::string_view raw = input.first.substr(0, k_looked_at);
  std::size_t at = find_read(raw, "SKILL.md");
  if (at == std::string_view::npos || at < 2 || writes(tool)) {
    return {};
  }
  std::string_view folder = raw.substr(0, at);
  // In front of the name lies one separator, or an escaped one.
  std::size_t end = folder.find_last_not_of("/\\");
  folder = folder.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::size_t begin = folder.find_last_of("/\\ \"'");
  folder.remove_prefix(begin == std::string_view::npos ? 0 : begin + 1);
  bool is_path = end != std::string_view::npos && end + 1 < at;
  return is_path && folder.size() <= 200 ? folder : std::string_view{};
}

bool reads_instructions(std::string_view tool, const Text& input) {
  std::string_view raw = input.first.substr(0, k_looked_at);
  bool does = find_read(raw, "SKILL.md") != std::string_view::npos;
  for (std::string_view file : k_instruction_files) {
    does = does || find_read(raw, file) != std::string_view::npos;
  }
  return does && !writes(tool);
}

} // namespace upskill::trace
