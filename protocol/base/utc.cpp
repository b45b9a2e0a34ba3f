#include "protocol/base/utc.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace upskill {

std::string rfc3339(std::int64_t unix_ms) {
  using namespace std::chrono;
  constexpr std::int64_t k_first = -62'167'219'200'000; // 0000-01-01
  constexpr std::int64_t k_last = 253'402'300'799'999;  // 9999-12-31T23:59:59.999
  sys_time<milliseconds> time{milliseconds(std::clamp(unix_ms, k_first, k_last))};
  sys_days day = floor<days>(time);
  year_month_day date{day};
  hh_mm_ss clock{time - day};
  char text[40];
  std::snprintf(text,
                sizeof text,
                "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text;
}

} // namespace upskill
