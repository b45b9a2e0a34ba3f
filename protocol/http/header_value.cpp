#include "protocol/http/header_value.h"

#include "protocol/rpc/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace upskill::http {
namespace {

constexpr std::string_view k_prefix = "=?base64?";
constexpr std::string_view k_suffix = "?=";

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string decoded;
  decoded.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (char c : text.substr(0, text.size() - padding)) {
    int value = value_of(c);
    if (value < 0) {
      return std::nullopt;
    }
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      decoded += static_cast<char>(bits >> count & 0xff);
    }
  }
  if ((bits & ((1u << count) - 1)) != 0) {
    return std::nullopt; // bits that mean nothing: a second spelling of the same text
  }
  return decoded;
}

// A whole text as a number.
std::optional<double> number_of(std::string_view text) {
  double number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

bool is_same_number(std::string_view a, std::string_view b) {
  std::optional<std::int64_t> whole_a = integer_of(a);
  std::optional<std::int64_t> whole_b = integer_of(b);
  if (whole_a && whole_b) {
    return *whole_a == *whole_b;
  }
  std::optional<double> number_a = number_of(a);
  std::optional<double> number_b = number_of(b);
  return number_a && number_b && *number_a == *number_b;
}

} // namespace

std::optional<std::string> decode_mirrored(std::string_view value) {
  for (char c : value) {
    if ((c < 0x20 && c != '\t') || c > 0x7e || c < 0) {
      return std::nullopt;
    }
  }
  if (value.size() >= k_prefix.size() + k_suffix.size() && value.starts_with(k_prefix)
      && value.ends_with(k_suffix)) {
    value.remove_prefix(k_prefix.size());
    value.remove_suffix(k_suffix.size());
    return decode_base64(value);
  }
  return std::string(value);
}

bool says_the_same(std::string_view field, const rpc::Member& member) {
  std::optional<std::string> said = decode_mirrored(field);
  if (!said) {
    return false;
  }
  switch (member.kind) {
  case JsonKind::string:
    return *said == rpc::string_value(member.raw);
  case JsonKind::boolean:
    return *said == member.raw;
  case JsonKind::integer:
  case JsonKind::real:
    return is_same_number(*said, member.raw);
  default:
    return false;
  }
}

} // namespace upskill::http
