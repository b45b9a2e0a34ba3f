#include "protocol/hook/member_scanner.h"

#include "protocol/base/json_escape.h"
#include "protocol/base/utf8.h"

#include <algorithm>

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
  while (!body.empty()) {
    std::size_t plain = std::min(body.find('\\'), body.size());
    out += body.substr(0, plain);
    body.remove_prefix(plain);
    if (body.empty()) {
      break;
    }
    JsonEscape escape = read_json_escape(body);
    if (escape.length == 0 || escape.is_half_pair()) {
      return std::nullopt; // no path and no id is written like that
    }
    append_code_point(out, escape.point);
    body.remove_prefix(escape.length);
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
