#pragma once
#include "protocol/base/result.h"
#include "protocol/codec/reader.h"

#include <optional>
#include <string>
#include <string_view>

namespace upskill::connect {

// Reads one JSON value in place: no tree, members in the order they were written, and nothing to
// load before the first answer. The text must outlive the reader.
class TextReader final : public JsonReader {
public:
  // Checks the whole text (RFC 8259, nesting up to 64), so that reading it cannot go wrong; `what`
  // names it in the error.
  static Result<TextReader> open(std::string_view json, std::string_view what);

  JsonKind kind() override;
  std::optional<bool> boolean() override;
  std::optional<std::int64_t> integer() override;
  std::optional<double> real() override;
  std::optional<std::string> string() override;
  std::optional<std::string> raw() override;
  bool each_field(const OnField& on_field) override;
  bool each_element(const OnElement& on_element) override;

  // The value as it was written.
  std::string_view text() const { return m_value; }

  // The member of that name of an object; nothing where there is none.
  std::optional<TextReader> member(std::string_view name) const;

private:
  explicit TextReader(std::string_view value)
      : m_value(value) {}

  std::string_view m_value; // checked, without spaces around it
};

// A checked document with line breaks and two spaces a level, for reading on a terminal.
std::string indented_json(std::string_view json);

} // namespace upskill::connect
