#include "clients/connect/text_reader.h"

#include "protocol/base/bounds.h"
#include "protocol/base/json_escape.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace upskill::connect {
namespace {

constexpr std::size_t k_bad = std::string_view::npos;

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()
         && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Whether a byte of `eight` is `c`, or below it: the highest bit of each that is, and perhaps of
// some behind it (Hacker's Delight, 6-1).
constexpr std::uint64_t k_ones = 0x0101010101010101;

constexpr std::uint64_t below(std::uint64_t eight, unsigned char c) {
  return (eight - k_ones * c) & ~eight & k_ones * 0x80;
}

constexpr std::uint64_t equal(std::uint64_t eight, unsigned char c) {
  return below(eight ^ k_ones * c, 1);
}

// How many bytes there are from `at` on before one that ends a string or begins an escape, or that
// no string may have; eight at a time as far as that goes.
std::size_t plain_bytes(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  if constexpr (std::endian::native == std::endian::little) {
    for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, text.data() + at, sizeof eight);
      std::uint64_t special = below(eight, 0x20) | equal(eight, '"') | equal(eight, '\\');
      if (special != 0) {
        return at - start + static_cast<std::size_t>(std::countr_zero(special)) / 8;
      }
    }
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\'
         && static_cast<unsigned char>(text[at]) >= 0x20) {
    ++at;
  }
  return at - start;
}

// Each skip_* answers where the value at `at` ends, or k_bad.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    at += plain_bytes(text, at);
    if (at < text.size() && text[at] == '"') {
      return at + 1;
    }
    if (at == text.size() || text[at] != '\\' || ++at == text.size()) {
      return k_bad;
    }
    if (text[at] == 'u') {
      for (int i = 0; i < 4; ++i) {
        if (++at >= text.size() || !is_hex(text[at])) {
          return k_bad;
        }
      }
    } else if (std::string_view("\"\\/bfnrt").find(text[at]) == std::string_view::npos) {
      return k_bad;
    }
  }
  return k_bad;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at == start ? k_bad : at;
}

std::size_t skip_number(std::string_view text, std::size_t at) {
  at += text[at] == '-' ? 1 : 0;
  bool zero = at < text.size() && text[at] == '0';
  std::size_t end = zero ? at + 1 : skip_digits(text, at);
  if (end != k_bad && end < text.size() && text[end] == '.') {
    end = skip_digits(text, end + 1);
  }
  if (end != k_bad && end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    ++end;
    end += end < text.size() && (text[end] == '+' || text[end] == '-') ? 1 : 0;
    end = skip_digits(text, end);
  }
  return end;
}

std::size_t skip_word(std::string_view text, std::size_t at, std::string_view word) {
  return text.substr(at, word.size()) == word ? at + word.size() : k_bad;
}

std::size_t skip_value(std::string_view text, std::size_t at, int depth);

std::size_t skip_members(std::string_view text, std::size_t at, int depth) {
  bool object = text[at] == '{';
  char close = object ? '}' : ']';
  at = skip_spaces(text, at + 1);
  if (at < text.size() && text[at] == close) {
    return at + 1;
  }
  for (;;) {
    if (object) {
      at = at < text.size() && text[at] == '"' ? skip_string(text, at) : k_bad;
      at = at == k_bad ? k_bad : skip_spaces(text, at);
      if (at >= text.size() || text[at] != ':') {
        return k_bad;
      }
      at = skip_spaces(text, at + 1);
    }
    at = skip_value(text, at, depth + 1);
    at = at == k_bad ? k_bad : skip_spaces(text, at);
    if (at >= text.size()) {
      return k_bad;
    }
    if (text[at] == close) {
      return at + 1;
    }
    if (text[at] != ',') {
      return k_bad;
    }
    at = skip_spaces(text, at + 1);
  }
}

std::size_t skip_value(std::string_view text, std::size_t at, int depth) {
  if (at >= text.size() || depth > k_max_json_depth) {
    return k_bad;
  }
  switch (text[at]) {
  case '{':
  case '[':
    return skip_members(text, at, depth);
  case '"':
    return skip_string(text, at);
  case 't':
    return skip_word(text, at, "true");
  case 'f':
    return skip_word(text, at, "false");
  case 'n':
    return skip_word(text, at, "null");
  default:
    return skip_number(text, at);
  }
}

// The text of a checked string, quotes included.
std::string unescape(std::string_view quoted) {
  std::string out;
  out.reserve(quoted.size());
  append_json_unescaped(out, quoted.substr(1, quoted.size() - 2));
  return out;
}

// Visits the members of a checked object or array; `use` answers whether to go on.
template <class Use> void visit(std::string_view value, Use&& use) {
  bool object = value.front() == '{';
  std::size_t at = skip_spaces(value, 1);
  while (value[at] != '}' && value[at] != ']') {
    std::string_view key;
    if (object) {
      std::size_t end = skip_string(value, at);
      key = value.substr(at, end - at);
      at = skip_spaces(value, skip_spaces(value, end) + 1);
    }
    std::size_t end = skip_value(value, at, 0);
    if (!use(key, value.substr(at, end - at))) {
      return;
    }
    at = skip_spaces(value, end);
    at = value[at] == ',' ? skip_spaces(value, at + 1) : at;
  }
}

} // namespace

Result<TextReader> TextReader::open(std::string_view json, std::string_view what) {
  std::size_t start = skip_spaces(json, 0);
  std::size_t end = skip_value(json, start, 0);
  if (end == k_bad || skip_spaces(json, end) != json.size()) {
    return fail(ErrorCode::corrupt, std::string(what) + " is not valid JSON");
  }
  return TextReader(json.substr(start, end - start));
}

JsonKind TextReader::kind() {
  switch (m_value.front()) {
  case '{':
    return JsonKind::object;
  case '[':
    return JsonKind::array;
  case '"':
    return JsonKind::string;
  case 't':
  case 'f':
    return JsonKind::boolean;
  case 'n':
    return JsonKind::null;
  default:
    return m_value.find_first_of(".eE") == std::string_view::npos ? JsonKind::integer
                                                                  : JsonKind::real;
  }
}

std::optional<bool> TextReader::boolean() {
  return kind() == JsonKind::boolean ? std::optional(m_value == "true") : std::nullopt;
}

std::optional<std::int64_t> TextReader::integer() {
  std::int64_t number = 0;
  auto [end, problem] = std::from_chars(m_value.data(), m_value.data() + m_value.size(), number);
  bool whole = problem == std::errc{} && end == m_value.data() + m_value.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<double> TextReader::real() {
  double number = 0;
  auto [end, problem] = std::from_chars(m_value.data(), m_value.data() + m_value.size(), number);
  bool whole = problem == std::errc{} && end == m_value.data() + m_value.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<std::string> TextReader::string() {
  return kind() == JsonKind::string ? std::optional(unescape(m_value)) : std::nullopt;
}

std::optional<std::string> TextReader::raw() {
  return std::string(m_value);
}

bool TextReader::each_field(const OnField& on_field) {
  if (kind() != JsonKind::object) {
    return false;
  }
  visit(m_value, [&](std::string_view key, std::string_view value) {
    TextReader reader(value);
    on_field(unescape(key), reader);
    return true;
  });
  return true;
}

bool TextReader::each_element(const OnElement& on_element) {
  if (kind() != JsonKind::array) {
    return false;
  }
  std::size_t index = 0;
  visit(m_value, [&](std::string_view, std::string_view value) {
    TextReader reader(value);
    on_element(index++, reader);
    return true;
  });
  return true;
}

std::optional<TextReader> TextReader::member(std::string_view name) const {
  std::optional<TextReader> found;
  if (m_value.front() != '{') {
    return found;
  }
  visit(m_value, [&](std::string_view key, std::string_view value) {
    bool same = key.find('\\') == std::string_view::npos ? key.substr(1, key.size() - 2) == name
                                                         : unescape(key) == name;
    if (same) {
      found = TextReader(value);
    }
    return !same;
  });
  return found;
}

std::string indented_json(std::string_view json) {
  std::string out;
  std::size_t level = 0;
  auto new_line = [&] { out.append(1, '\n').append(2 * level, ' '); };
  for (std::size_t at = skip_spaces(json, 0); at < json.size(); at = skip_spaces(json, at)) {
    char c = json[at];
    if (c == '"') {
      std::size_t end = skip_string(json, at);
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    ++at;
    if (c == '{' || c == '[') {
      std::size_t next = skip_spaces(json, at);
      out += c;
      if (next < json.size() && (json[next] == '}' || json[next] == ']')) {
        out += json[next];
        at = next + 1;
      } else {
        ++level;
        new_line();
      }
    } else if (c == '}' || c == ']') {
      --level;
      new_line();
      out += c;
    } else if (c == ',') {
      out += c;
      new_line();
    } else if (c == ':') {
      out += ": ";
    } else {
      out += c;
    }
  }
  return out;
}

} // namespace upskill::connect
