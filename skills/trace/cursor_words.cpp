#include "skills/trace/cursor_words.h"

#include "skills/trace/chat_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace upskill::trace {
namespace {

constexpr std::string_view k_query = "<user_query>";
constexpr std::string_view k_query_end = "</user_query>";
constexpr std::string_view k_timestamp = "<timestamp>";
constexpr std::string_view k_timestamp_end = "</timestamp>";
constexpr std::array<std::string_view, 12> k_months{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Reads words of a time one after the other.
class Words {
public:
  explicit Words(std::string_view text)
      : m_text(text) {}

  void skip(std::string_view letters) {
    std::size_t begin = m_text.find_first_not_of(letters);
    m_text.remove_prefix(begin == std::string_view::npos ? m_text.size() : begin);
  }

  std::optional<int> number() {
    skip(" ,:");
    int value = 0;
    auto [end, failure] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value);
    if (failure != std::errc{} || value < 0) {
      return std::nullopt;
    }
    m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
    return value;
  }

  bool take(std::string_view letters) {
    bool is_there = m_text.starts_with(letters);
    m_text.remove_prefix(is_there ? letters.size() : 0);
    return is_there;
  }

  // 1 to 12, by its first three letters.
  std::optional<int> month() {
    skip(" ,");
    for (std::size_t i = 0; i < k_months.size(); ++i) {
      if (take(k_months[i])) {
        skip("abcdefghijklmnopqrstuvwxyz.");
        return static_cast<int>(i) + 1;
      }
    }
    return std::nullopt;
  }

private:
  std::string_view m_text;
};

// Minutes east of UTC: `(UTC)`, `(UTC-5)`, `(UTC+5:30)`.
std::optional<int> zone_of(Words& words) {
  words.skip(" (");
  if (!words.take("UTC") && !words.take("GMT")) {
    return std::nullopt;
  }
  bool is_west = words.take("-");
  if (!is_west && !words.take("+")) {
    return 0;
  }
  std::optional<int> hours = words.number();
  if (!hours) {
    return std::nullopt;
  }
  int minutes = 60 * *hours + (words.take(":") ? words.number().value_or(0) : 0);
  return is_west ? -minutes : minutes;
}

} // namespace

void take_apart_cursor_text(std::string_view raw,
                            const std::function<void(CursorText, std::string_view)>& visit) {
  auto tell = [&](CursorText what, std::string_view text) {
    text = trim_raw(text);
    if (!text.empty()) {
      visit(what, text);
    }
  };
  std::size_t begin = 0;
  std::size_t query = raw.find(k_query);
  std::size_t time = raw.find(k_timestamp);
  while (query != time) { // both are nowhere
    bool is_query = query < time;
    std::size_t at = is_query ? query : time;
    tell(CursorText::other, raw.substr(begin, at - begin));
    at += (is_query ? k_query : k_timestamp).size();
    std::string_view closing = is_query ? k_query_end : k_timestamp_end;
    std::size_t end = std::min(raw.find(closing, at), raw.size());
    tell(is_query ? CursorText::query : CursorText::timestamp, raw.substr(at, end - at));
    begin = std::min(raw.size(), end + closing.size());
    query = query < begin ? raw.find(k_query, begin) : query;
    time = time < begin ? raw.find(k_timestamp, begin) : time;
  }
  tell(CursorText::other, raw.substr(begin));
}

std::optional<std::int64_t> cursor_time(std::string_view text) {
  std::size_t comma = text.find(',');
  Words words(text);
  std::optional<int> month = words.month();
  if (!month && comma != std::string_view::npos) { // behind the day of the week
    words = Words(text.substr(comma + 1));
    month = words.month();
  }
  std::optional<int> day = words.number();
  std::optional<int> year = words.number();
  std::optional<int> hour = words.number();
  std::optional<int> minute = words.number();
  if (!month || !day || !year || !hour || !minute || *hour > 23 || *minute > 59) {
    return std::nullopt;
  }
  words.skip(" ");
  bool is_afternoon = words.take("PM");
  if (is_afternoon || words.take("AM")) {
    hour = *hour % 12 + (is_afternoon ? 12 : 0);
  }
  std::chrono::year_month_day date{std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  std::optional<int> zone = zone_of(words);
  if (!zone || !date.ok() || *year > 9999) {
    return std::nullopt;
  }
  std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + *hour) * 60 + *minute - *zone) * 60'000;
}

} // namespace upskill::trace
