#include "protocol/rpc/json_text.h"

#include "protocol/codec/writer.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/simdjson_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace upskill::rpc {
namespace {

constexpr std::size_t k_short = 4096; // bytes that nobody minds

unsigned hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') {
    return static_cast<unsigned>(digit - '0');
  }
  return static_cast<unsigned>((digit | 0x20) - 'a' + 10);
}

// Four hexadecimal digits at `at`, which the scanner has seen.
std::uint32_t code_unit(std::string_view text, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    unit = unit << 4 | hex_digit(text[at + i]);
  }
  return unit;
}

void append_utf8(std::string& out, std::uint32_t code) {
  auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Reads the escape whose `u` is at `at`; returns where it ends.
std::size_t append_unicode_escape(std::string& out, std::string_view text, std::size_t at) {
  std::uint32_t unit = code_unit(text, at + 1);
  at += 5;
  if (is_high_surrogate(unit) && text.substr(at).starts_with("\\u")) {
    std::uint32_t second = code_unit(text, at + 2);
    if (is_low_surrogate(second)) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00));
      return at + 6;
    }
  }
  bool is_unpaired = is_high_surrogate(unit) || is_low_surrogate(unit);
  append_utf8(out, is_unpaired ? 0xFFFD : unit);
  return at;
}

char simple_escape(char letter) {
  switch (letter) {
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  default:
    return letter;
  }
}

// Where the string that begins at `start` ends: after its last quote.
std::size_t end_of_string(std::string_view json, std::size_t start) {
  std::size_t end = start;
  std::size_t text = 0; // without the backslashes before the quote
  do {
    end = json.find('"', end + 1);
    text = json.find_last_not_of('\\', end - 1);
  } while ((end - text) % 2 == 0); // an odd number of backslashes: the quote is escaped
  return end + 1;
}

std::string without_blanks(std::string_view json) {
  auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  std::string text;
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] == '"') {
      std::size_t end = end_of_string(json, at);
      text.append(json, at, end - at);
      at = end;
      continue;
    }
    if (!is_blank(json[at])) {
      text += json[at];
    }
    ++at;
  }
  return text;
}

} // namespace

std::string string_value(std::string_view literal) {
  std::string_view text = literal.substr(1, literal.size() - 2);
  std::size_t at = text.find('\\');
  if (at == std::string_view::npos) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size());
  std::size_t plain = 0;
  while (at != std::string_view::npos) {
    out.append(text, plain, at - plain);
    if (text[at + 1] == 'u') {
      plain = append_unicode_escape(out, text, at + 1);
    } else {
      out += simple_escape(text[at + 1]);
      plain = at + 2;
    }
    at = text.find('\\', plain);
  }
  out.append(text, plain);
  return out;
}

std::string canonical_scalar(std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos) {
    return std::string(literal);
  }
  return json_string(string_value(literal));
}

std::string with_padding(std::string_view json) {
  std::string compact; // a call may wait with it for an hour
  if (json.size() > k_short) {
    compact = without_blanks(json);
    json = compact;
  }
  std::string text;
  text.reserve(json.size() + k_json_padding);
  text = json;
  if (json.find('\n') != std::string_view::npos || json.find('\r') != std::string_view::npos) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
  }
  return text;
}

std::optional<std::vector<std::string>> uniform_keys(std::string_view json, JsonKind kind) {
  std::vector<std::string> keys;
  bool is_uniform = true;
  JsonScanner scanner(json);
  if (scanner.peek() != JsonKind::object) {
    return std::nullopt;
  }
  scanner.members([&](std::string_view literal) {
    is_uniform = scanner.value().kind == kind && is_uniform && keys.size() < k_max_members;
    if (is_uniform) {
      std::string key = string_value(literal);
      is_uniform = std::find(keys.begin(), keys.end(), key) == keys.end();
      keys.push_back(std::move(key));
    }
  });
  return is_uniform && scanner.at_end() ? std::optional(std::move(keys)) : std::nullopt;
}

bool is_request_id(std::string_view text) {
  JsonScanner scanner(text);
  JsonKind kind = scanner.value().kind;
  return scanner.at_end() && (kind == JsonKind::string || kind == JsonKind::integer);
}

} // namespace upskill::rpc
