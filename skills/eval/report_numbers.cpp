#include "skills/eval/report_numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace upskill::eval {
namespace {

const char* const k_unknown = "unknown";

} // namespace

std::string as_decimal(double number, int digits) {
  std::array<char, 512> buffer; // the longest double has 309 digits before the point
  auto end = std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::fixed, digits);
  std::string text(buffer.data(), end.ptr);
  bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string as_percent(std::optional<double> share) {
  if (!share) {
    return k_unknown;
  }
  std::string text = as_decimal(*share * 100, 1);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text + "%";
}

std::string as_change(std::optional<double> change) {
  std::string text = as_percent(change);
  return change && *change > 0 && text != "0%" ? "+" + text : text;
}

std::string as_count(std::optional<std::int64_t> count) {
  if (!count) {
    return k_unknown;
  }
  std::string text = std::to_string(*count);
  const std::size_t first = *count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string as_dollars(std::optional<double> dollars) {
  if (!dollars) {
    return k_unknown;
  }
  if (*dollars == 0) {
    return "$0";
  }
  if (*dollars < 0.0001) {
    return "under $0.0001";
  }
  return "$" + as_decimal(*dollars, *dollars < 1 ? 4 : 2);
}

std::string as_seconds(std::optional<std::int64_t> milliseconds) {
  return milliseconds ? as_decimal(static_cast<double>(*milliseconds) / 1000, 2) + " s" : k_unknown;
}

std::string as_ratio(std::optional<double> ratio) {
  return ratio ? as_decimal(*ratio, 2) + "x" : k_unknown;
}

std::string as_lift(double value, double low, double high) {
  return as_change(value) + " [" + as_change(low) + ", " + as_change(high) + "]";
}

} // namespace upskill::eval
