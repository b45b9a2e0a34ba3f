#include "daemon/models/retry.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace upskill::models {
namespace {

using std::chrono::milliseconds;

constexpr double k_day_ms = 24.0 * 3600 * 1000; // nothing asks for more

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

milliseconds bounded(double ms) {
  return milliseconds(static_cast<std::int64_t>(std::clamp(std::ceil(ms), 0.0, k_day_ms)));
}

// The moment that `format` of strptime(3) reads, in UTC.
std::optional<milliseconds> until(std::string_view text, const char* format, std::int64_t unix_ms) {
  std::tm moment{};
  if (::strptime(std::string(text).c_str(), format, &moment) == nullptr) {
    return std::nullopt;
  }
  return bounded(static_cast<double>(::timegm(&moment)) * 1000 - static_cast<double>(unix_ms));
}

std::optional<milliseconds> read_reset(std::string_view text, std::int64_t unix_ms) {
  if (auto duration = read_duration(text)) {
    return duration;
  }
  return until(text, "%Y-%m-%dT%H:%M:%S", unix_ms);
}

// Of the limits that are used up.
std::optional<milliseconds> limit_reset(const Headers& headers, std::int64_t unix_ms) {
  std::optional<milliseconds> longest;
  for (const auto& [name, value] : headers) {
    std::size_t at = name.find("-remaining");
    if (name.find("ratelimit-") == std::string::npos || at == std::string::npos
        || read_number(value) != 0.0) {
      continue;
    }
    std::string reset = name;
    reset.replace(at, std::string_view("-remaining").size(), "-reset");
    if (auto wait = read_reset(header(headers, reset), unix_ms)) {
      longest = std::max(longest.value_or(milliseconds(0)), *wait);
    }
  }
  return longest;
}

} // namespace

std::optional<milliseconds> read_duration(std::string_view text) {
  double total = 0;
  bool is_any = false;
  while (!text.empty()) {
    std::size_t length = text.find_first_not_of("0123456789.");
    std::optional<double> value = read_number(text.substr(0, length));
    if (!value || length == std::string_view::npos) {
      return std::nullopt;
    }
    text.remove_prefix(length);
    std::size_t unit = std::min(text.find_first_of("0123456789."), text.size());
    std::string_view name = text.substr(0, unit);
    double factor = name == "ms"  ? 1
                    : name == "s" ? 1000
                    : name == "m" ? 60'000
                    : name == "h" ? 3'600'000
                                  : 0;
    if (factor == 0) {
      return std::nullopt;
    }
    total += *value * factor;
    is_any = true;
    text.remove_prefix(unit);
  }
  return is_any ? std::optional(bounded(total)) : std::nullopt;
}

std::optional<milliseconds> asked_wait(const Headers& headers, std::int64_t unix_ms) {
  if (auto ms = read_number(header(headers, "retry-after-ms"))) {
    return bounded(*ms);
  }
  std::string_view after = header(headers, "retry-after");
  if (auto seconds = read_number(after)) {
    return bounded(*seconds * 1000);
  }
  if (auto duration = read_duration(after)) {
    return duration;
  }
  if (auto wait = until(after, "%a, %d %b %Y %H:%M:%S GMT", unix_ms)) {
    return wait;
  }
  return limit_reset(headers, unix_ms);
}

milliseconds pause_after(int attempt, std::optional<milliseconds> asked, double random) {
  if (asked) {
    return *asked + bounded(static_cast<double>(asked->count()) * 0.1 * random);
  }
  double most = std::min(30'000.0, 1000.0 * std::exp2(std::clamp(attempt - 1, 0, 10)));
  return bounded(most * random);
}

} // namespace upskill::models
