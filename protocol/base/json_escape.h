#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill {

// One escape of a JSON string (RFC 8259, section 7).
struct JsonEscape {
  std::size_t length =
      0;              // bytes as it is written, a low surrogate with its high one; 0: it is none
  char32_t point = 0; // what it says; a surrogate where half a pair is written

  bool is_half_pair() const { return point >= 0xD800 && point <= 0xDFFF; }
};

// The escape at the start of `raw`.
JsonEscape read_json_escape(std::string_view raw);

// Appends what `raw` says, which stands between the quotes of a JSON string, or anywhere else. What
// is no escape stays as it is, and half a surrogate pair becomes U+FFFD.
void append_json_unescaped(std::string& out, std::string_view raw);

} // namespace upskill
