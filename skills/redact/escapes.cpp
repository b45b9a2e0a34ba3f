#include "skills/redact/escapes.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace upskill::redact {
namespace {

// The smallest part of a raw text that means something by itself.
struct Unit {
  std::size_t length = 0; // in the raw text
  std::size_t size = 0;   // of what it says
  char bytes[4] = {};
};

std::optional<unsigned> code_unit(std::string_view raw) {
  if (raw.size() < 6 || raw[0] != '\\' || raw[1] != 'u') {
    return std::nullopt;
  }
  unsigned value = 0;
  for (char c : raw.substr(2, 4)) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value |= static_cast<unsigned>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      value |= static_cast<unsigned>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

Unit encoded(std::size_t length, unsigned point) {
  auto byte = [](unsigned value) { return static_cast<char>(value); };
  auto inner = [&](unsigned shift) { return byte(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    return {length, 1, {byte(point)}};
  }
  if (point < 0x800) {
    return {length, 2, {byte(0xC0 | point >> 6), inner(0)}};
  }
  if (point < 0x10000) {
    return {length, 3, {byte(0xE0 | point >> 12), inner(6), inner(0)}};
  }
  return {length, 4, {byte(0xF0 | point >> 18), inner(12), inner(6), inner(0)}};
}

// What stands at the start of `raw`, which begins with a backslash.
Unit read_escape(std::string_view raw) {
  static constexpr std::string_view k_letters = "\"\\/bfnrt";
  static constexpr std::string_view k_meanings = "\"\\/\b\f\n\r\t";
  std::size_t letter = raw.size() < 2 ? std::string_view::npos : k_letters.find(raw[1]);
  if (letter != std::string_view::npos) {
    return {2, 1, {k_meanings[letter]}};
  }
  std::optional<unsigned> unit = code_unit(raw);
  if (!unit) {
    return {1, 1, {'\\'}};
  }
  if (*unit < 0xD800 || *unit > 0xDFFF) {
    return encoded(6, *unit);
  }
  std::optional<unsigned> low = *unit < 0xDC00 ? code_unit(raw.substr(6)) : std::nullopt;
  if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
    return encoded(12, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
  }
  return encoded(6, 0xFFFD);
}

std::size_t until_escape(std::string_view raw) {
  const void* found = std::memchr(raw.data(), '\\', raw.size());
  return found == nullptr ? raw.size()
                          : static_cast<std::size_t>(static_cast<const char*>(found) - raw.data());
}

// A place in a raw text and in what it says, moved forward in both.
class Cursor {
public:
  explicit Cursor(std::string_view raw)
      : m_raw(raw) {}

  // To where the unit begins that says byte `target`.
  std::size_t begin_of(std::size_t target) {
    while (m_at < m_raw.size()) {
      if (std::size_t plain = until_escape(m_raw.substr(m_at)); plain > 0) {
        std::size_t step = std::min(plain, target - m_said);
        m_at += step;
        m_said += step;
        if (step < plain || m_at == m_raw.size()) {
          break;
        }
      }
      Unit unit = read_escape(m_raw.substr(m_at));
      if (m_said + unit.size > target) {
        break;
      }
      m_at += unit.length;
      m_said += unit.size;
    }
    return m_at;
  }

  // Where the unit ends that begins here.
  std::size_t end() const {
    if (m_at == m_raw.size()) {
      return m_at;
    }
    return m_at + (m_raw[m_at] == '\\' ? read_escape(m_raw.substr(m_at)).length : 1);
  }

private:
  std::string_view m_raw;
  std::size_t m_at = 0;
  std::size_t m_said = 0;
};

} // namespace

void append_unescaped(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    std::size_t plain = until_escape(raw);
    out.append(raw.data(), plain);
    raw.remove_prefix(plain);
    if (!raw.empty()) {
      Unit unit = read_escape(raw);
      out.append(unit.bytes, unit.size);
      raw.remove_prefix(unit.length);
    }
  }
}

void map_to_source(std::string_view raw, std::vector<Finding>& findings) {
  Cursor cursor(raw);
  for (Finding& one : findings) {
    std::size_t last = one.end - 1;
    one.begin = cursor.begin_of(one.begin);
    cursor.begin_of(last);
    one.end = cursor.end();
  }
}

} // namespace upskill::redact
