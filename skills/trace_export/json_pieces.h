#pragma once
#include "skills/trace/text.h"
#include "skills/trace/text_filter.h"

#include <cstdint>
#include <string>
#include <string_view>

// JSON that is written piece by piece.
namespace upskill::trace_export {

// A string with its quotes; ill-formed UTF-8 is repaired, and a line of it stays a line (U+2028).
void append_json_string(std::string& out, std::string_view text);

// The members of an object, one after the other: `{`, commas and `}` come by themselves. Lifetime:
// shorter than that of `out`, which nothing else writes to between begin and end but values.
class JsonObject {
public:
  explicit JsonObject(std::string& out);
  void end();

  void string(std::string_view key, std::string_view value);
  // Nothing where it is empty.
  void string_if(std::string_view key, std::string_view value);
  void number(std::string_view key, std::int64_t value);
  void decimal(std::string_view key, double value);
  // JSON as it is.
  void raw(std::string_view key, std::string_view json);

  bool is_empty() const { return m_is_empty; }

private:
  void key(std::string_view key);

  std::string& m_out;
  bool m_is_empty = true;
};

// What a tool was called with, as a JSON object whose strings are cleaned one by one, so that it
// stays JSON; `{"input": TEXT}` where it is none.
std::string arguments_object(const trace::Text& input, trace::TextFilter* filter);

// The same, but any JSON and any text as it is.
std::string arguments_text(const trace::Text& input, trace::TextFilter* filter);

} // namespace upskill::trace_export
