#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace upskill::http {

// Every field that means something to MCP, read or sent; those that frame a message are HTTP's own
// affair. The reference of the protocol (clients/cli/mcp_tables.cpp) has a row for each.
inline constexpr std::array<std::string_view, 16> k_field_names{"Accept",
                                                                "Allow",
                                                                "Authorization",
                                                                "Cache-Control",
                                                                "Content-Encoding",
                                                                "Content-Type",
                                                                "Expect",
                                                                "Host",
                                                                "Last-Event-ID",
                                                                "MCP-Protocol-Version",
                                                                "Mcp-Method",
                                                                "Mcp-Name",
                                                                "Mcp-Session-Id",
                                                                "Origin",
                                                                "WWW-Authenticate",
                                                                "X-Accel-Buffering"};
// And one for all that begin so: the arguments that a tool's schema marks.
inline constexpr std::string_view k_parameter_field = "Mcp-Param-";

// The name of a field: one that is not listed above does not compile.
class FieldName {
public:
  consteval FieldName(const char* name) // NOLINT(google-explicit-constructor): `only("Host")`
      : m_name(name) {
    if (std::ranges::find(k_field_names, m_name) == k_field_names.end()) {
      throw "k_field_names does not have it";
    }
  }

  // Of a tool's argument.
  constexpr explicit FieldName(std::string_view name)
      : m_name(name) {}

  constexpr std::string_view text() const { return m_name; }

private:
  std::string_view m_name;
};

// One line of an answer's head.
struct AnswerField {
  FieldName name;
  std::string_view value = {};
};

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
  std::optional<std::string_view> first(FieldName name) const;
  std::size_t count(FieldName name) const;
  // The value of the one field of that name; nothing when there are none or several.
  std::optional<std::string_view> only(FieldName name) const;
};

// ASCII only, as everything that HTTP compares so (RFC 9110, section 5.1).
bool equals_ignoring_case(std::string_view a, std::string_view b);
// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

// Takes the next element of a comma-separated list off `list`; nothing at its end. Commas within
// quotes do not separate (RFC 9110, section 5.6.1).
std::optional<std::string_view> take_element(std::string_view& list);

} // namespace upskill::http
