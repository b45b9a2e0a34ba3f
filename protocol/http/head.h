#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace upskill::http {

// One line of a request's head. `value` has no blanks at its ends.
struct Field {
  std::string_view name = {};
  std::string_view value = {};
};

// What of a request comes before its body. Views into the driver's buffer.
struct Head {
  std::string_view method = {};
  std::string_view target = {}; // as it was sent
  std::span<const Field> fields = {};

  // Of the first field of that name, whatever its case.
  std::optional<std::string_view> first(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // The value of the one field of that name; nothing when there are none or several.
  std::optional<std::string_view> only(std::string_view name) const;
};

// ASCII only, as everything that HTTP compares so (RFC 9110, section 5.1).
bool equals_ignoring_case(std::string_view a, std::string_view b);
// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

// Takes the next element of a comma-separated list off `list`; nothing at its end. Commas within
// quotes do not separate (RFC 9110, section 5.6.1).
std::optional<std::string_view> take_element(std::string_view& list);

} // namespace upskill::http
