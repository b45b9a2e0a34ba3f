#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace upskill::eval {

// Numbers as reports show them, whatever the locale. What is not known is `unknown`, and never 0.

std::string as_decimal(double number, int digits);
// 0.6667: "66.7%"; 0.6: "60%".
std::string as_percent(std::optional<double> share);
// A difference of shares, in percentage points: "+35%", "-5%", "0%".
std::string as_change(std::optional<double> change);
// "1,234,567".
std::string as_count(std::optional<std::int64_t> count);
// US dollars: "$1.50", "$0.0012", "under $0.0001".
std::string as_dollars(std::optional<double> dollars);
// "1.25 s".
std::string as_seconds(std::optional<std::int64_t> milliseconds);
// "1.25x".
std::string as_ratio(std::optional<double> ratio);
// "+35% [+10%, +55%]".
std::string as_lift(double value, double low, double high);

} // namespace upskill::eval
