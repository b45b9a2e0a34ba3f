#include "daemon/capture/moment_words.h"

#include "protocol/base/utf8.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace upskill::capture {
namespace {

constexpr std::int64_t k_most = 100'000; // units ago

std::optional<int> number(std::string_view text, std::size_t at, std::size_t size) {
  if (at + size > text.size()) {
    return std::nullopt;
  }
  int value = 0;
  const char* begin = text.data() + at;
  auto [end, problem] = std::from_chars(begin, begin + size, value);
  return problem == std::errc{} && end == begin + size && *begin != '-' ? std::optional(value)
                                                                        : std::nullopt;
}

std::optional<std::int64_t> ms_of_unit(char unit) {
  switch (unit) {
  case 'm':
    return 60'000;
  case 'h':
    return 3'600'000;
  case 'd':
    return 86'400'000;
  case 'w':
    return 7 * 86'400'000LL;
  default:
    return std::nullopt;
  }
}

std::optional<std::int64_t> ago(std::string_view words, std::int64_t now_ms) {
  std::int64_t count = 0;
  auto [end, problem] = std::from_chars(words.data(), words.data() + words.size(), count);
  if (problem != std::errc{} || end + 1 != words.data() + words.size() || count < 0
      || count > k_most) {
    return std::nullopt;
  }
  std::optional<std::int64_t> unit = ms_of_unit(*end);
  return unit ? std::optional(now_ms - count * *unit) : std::nullopt;
}

std::optional<std::int64_t> date(std::string_view words) {
  std::optional<int> year = number(words, 0, 4);
  std::optional<int> month = number(words, 5, 2);
  std::optional<int> day = number(words, 8, 2);
  if (!year || !month || !day || words[4] != '-' || words[7] != '-') {
    return std::nullopt;
  }
  std::chrono::year_month_day that{std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!that.ok()) {
    return std::nullopt;
  }
  std::int64_t ms = std::chrono::sys_days(that).time_since_epoch().count() * 86'400'000LL;
  std::string_view time = words.substr(10);
  if (time.empty()) {
    return ms;
  }
  if (time.ends_with('Z')) {
    time.remove_suffix(1);
  }
  std::optional<int> hour = number(time, 1, 2);
  std::optional<int> minute = number(time, 4, 2);
  std::optional<int> second = time.size() == 6 ? std::optional(0) : number(time, 7, 2);
  bool is_time = (time.size() == 6 || time.size() == 9) && (time[0] == 'T' || time[0] == ' ')
                 && time[3] == ':' && (time.size() == 6 || time[6] == ':');
  if (!is_time || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return ms + ((*hour * 60LL + *minute) * 60 + *second) * 1000;
}

} // namespace

Result<std::int64_t> moment_of(std::string_view words, std::string_view name, std::int64_t now_ms) {
  if (std::optional<std::int64_t> before = ago(words, now_ms)) {
    return *before;
  }
  if (std::optional<std::int64_t> that = date(words)) {
    return *that;
  }
  return fail(ErrorCode::invalid_argument,
              "params." + std::string(name) + ": " + in_backticks(words) + " is no moment",
              "a date as `2026-07-01`, a time as `2026-07-01T10:00:00Z`, or how long ago: `12h`, "
              "`7d`, `4w`");
}

} // namespace upskill::capture
