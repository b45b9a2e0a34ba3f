#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// What may be shown of text that others wrote: without escape sequences, control characters and
// bidirectional overrides, which could move the cursor, change colours or lie about order.
// Ill-formed UTF-8 becomes U+FFFD. `clean_line` makes one line of it; `clean_block` keeps line
// breaks and turns a tab into four spaces.
std::string clean_line(std::string_view text);
std::string clean_block(std::string_view text);

// Columns that clean text takes.
std::size_t display_width(std::string_view text);

// Clean text cut to at most `columns`, the last one `ellipsis` when something was cut.
std::string cut(std::string_view text, std::size_t columns, std::string_view ellipsis);

// Clean text in lines of at most `columns`, broken at spaces outside of back-ticks, at least one
// line. A longer word is broken where it must.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

// "1 skill", "2 skills", "1,024 skills".
std::string count(long long number, std::string_view singular, std::string_view plural);
// "2 conflicts and 1 held deletion wait for you", without what there is none of.
std::string waiting(long long conflicts, long long held);
// 1024 as "1,024".
std::string grouped(long long number);
// Bytes as "512 B", "3.1 KB", "20 MB".
std::string human_bytes(long long bytes);
// Seconds as "12 s", "3 min", "2 h 5 min", "4 days".
std::string human_duration(double seconds);
// An RFC 3339 time in UTC as "2026-11-21 05:51".
std::string human_time(std::string_view rfc3339);
// "a, b, c".
std::string joined(const std::vector<std::string>& parts, std::string_view between = ", ");

} // namespace upskill::cli
