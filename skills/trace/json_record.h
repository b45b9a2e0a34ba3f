#pragma once
#include "skills/trace/event_batch.h"
#include "skills/trace/reader.h"

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How readers look at a record that is JSON. Only their .cpp files include this: simdjson is large.
namespace upskill::trace {

namespace ondemand = simdjson::ondemand;

// What stands between the quotes of a string; nothing where the value is none. Does not consume it.
std::optional<std::string_view> raw_string(ondemand::value& value);
// The same, empty where it is none.
std::string_view raw_or_empty(ondemand::value& value);
// The value as it stands. Consumes it.
std::string_view raw_json(ondemand::value& value);
std::optional<std::int64_t> integer(ondemand::value& value);
std::optional<double> number(ondemand::value& value);
bool is_true(ondemand::value& value);

// Unix milliseconds of an ISO 8601 time with a zone (`Z` or an offset), or of a number that is
// milliseconds, or seconds where it is below 10^11. Nothing for anything else.
std::optional<std::int64_t> time_of(std::string_view iso);
std::optional<std::int64_t> time_of(ondemand::value& value);

// Calls visit(key, value) for each member of an object; false where the JSON is broken. Keys are as
// they stand. `visit` need not consume the value.
template <class Visit> bool each_member(ondemand::object object, Visit visit) {
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) {
      return false;
    }
    // The key's quotes are structure, so its end is found without reading it again.
    ondemand::raw_json_string key = field.key();
    const char* start = key.raw();
    const char* end = start;
    while (*end != '"') {
      end += *end == '\\' ? 2 : 1;
    }
    visit(std::string_view(start, static_cast<std::size_t>(end - start)), field.value());
  }
  return true;
}

// The same of a value, where it is an object; true and nothing visited where it is something else.
template <class Visit> bool each_member(ondemand::value& value, Visit visit) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) {
    return false;
  }
  ondemand::object object;
  if (type != ondemand::json_type::object) {
    return true;
  }
  return value.get_object().get(object) == simdjson::SUCCESS && each_member(object, visit);
}

// Calls visit(value) for each element of an array; as each_member.
template <class Visit> bool each_element(ondemand::value& value, Visit visit) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) {
    return false;
  }
  if (type != ondemand::json_type::array) {
    return true;
  }
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) {
    return false;
  }
  for (auto item : array) {
    ondemand::value element;
    if (std::move(item).get(element) != simdjson::SUCCESS) {
      return false;
    }
    visit(element);
  }
  return true;
}

// A reader whose records are JSON objects: it deals with lines that hold several of them, with
// bytes that are not UTF-8 and with what is cut off or broken. A format implements `read_object`.
class JsonReader : public Reader {
public:
  void read(const Record& record, EventSink& sink) final;

protected:
  // Fills m_batch; false where the JSON is broken. Nothing in the batch: the record says nothing.
  virtual bool read_object(ondemand::object object) = 0;

  EventBatch m_batch = {};

private:
  enum class Outcome { done, broken };
  // How many bytes of `json` were read: more than one object may lie there.
  Outcome read_one(std::string_view json, std::size_t& used);
  void read_all(std::string_view json, const Record& record, bool is_repaired, EventSink& sink);
  void emit(const Record& record, std::uint64_t offset, std::uint64_t length, EventSink& sink);
  void tell_unreadable(const Record& record,
                       std::uint64_t offset,
                       std::uint64_t length,
                       EventSink& sink);

  ondemand::parser m_parser;
  std::string m_repaired = {};
};

} // namespace upskill::trace
