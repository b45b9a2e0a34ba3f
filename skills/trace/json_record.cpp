#include "skills/trace/json_record.h"

#include "protocol/base/utf8.h"

#include <chrono>

namespace upskill::trace {
namespace {

static_assert(k_record_padding >= simdjson::SIMDJSON_PADDING);

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks(" \t\r\n\0", 5);
  std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// Where the first object or array ends that `json` begins with; its size where it does not end.
std::size_t first_end(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) {
        return i + 1;
      }
      --depth;
    }
  }
  return json.size();
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = 10 * value + (text[i] - '0');
  }
  return value;
}

// Minutes east of UTC that `zone` says: `Z`, `+02:00`, `+0200`.
std::optional<int> zone_minutes(std::string_view zone) {
  if (zone == "Z" || zone == "z") {
    return 0;
  }
  if (zone.size() < 5 || (zone[0] != '+' && zone[0] != '-')) {
    return std::nullopt;
  }
  std::optional<int> hours = digits(zone, 1, 2);
  std::optional<int> minutes = digits(zone, zone[3] == ':' ? 4 : 3, 2);
  if (!hours || !minutes) {
    return std::nullopt;
  }
  int sum = 60 * *hours + *minutes;
  return zone[0] == '-' ? -sum : sum;
}

} // namespace

std::optional<std::string_view> raw_string(ondemand::value& value) {
  std::string_view token;
  if (simdjson::simdjson_result<std::string_view>(value.raw_json_token()).get(token)
      != simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (token.empty() || token.front() != '"') {
    return std::nullopt;
  }
  std::size_t end = token.rfind('"');
  if (end == 0) {
    return std::nullopt;
  }
  return token.substr(1, end - 1);
}

std::string_view raw_or_empty(ondemand::value& value) {
  return raw_string(value).value_or(std::string_view{});
}

std::string_view raw_json(ondemand::value& value) {
  ondemand::json_type type{};
  std::string_view text;
  if (value.type().get(type) != simdjson::SUCCESS) {
    return {};
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS
        || object.raw_json().get(text) != simdjson::SUCCESS) {
      return {};
    }
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS
        || array.raw_json().get(text) != simdjson::SUCCESS) {
      return {};
    }
  } else if (simdjson::simdjson_result<std::string_view>(value.raw_json_token()).get(text)
             != simdjson::SUCCESS) {
    return {};
  }
  return trimmed(text);
}

std::optional<std::int64_t> integer(ondemand::value& value) {
  std::int64_t count = 0;
  if (value.get_int64().get(count) == simdjson::SUCCESS) {
    return count;
  }
  return std::nullopt;
}

std::optional<double> number(ondemand::value& value) {
  double amount = 0;
  if (value.get_double().get(amount) == simdjson::SUCCESS) {
    return amount;
  }
  return std::nullopt;
}

bool is_true(ondemand::value& value) {
  bool flag = false;
  return value.get_bool().get(flag) == simdjson::SUCCESS && flag;
}

std::optional<std::int64_t> time_of(std::string_view iso) {
  std::optional<int> year = digits(iso, 0, 4);
  std::optional<int> month = digits(iso, 5, 2);
  std::optional<int> day = digits(iso, 8, 2);
  std::optional<int> hour = digits(iso, 11, 2);
  std::optional<int> minute = digits(iso, 14, 2);
  std::optional<int> second = digits(iso, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || iso[4] != '-' || iso[7] != '-'
      || (iso[10] != 'T' && iso[10] != ' ')) {
    return std::nullopt;
  }
  std::size_t at = 19;
  std::int64_t ms = 0;
  if (at < iso.size() && (iso[at] == '.' || iso[at] == ',')) {
    std::int64_t unit = 100;
    for (++at; at < iso.size() && iso[at] >= '0' && iso[at] <= '9'; ++at) {
      ms += unit * (iso[at] - '0');
      unit /= 10;
    }
  }
  std::optional<int> zone = zone_minutes(iso.substr(at));
  std::chrono::year_month_day date{std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!zone || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + *hour) * 60 + *minute - *zone) * 60 + *second) * 1000 + ms;
}

std::optional<std::int64_t> time_of(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    return time_of(*text);
  }
  std::optional<double> amount = number(value);
  if (!amount || !(*amount > 0) || *amount > 1e14) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*amount < 1e11 ? *amount * 1000 : *amount);
}

void JsonReader::read(const Record& record, EventSink& sink) {
  constexpr std::string_view k_mark = "\xEF\xBB\xBF"; // of byte order, before a file's first line
  Record rest = record;
  if (rest.bytes.starts_with(k_mark)) {
    rest.bytes.remove_prefix(k_mark.size());
    rest.offset += k_mark.size();
    rest.length -= k_mark.size();
  }
  read_all(rest.bytes, rest, false, sink);
}

void JsonReader::read_all(std::string_view json,
                          const Record& record,
                          bool is_repaired,
                          EventSink& sink) {
  const char* start = json.data();
  for (json = trimmed(json); !json.empty(); json = trimmed(json)) {
    std::uint64_t offset = static_cast<std::uint64_t>(json.data() - start);
    std::size_t used = json.size();
    Outcome outcome = read_one(json, used);
    if (outcome == Outcome::broken) {
      // A whole object may stand before what is broken, or cut off.
      std::size_t end = json.front() == '{' ? first_end(json) : json.size();
      if (end < json.size()) {
        used = end;
        outcome = read_one(json.substr(0, end), used);
        used = end;
      }
    }
    if (outcome == Outcome::broken && !is_repaired && !is_utf8(json)) {
      m_repaired = to_valid_utf8(json);
      std::size_t size = m_repaired.size();
      m_repaired.resize(size + k_record_padding, ' ');
      Record rest{json, record.offset + offset, record.length - std::min(record.length, offset)};
      read_all(std::string_view(m_repaired).substr(0, size), rest, true, sink);
      return;
    }
    // A record that was cut, repaired, or is the only one of its line has the line's place.
    bool is_part = !is_repaired && record.length == record.bytes.size();
    std::uint64_t length = is_part ? used : record.length;
    std::uint64_t place = record.offset + (is_part ? offset : 0);
    if (outcome == Outcome::done) {
      emit(record, place, length, sink);
    } else {
      tell_unreadable(record, place, length, sink);
    }
    json.remove_prefix(used);
  }
}

JsonReader::Outcome JsonReader::read_one(std::string_view json, std::size_t& used) {
  m_batch.clear();
  ondemand::document document;
  if (m_parser.iterate(json.data(), json.size(), json.size() + simdjson::SIMDJSON_PADDING)
          .get(document)
      != simdjson::SUCCESS) {
    return Outcome::broken;
  }
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS || !read_object(object)) {
    return Outcome::broken;
  }
  const char* rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS && rest > json.data()
      && rest < json.data() + json.size()) {
    used = static_cast<std::size_t>(rest - json.data());
  }
  return Outcome::done;
}

void JsonReader::emit(const Record&, std::uint64_t offset, std::uint64_t length, EventSink& sink) {
  m_batch.envelope.offset = offset;
  m_batch.envelope.length = length;
  m_batch.emit(sink);
}

void JsonReader::tell_unreadable(const Record& record,
                                 std::uint64_t offset,
                                 std::uint64_t length,
                                 EventSink& sink) {
  m_batch.clear();
  Event& event = m_batch.add(EventKind::meta, EventForm::unreadable);
  event.text = {record.length > record.bytes.size() ? "a record that is too long" : "broken JSON",
                {},
                Encoding::plain};
  emit(record, offset, length, sink);
}

} // namespace upskill::trace
