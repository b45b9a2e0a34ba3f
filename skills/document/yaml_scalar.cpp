#include "skills/document/yaml_scalar.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace upskill::document {
namespace {

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

// Passes over one line break (LF, CR or CRLF).
std::size_t after_break(std::string_view text, std::size_t at) {
  return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
}

// Passes over white space and counts its line breaks.
std::size_t skip_breaks(std::string_view text, std::size_t at, std::size_t& breaks) {
  while (at < text.size() && (is_break(text[at]) || text[at] == ' ' || text[at] == '\t')) {
    bool ends_line = is_break(text[at]);
    breaks += ends_line ? 1 : 0;
    at = ends_line ? after_break(text, at) : at + 1;
  }
  return at;
}

// Folds the break at `at` of a quoted scalar into `out`, of which `kept` bytes are not to be
// trimmed.
std::size_t fold(std::string_view raw, std::size_t at, std::string& out, std::size_t kept) {
  while (out.size() > kept && (out.back() == ' ' || out.back() == '\t')) {
    out.pop_back();
  }
  std::size_t breaks = 0;
  at = skip_breaks(raw, at, breaks);
  out += breaks == 1 ? std::string(1, ' ') : std::string(breaks - 1, '\n');
  return at;
}

// The escape whose letter stands at `at` (5.7); answers where it ends.
std::size_t unescape(std::string_view raw, std::size_t at, std::string& out) {
  constexpr std::string_view k_letters = "0abtnvfre \"/\\N_LP\t";
  constexpr std::uint32_t k_meanings[] = {
      0, 7, 8, 9, 10, 11, 12, 13, 27, 0x20, 0x22, 0x2F, 0x5C, 0x85, 0xA0, 0x2028, 0x2029, 9};
  char letter = raw[at++];
  std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
  if (digits > 0) {
    std::uint32_t value = 0;
    std::string_view text = raw.substr(at, digits);
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    append_code_point(out, value);
    return at + text.size();
  }
  std::size_t known = k_letters.find(letter);
  append_code_point(out, known == std::string_view::npos ? 0xFFFD : k_meanings[known]);
  return at;
}

struct Line {
  std::string_view text;
  bool ended = false; // by a line break
};

Line take_line(std::string_view& rest) {
  std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
  Line line{rest.substr(0, end), end < rest.size()};
  rest.remove_prefix(line.ended ? after_break(rest, end) : end);
  return line;
}

std::size_t first_text_indent(std::string_view raw) {
  while (!raw.empty()) {
    Line line = take_line(raw);
    std::size_t indent = line.text.find_first_not_of(' ');
    if (indent != std::string_view::npos) {
      return indent;
    }
  }
  return std::string_view::npos; // only spaces
}

} // namespace

std::string single_quoted_text(std::string_view raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size();) {
    if (is_break(raw[at])) {
      at = fold(raw, at, out, 0);
    } else {
      out += raw[at];
      at += raw.substr(at).starts_with("''") ? 2 : 1;
    }
  }
  return out;
}

std::string double_quoted_text(std::string_view raw) {
  std::string out;
  std::size_t kept = 0; // what an escape wrote is not trimmed
  for (std::size_t at = 0; at < raw.size();) {
    if (is_break(raw[at])) {
      at = fold(raw, at, out, kept);
    } else if (raw[at] != '\\' || at + 1 == raw.size()) {
      out += raw[at++];
      continue;
    } else if (is_break(raw[at + 1])) { // an escaped break joins the lines, empty ones still count
      std::size_t breaks = 0;
      at = skip_breaks(raw, at + 1, breaks);
      out.append(breaks - 1, '\n');
    } else {
      at = unescape(raw, at + 1, out);
    }
    kept = out.size();
  }
  return out;
}

BlockHeader find_block_header(std::string_view before) {
  if (before.ends_with('\n')) {
    before.remove_suffix(1);
  }
  if (before.ends_with('\r')) {
    before.remove_suffix(1);
  }
  std::size_t line = before.find_last_of("\r\n");
  before.remove_prefix(line == std::string_view::npos ? 0 : line + 1);
  for (std::size_t at = before.find_first_of("|>"); at != std::string_view::npos;
       at = before.find_first_of("|>", at + 1)) {
    BlockHeader header;
    header.folded = before[at] == '>';
    std::size_t next = at + 1;
    for (; next < before.size() && next < at + 3; ++next) {
      char c = before[next];
      if (c == '-' || c == '+') {
        header.chomping = c;
      } else if (c >= '1' && c <= '9') {
        header.indent = c - '0';
      } else {
        break;
      }
    }
    std::size_t rest = before.find_first_not_of(" \t", next);
    if (rest == std::string_view::npos || (rest > next && before[rest] == '#')) {
      return header;
    }
  }
  return {};
}

std::string block_text(std::string_view raw, const BlockHeader& header, int parent) {
  std::size_t indent = header.indent > 0
                           ? static_cast<std::size_t>(std::max(parent, 0) + header.indent)
                           : first_text_indent(raw);
  std::string out;
  std::size_t breaks = 0; // since the last line with text
  bool any = false;
  bool spaced = false; // that line began with white space: it is not folded
  while (!raw.empty()) {
    Line line = take_line(raw);
    std::string_view text = line.text.substr(std::min(indent, line.text.size()));
    if (!text.empty()) {
      bool begins_spaced = text[0] == ' ' || text[0] == '\t';
      bool folds = header.folded && any && !spaced && !begins_spaced;
      if (folds && breaks == 1) {
        out += ' ';
      } else {
        out.append(folds ? breaks - 1 : breaks, '\n');
      }
      out += text;
      any = true;
      spaced = begins_spaced;
      breaks = 0;
    }
    breaks += line.ended ? 1 : 0;
  }
  std::size_t clipped = any ? std::min<std::size_t>(breaks, 1) : 0;
  out.append(header.chomping == '+' ? breaks : header.chomping == '-' ? 0 : clipped, '\n');
  return out;
}

} // namespace upskill::document
