#include "protocol/hook/member_scanner.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <charconv>

namespace upskill::hook {
namespace {

constexpr std::string_view k_spaces = " \t\r\n";

// Where the string that begins at `at` ends, behind its quote; npos where the text ends before.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t from = at + 1;;) {
    std::size_t quote = text.find('"', from);
    if (quote == std::string_view::npos) {
      return quote;
    }
    std::size_t slashes = quote;
    while (slashes > from && text[slashes - 1] == '\\') {
      --slashes;
    }
    from = quote + 1;
    if ((quote - slashes) % 2 == 0) {
      return from;
    }
  }
}

void append_code_point(std::string& out, unsigned point) {
  auto continuation = [](unsigned bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    out += continuation(point);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    out += continuation(point >> 6);
    out += continuation(point);
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    out += continuation(point >> 12);
    out += continuation(point >> 6);
    out += continuation(point);
  }
}

// The four digits behind a \u that begins at `at`.
std::optional<unsigned> hex_unit(std::string_view body, std::size_t at) {
  std::string_view digits = body.substr(at, 6);
  unsigned unit = 0;
  if (digits.size() != 6 || digits[0] != '\\' || digits[1] != 'u') {
    return std::nullopt;
  }
  auto [end, problem] = std::from_chars(digits.data() + 2, digits.data() + 6, unit, 16);
  return problem == std::errc{} && end == digits.data() + 6 ? std::optional(unit) : std::nullopt;
}

// Appends the code point of the \u at `at` and goes behind it; false where it is none.
bool append_escaped_point(std::string& out, std::string_view body, std::size_t& at) {
  std::optional<unsigned> unit = hex_unit(body, at);
  if (!unit) {
    return false;
  }
  at += 6;
  if (*unit < 0xD800 || *unit > 0xDFFF) {
    append_code_point(out, *unit);
    return true;
  }
  std::optional<unsigned> low = *unit < 0xDC00 ? hex_unit(body, at) : std::nullopt;
  if (!low || *low < 0xDC00 || *low > 0xDFFF) {
    return false; // half a pair: no path is written like that
  }
  at += 6;
  append_code_point(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
  return true;
}

// Appends what the escape at `at` means and goes behind it; false where it is none.
bool append_escape(std::string& out, std::string_view body, std::size_t& at) {
  constexpr std::string_view k_letters = "\"\\/bfnrt";
  constexpr std::string_view k_meanings = "\"\\/\b\f\n\r\t";
  if (at + 1 == body.size()) {
    return false;
  }
  if (body[at + 1] == 'u') {
    return append_escaped_point(out, body, at);
  }
  std::size_t letter = k_letters.find(body[at + 1]);
  if (letter == std::string_view::npos) {
    return false;
  }
  out += k_meanings[letter];
  at += 2;
  return true;
}

} // namespace

MemberScanner::MemberScanner(std::string_view json)
    : m_text(json) {
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (m_text.starts_with(k_byte_order_mark)) {
    m_at = k_byte_order_mark.size();
  }
  skip_spaces();
  if (at('{')) {
    ++m_at;
  } else {
    m_at = m_text.size();
  }
}

bool MemberScanner::next() {
  skip_spaces();
  if (at(',')) {
    ++m_at;
    skip_spaces();
  }
  std::size_t key = m_at;
  if (!at('"') || !skip_string()) {
    return false;
  }
  m_key = m_text.substr(key + 1, m_at - key - 2);
  skip_spaces();
  if (!at(':')) {
    return false;
  }
  ++m_at;
  skip_spaces();
  std::size_t value = m_at;
  if (!skip_value()) {
    return false;
  }
  m_value = m_text.substr(value, m_at - value);
  return true;
}

bool MemberScanner::skip_string() {
  std::size_t end = string_end(m_text, m_at);
  if (end == std::string_view::npos) {
    return false;
  }
  m_at = end;
  return true;
}

bool MemberScanner::skip_container() {
  std::size_t depth = 0;
  while (m_at < m_text.size()) {
    char byte = m_text[m_at];
    if (byte == '"') {
      if (!skip_string()) {
        return false;
      }
      continue;
    }
    ++m_at;
    if (byte == '{' || byte == '[') {
      ++depth;
    } else if ((byte == '}' || byte == ']') && --depth == 0) {
      return true;
    }
  }
  return false;
}

bool MemberScanner::skip_value() {
  if (at('"')) {
    return skip_string();
  }
  if (at('{') || at('[')) {
    return skip_container();
  }
  std::size_t end = m_text.find_first_of(",}] \t\r\n", m_at);
  if (end == std::string_view::npos || end == m_at) {
    return false; // a number or a word that may go on behind the cut
  }
  m_at = end;
  return true;
}

void MemberScanner::skip_spaces() {
  m_at = std::min(m_text.find_first_not_of(k_spaces, m_at), m_text.size());
}

bool MemberScanner::at(char wanted) const {
  return m_at < m_text.size() && m_text[m_at] == wanted;
}

std::optional<std::string> string_of(std::string_view value, std::size_t limit) {
  // An escape is at most six times as long as what it stands for.
  if (value.size() < 2 || value.front() != '"' || value.size() - 2 > 6 * limit) {
    return std::nullopt;
  }
  std::string_view body = value.substr(1, value.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < body.size();) {
    std::size_t slash = std::min(body.find('\\', at), body.size());
    out += body.substr(at, slash - at);
    at = slash;
    if (at < body.size() && !append_escape(out, body, at)) {
      return std::nullopt;
    }
  }
  bool fits = out.size() <= limit && out.find('\0') == std::string::npos && is_utf8(out);
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

std::string_view first_string_of(std::string_view array) {
  if (!array.starts_with('[')) {
    return {};
  }
  std::size_t start = array.find_first_not_of(k_spaces, 1);
  if (start == std::string_view::npos || array[start] != '"') {
    return {};
  }
  std::size_t end = string_end(array, start);
  return end == std::string_view::npos ? std::string_view() : array.substr(start, end - start);
}

} // namespace upskill::hook
