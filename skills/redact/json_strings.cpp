#include "skills/redact/json_strings.h"

#include <cstdint>
#include <cstring>

namespace upskill::redact {
namespace {

enum class Sign : std::uint8_t { foreign, harmless, open, close, quote };

constexpr std::array<Sign, 256> make_signs() {
  std::array<Sign, 256> signs = {};
  for (char c : std::string_view(" \t\r\n:,0123456789+-.Etruefalsn")) {
    signs[static_cast<unsigned char>(c)] = Sign::harmless;
  }
  signs['{'] = signs['['] = Sign::open;
  signs['}'] = signs[']'] = Sign::close;
  signs['"'] = Sign::quote;
  return signs;
}

constexpr std::array<Sign, 256> k_signs = make_signs();

std::size_t find(std::string_view text, char c, std::size_t from, std::size_t to) {
  const void* found = from < to ? std::memchr(text.data() + from, c, to - from) : nullptr;
  return found == nullptr ? to
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

} // namespace

JsonStrings::JsonStrings(std::string_view text)
    : m_text(text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  m_is_json = first != std::string_view::npos
              && std::string_view("{[\"").find(text[first]) != std::string_view::npos;
}

bool JsonStrings::skip_to_string() {
  for (; m_at < m_text.size(); ++m_at) {
    switch (k_signs[static_cast<unsigned char>(m_text[m_at])]) {
    case Sign::harmless:
      break;
    case Sign::open:
      // What is deeper than that has no key.
      m_keys[m_depth % k_max_depth] = m_depth < k_max_depth ? m_key : std::string_view();
      ++m_depth;
      break;
    case Sign::close:
      m_depth -= m_depth > 0 ? 1 : 0;
      m_key = m_depth < k_max_depth ? m_keys[m_depth] : std::string_view();
      break;
    case Sign::quote:
      return true;
    case Sign::foreign:
      m_is_json = false;
      return false;
    }
  }
  return false;
}

void JsonStrings::find_end(JsonString& string) {
  std::size_t at = string.begin;
  std::size_t quote = find(m_text, '"', at, m_text.size());
  while (true) {
    std::size_t escape = find(m_text, '\\', at, quote);
    if (escape == quote) {
      break;
    }
    string.has_escape = true;
    at = escape + 2;
    if (at > quote) {
      quote = find(m_text, '"', at, m_text.size());
    }
  }
  string.end = quote;
}

bool JsonStrings::next(JsonString& string) {
  if (!m_is_json || !skip_to_string()) {
    return false;
  }
  string = {};
  string.begin = m_at + 1;
  find_end(string);
  m_at = string.end + (string.end < m_text.size() ? 1 : 0);
  std::size_t behind = m_at;
  while (behind < m_text.size() && std::strchr(" \t\r\n", m_text[behind]) != nullptr
         && m_text[behind] != '\0') {
    ++behind;
  }
  string.is_key = behind < m_text.size() && m_text[behind] == ':';
  string.key = m_key;
  if (string.is_key) {
    m_key = m_text.substr(string.begin, string.end - string.begin);
  }
  return true;
}

} // namespace upskill::redact
