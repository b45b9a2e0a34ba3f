#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace upskill::trace {

// How a text stands in its record.
enum class Encoding : std::uint8_t {
  plain,       // as it is
  json_string, // between the quotes of a JSON string, escapes and all
  json_value   // a JSON value that is not to be decoded: the input of a tool
};

// A text where it lies in its record, in one or several pieces, which were not copied or decoded:
// of most texts only a little is ever wanted. Pieces belong together as paragraphs do. The views
// end with the record (EventSink).
struct Text {
  std::string_view first = {};
  std::span<const std::string_view> more = {};
  Encoding encoding = Encoding::plain;

  bool empty() const { return first.empty() && more.empty(); }

  // Bytes as they stand there: at least as many as decoded ones.
  std::size_t raw_size() const;

  // The text itself, valid UTF-8; pieces are joined by a line feed. At most `limit` bytes of it,
  // cut at a code point.
  std::string decoded(std::size_t limit = static_cast<std::size_t>(-1)) const;
  // The same behind what `out` holds.
  void append_to(std::string& out, std::size_t limit = static_cast<std::size_t>(-1)) const;
  // The last `limit` bytes of it, or all.
  std::string decoded_end(std::size_t limit) const;

  // Whether it begins with these ASCII letters, of which JSON escapes none.
  bool starts_with(std::string_view letters) const { return first.starts_with(letters); }
};

} // namespace upskill::trace
