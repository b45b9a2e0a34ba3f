#include "skills/document/yaml_json.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace upskill::document {
namespace {

// Digits beyond which a number is kept as text: no reader holds more, and some refuse the document.
constexpr std::size_t k_max_digits = 300;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '-' || text[at] == '+') ? at + 1 : at;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_null_word(std::string_view text) {
  constexpr std::array<std::string_view, 4> k_words{"null", "Null", "NULL", "~"};
  return text.empty() || is_one_of(text, k_words);
}

bool is_boolean_word(std::string_view text) {
  constexpr std::array<std::string_view, 6> k_words{
      "true", "True", "TRUE", "false", "False", "FALSE"};
  return is_one_of(text, k_words);
}

// 0o17 and 0xF, which take no sign.
int radix_of(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') {
    return 0;
  }
  auto all = [&](std::string_view digits) {
    return text.find_first_not_of(digits, 2) == std::string_view::npos;
  };
  if (text[1] == 'o' && all("01234567")) {
    return 8;
  }
  return text[1] == 'x' && all("0123456789abcdefABCDEF") ? 16 : 0;
}

bool is_decimal(std::string_view text) {
  std::size_t start = skip_sign(text, 0);
  return start < text.size() && skip_digits(text, start) == text.size();
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_real(std::string_view text) {
  std::size_t start = skip_sign(text, 0);
  std::size_t whole = skip_digits(text, start);
  std::size_t at = whole;
  if (at < text.size() && text[at] == '.') {
    at = skip_digits(text, at + 1);
    if (whole == start && at == whole + 1) {
      return false;
    }
  } else if (whole == start) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = skip_sign(text, at + 1);
    at = skip_digits(text, exponent);
    return at > exponent && at == text.size();
  }
  return at == text.size();
}

bool is_special_real(std::string_view text) {
  constexpr std::array<std::string_view, 3> k_not_a_number{".nan", ".NaN", ".NAN"};
  constexpr std::array<std::string_view, 3> k_infinity{".inf", ".Inf", ".INF"};
  return is_one_of(text, k_not_a_number) || is_one_of(text.substr(skip_sign(text, 0)), k_infinity);
}

void append_radix(std::string& out, std::string_view text, int radix) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + 2, end, value, radix).ec != std::errc{}) {
    append_json_string(out, text);
    return;
  }
  out += std::to_string(value);
}

// A decimal number in YAML's spelling, in JSON's: no plus, no leading zeros, digits round the
// point.
void append_decimal(std::string& out, std::string_view text) {
  double value = 0;
  std::size_t sign = skip_sign(text, 0);
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data() + sign, end, value);
  if (text.size() > k_max_digits || read.ec != std::errc{} || !std::isfinite(value)) {
    append_json_string(out, text);
    return;
  }
  if (text[0] == '-') {
    out += '-';
  }
  text.remove_prefix(sign);
  std::size_t whole = skip_digits(text, 0);
  std::size_t first = std::min(text.find_first_not_of('0'), whole);
  out += first == whole ? "0" : text.substr(first, whole - first);
  if (whole < text.size() && text[whole] == '.') {
    std::size_t fraction = skip_digits(text, whole + 1);
    out += '.';
    out += fraction == whole + 1 ? "0" : text.substr(whole + 1, fraction - whole - 1);
    whole = fraction;
  }
  out += text.substr(whole);
}

void append_scalar(std::string& out, const Yaml& node) {
  switch (core_type(node)) {
  case CoreType::null:
    out += "null";
    break;
  case CoreType::boolean:
    out += node.text[0] == 't' || node.text[0] == 'T' ? "true" : "false";
    break;
  case CoreType::integer:
    if (int radix = radix_of(node.text)) {
      append_radix(out, node.text, radix);
    } else {
      append_decimal(out, node.text);
    }
    break;
  case CoreType::real:
    if (is_special_real(node.text)) {
      append_json_string(out, node.text);
    } else {
      append_decimal(out, node.text);
    }
    break;
  case CoreType::string:
    append_json_string(out, node.text);
    break;
  }
}

// As deep as k_max_yaml_depth at most.
void append_node(std::string& out, const Yaml& node, Typing typing) {
  switch (node.kind) {
  case YamlKind::null:
    out += typing == Typing::core ? "null" : "\"\"";
    break;
  case YamlKind::scalar:
    if (typing == Typing::core) {
      append_scalar(out, node);
    } else {
      append_json_string(out, node.text);
    }
    break;
  case YamlKind::sequence: {
    out += '[';
    bool first = true;
    for (const Yaml& item : node.items) {
      out += first ? "" : ",";
      first = false;
      append_node(out, item, typing);
    }
    out += ']';
    break;
  }
  case YamlKind::mapping: {
    out += '{';
    bool first = true;
    for (const YamlMember& member : node.members) {
      out += first ? "" : ",";
      first = false;
      append_json_string(out, member.key);
      out += ':';
      append_node(out, member.value, typing);
    }
    out += '}';
    break;
  }
  }
}

} // namespace

CoreType core_type(const Yaml& node) {
  if (node.is_null()) {
    return CoreType::null;
  }
  const std::string& text = node.text;
  if (node.style != ScalarStyle::plain) {
    return CoreType::string;
  }
  if (is_null_word(text)) {
    return CoreType::null;
  }
  if (is_boolean_word(text)) {
    return CoreType::boolean;
  }
  if (is_decimal(text) || radix_of(text) != 0) {
    return CoreType::integer;
  }
  return is_real(text) || is_special_real(text) ? CoreType::real : CoreType::string;
}

std::string to_json(const Yaml& node, Typing typing) {
  std::string out;
  append_node(out, node, typing);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += k_hex[static_cast<unsigned char>(c) >> 4];
      out += k_hex[c & 0xF];
    } else {
      out += c;
    }
  }
  out += '"';
}

} // namespace upskill::document
