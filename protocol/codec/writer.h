#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill {

// Appends one JSON document to a string (RFC 8259), without a DOM in between. Commas are its own
// affair; the caller pairs begin and end. Ill-formed UTF-8 becomes U+FFFD, so that what is written
// is always valid; no newline is ever written, so that a document is a line.
class JsonWriter {
public:
  explicit JsonWriter(std::string& out)
      : m_out(out) {}

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view name);

  void value(std::string_view text);

  void value(const char* text) { value(std::string_view(text)); }

  void value(bool flag);
  void value(std::int64_t number);
  void value(std::uint64_t number);

  void value(int number) { value(static_cast<std::int64_t>(number)); }

  void value(unsigned number) { value(static_cast<std::uint64_t>(number)); }

  // Not a number and infinities, which JSON does not have, are written as null.
  void value(double number);
  void null();
  // A finished JSON document without newlines, as it is.
  void raw(std::string_view json);

  template <class T> void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  void raw_field(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }

private:
  void separate();

  std::string& m_out;
  bool m_need_comma = false;
};

// `text` as a JSON string, quotes included, appended.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

} // namespace upskill
