#include "skills/document/yaml_scanner.h"

#include "skills/document/yaml_text.h"

#include <algorithm>
#include <cstdint>

namespace upskill::document {
namespace {

constexpr int k_max_scan_depth = 8; // recursion; deeper goes to the library
constexpr std::string_view k_blank = " \t";

struct Line {
  std::string_view text = {}; // without the newline
  int indent = 0;             // spaces
  bool blank = false;         // spaces only
  bool comment = false;
};

bool is_key_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_key_character(char c) {
  return is_key_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// Line breaks of YAML 1.1 and marks that readers treat differently; rare enough for the library.
bool has_odd_character(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    auto lead = static_cast<std::uint8_t>(text[i]);
    if (lead < 0xC2) {
      continue;
    }
    auto next = static_cast<std::uint8_t>(text[i + 1]);
    if ((lead == 0xC2 && next < 0xA0) || (lead == 0xE2 && next == 0x80) || lead == 0xEF) {
      return lead != 0xE2
             || (i + 2 < text.size() && (text[i + 2] == '\xA8' || text[i + 2] == '\xA9'));
    }
  }
  return false;
}

std::string_view trim_end(std::string_view text) {
  std::size_t end = text.find_last_not_of(k_blank);
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view trim(std::string_view text) {
  std::size_t start = std::min(text.find_first_not_of(k_blank), text.size());
  return trim_end(text.substr(start));
}

// Reads one text, forward. Every method answers false for "leave it to the library".
class Scanner {
public:
  explicit Scanner(std::string_view text)
      : m_text(text) {}

  std::optional<Yaml> scan() {
    Yaml root;
    if (!next_content() || m_at_end || m_line.indent != 0 || !mapping(root, 0, 0) || !m_at_end) {
      return std::nullopt;
    }
    return root;
  }

private:
  bool read_line();
  bool next_content();
  bool mapping(Yaml& out, int indent, int depth);
  bool member(Yaml& out, int indent, int depth);
  bool nested(Yaml& out, int indent, int depth);
  bool sequence(Yaml& out, int indent);
  bool scalar(Yaml& out, std::string_view value, int indent);
  bool block(Yaml& out, std::string_view header, int indent);
  static bool plain(Yaml& out, std::string_view value);
  static bool single_quoted(Yaml& out, std::string_view value);
  static bool double_quoted(Yaml& out, std::string_view value);

  std::string_view m_text;
  std::size_t m_next = 0;  // where the line after m_line begins
  std::size_t m_start = 0; // where m_line begins
  int m_number = 0;
  Line m_line = {};
  bool m_at_end = false;
};

bool Scanner::read_line() {
  if (m_next >= m_text.size()) {
    m_at_end = true;
    m_line = {};
    return true;
  }
  m_start = m_next;
  std::size_t end = m_text.find('\n', m_start);
  if (end == std::string_view::npos) {
    return false; // without its newline a last line may be half written
  }
  m_next = end + 1;
  ++m_number;
  std::string_view line = m_text.substr(m_start, end - m_start);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  std::size_t indent = line.find_first_not_of(' ');
  m_line.text = line;
  m_line.blank = indent == std::string_view::npos;
  m_line.indent = static_cast<int>(m_line.blank ? line.size() : indent);
  m_line.comment = !m_line.blank && line[indent] == '#';
  if (!m_line.blank && (line[indent] == '\t' || line.find('\r') != std::string_view::npos)) {
    return false;
  }
  return indent != 0 || (!line.starts_with("---") && !line.starts_with("...") && line[0] != '%');
}

// Goes on to the next line that is neither blank nor a comment.
bool Scanner::next_content() {
  do {
    if (!read_line()) {
      return false;
    }
  } while (!m_at_end && (m_line.blank || m_line.comment));
  return true;
}

bool Scanner::mapping(Yaml& out, int indent, int depth) {
  out.kind = YamlKind::mapping;
  out.line = m_number;
  out.column = indent;
  while (!m_at_end && m_line.indent == indent) {
    if (!member(out, indent, depth)) {
      return false;
    }
  }
  return m_at_end || m_line.indent < indent;
}

bool Scanner::member(Yaml& out, int indent, int depth) {
  std::string_view line = m_line.text.substr(static_cast<std::size_t>(indent));
  std::size_t colon = 0;
  while (colon < line.size() && is_key_character(line[colon])) {
    ++colon;
  }
  if (colon == 0 || colon == line.size() || line[colon] != ':' || !is_key_start(line[0])) {
    return false;
  }
  std::string_view key = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  if (!value.empty() && value[0] != ' ') {
    return false;
  }
  if (out.find(key) != nullptr || out.members.size() > 256) {
    return false;
  }
  YamlMember& added = out.members.emplace_back();
  added.key = key;
  added.line = m_number;
  value = trim(value);
  added.value.line = m_number;
  added.value.column = static_cast<int>(value.data() - m_line.text.data());
  return value.empty() ? next_content() && nested(added.value, indent, depth)
                       : scalar(added.value, value, indent);
}

// What follows `key:` on lines of its own.
bool Scanner::nested(Yaml& out, int indent, int depth) {
  if (m_at_end) {
    return true;
  }
  bool dash = m_line.text.substr(static_cast<std::size_t>(m_line.indent)).starts_with("- ");
  if (dash && m_line.indent >= indent) {
    return sequence(out, m_line.indent);
  }
  if (m_line.indent <= indent) {
    return true;
  }
  return depth < k_max_scan_depth && mapping(out, m_line.indent, depth + 1);
}

bool Scanner::sequence(Yaml& out, int indent) {
  out.kind = YamlKind::sequence;
  out.line = m_number;
  out.column = indent;
  while (!m_at_end && m_line.indent == indent) {
    std::string_view line = m_line.text.substr(static_cast<std::size_t>(indent));
    if (!line.starts_with("- ")) {
      return true; // back in the mapping, whose keys may stand below the dashes' column
    }
    std::string_view value = trim(line.substr(2));
    Yaml& item = out.items.emplace_back();
    item.line = m_number;
    item.column = static_cast<int>(value.data() - m_line.text.data());
    bool simple = !value.empty() && value[0] != '|' && value[0] != '>' && out.items.size() <= 256;
    if (!simple || !scalar(item, value, indent)) {
      return false;
    }
  }
  return m_at_end || m_line.indent < indent;
}

// A scalar that begins on the key's line; ends on the next line with content.
bool Scanner::scalar(Yaml& out, std::string_view value, int indent) {
  out.kind = YamlKind::scalar;
  if (value[0] == '|' || value[0] == '>') {
    return block(out, value, indent);
  }
  bool done = value[0] == '\''  ? single_quoted(out, value)
              : value[0] == '"' ? double_quoted(out, value)
                                : plain(out, value);
  // Whatever stands deeper now would be a continuation, or an error.
  return done && next_content() && (m_at_end || m_line.indent <= indent);
}

bool Scanner::plain(Yaml& out, std::string_view value) {
  constexpr std::string_view k_indicators = "-?:,[]{}#&*!|>'\"%@`";
  if (k_indicators.find(value[0]) != std::string_view::npos || value.ends_with(':')) {
    return false;
  }
  for (std::size_t i = 0; i + 1 < value.size(); ++i) {
    char next = value[i + 1];
    if (value[i] == '\t' || (value[i] == ':' && (next == ' ' || next == '\t'))
        || (value[i] == ' ' && next == '#')) {
      return false;
    }
  }
  out.style = ScalarStyle::plain;
  out.text = value;
  return true;
}

bool Scanner::single_quoted(Yaml& out, std::string_view value) {
  out.style = ScalarStyle::single_quoted;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] != '\'') {
      out.text += value[i];
    } else if (i + 1 < value.size() && value[i + 1] == '\'') {
      out.text += value[i++];
    } else {
      return i + 1 == value.size();
    }
  }
  return false;
}

bool Scanner::double_quoted(Yaml& out, std::string_view value) {
  out.style = ScalarStyle::double_quoted;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == '"') {
      return i + 1 == value.size();
    }
    if (value[i] != '\\') {
      out.text += value[i];
      continue;
    }
    char escaped = ++i < value.size() ? value[i] : '\0';
    switch (escaped) {
    case 'n':
      out.text += '\n';
      break;
    case 't':
      out.text += '\t';
      break;
    case '"':
    case '\\':
    case '/':
      out.text += escaped;
      break;
    default:
      return false;
    }
  }
  return false;
}

// A literal or folded scalar (YAML 1.2.2, 8.1); indentation is that of its first line.
bool Scanner::block(Yaml& out, std::string_view header, int indent) {
  bool folded = header[0] == '>';
  char chomping = header.size() == 2 ? header[1] : ' ';
  if (header.size() > 2 || (header.size() == 2 && chomping != '-' && chomping != '+')) {
    return false;
  }
  out.style = folded ? ScalarStyle::folded : ScalarStyle::literal;
  int block_indent = -1;
  std::size_t breaks = 0; // since the last line with text
  while (true) {
    if (!read_line()) {
      return false;
    }
    if (m_at_end) {
      break;
    }
    if (m_line.blank) {
      if (block_indent < 0 || m_line.indent > block_indent) {
        return false;
      }
      ++breaks;
      continue;
    }
    if (block_indent < 0) {
      if (m_line.indent <= indent) {
        return false;
      }
      block_indent = m_line.indent;
    }
    if (m_line.indent < block_indent) {
      break;
    }
    std::string_view text = m_line.text.substr(static_cast<std::size_t>(block_indent));
    if (folded && text[0] == ' ') {
      return false; // more-indented lines are not folded
    }
    if (out.text.empty()) {
      out.text = text;
    } else if (folded && breaks == 1) {
      (out.text += ' ') += text;
    } else {
      out.text.append(folded ? breaks - 1 : breaks, '\n');
      out.text += text;
    }
    breaks = 1;
  }
  if (block_indent < 0 || (!m_at_end && m_line.indent > indent)) {
    return false;
  }
  out.text.append(chomping == '-' ? 0 : chomping == '+' ? breaks : 1, '\n');
  while (!m_at_end && (m_line.blank || m_line.comment)) {
    if (!read_line()) {
      return false;
    }
  }
  return m_at_end || m_line.indent <= indent;
}

} // namespace

std::optional<Yaml> scan_yaml(std::string_view text) {
  if (text.size() > k_max_front_matter || find_unprintable(text) != text.size()
      || has_odd_character(text)) {
    return std::nullopt;
  }
  return Scanner(text).scan();
}

} // namespace upskill::document
