#include "skills/store/timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace upskill::store {

std::string name_of_time(std::int64_t time_ms) {
  using namespace std::chrono;
  // Years 0 to 9999: four digits, whatever a stored time says.
  constexpr std::int64_t k_first = -62'167'219'200'000;
  constexpr std::int64_t k_last = 253'402'300'799'999;
  sys_time<milliseconds> time{milliseconds{std::clamp(time_ms, k_first, k_last)}};
  auto day = floor<days>(time);
  year_month_day date{day};
  hh_mm_ss clock{floor<seconds>(time - day)};
  char text[64];
  std::snprintf(text,
                sizeof text,
                "%04d%02u%02uT%02d%02d%02dZ",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

std::optional<std::int64_t> time_of_name(std::string_view name) {
  using namespace std::chrono;
  constexpr std::string_view k_form = "ddddddddTddddddZ";
  if (name.size() < k_form.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < k_form.size(); ++i) {
    bool digit = name[i] >= '0' && name[i] <= '9';
    if (k_form[i] == 'd' ? !digit : name[i] != k_form[i]) {
      return std::nullopt;
    }
  }
  auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (char digit : name.substr(at, digits)) {
      value = value * 10 + (digit - '0');
    }
    return value;
  };
  year_month_day date{year{number(0, 4)},
                      month{static_cast<unsigned>(number(4, 2))},
                      day{static_cast<unsigned>(number(6, 2))}};
  if (!date.ok() || number(9, 2) > 23 || number(11, 2) > 59 || number(13, 2) > 59) {
    return std::nullopt;
  }
  sys_time<milliseconds> time =
      sys_days{date} + hours{number(9, 2)} + minutes{number(11, 2)} + seconds{number(13, 2)};
  return time.time_since_epoch().count();
}

} // namespace upskill::store
