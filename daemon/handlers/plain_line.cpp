#include "daemon/handlers/plain_line.h"

#include "protocol/base/utf8.h"

namespace upskill::daemon {
namespace {

constexpr std::string_view k_unknown = "\xEF\xBF\xBD"; // U+FFFD

// The well-formed sequence that begins at `at`.
std::size_t length_of(std::string_view text, std::size_t at) {
  auto lead = static_cast<unsigned char>(text[at]);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// As UTF-8: C1 controls, marks and overrides of direction, line and paragraph separators, what has
// no width, and the tags of plane 14.
bool is_deceptive(std::string_view point) {
  return (point >= "\xC2\x80" && point <= "\xC2\x9F") || point == "\xD8\x9C"
         || (point >= "\xE2\x80\x8B" && point <= "\xE2\x80\x8F")
         || (point >= "\xE2\x80\xA8" && point <= "\xE2\x80\xAE")
         || (point >= "\xE2\x81\xA0" && point <= "\xE2\x81\xAF") || point == "\xEF\xBB\xBF"
         || (point >= "\xF3\xA0\x80\x80" && point <= "\xF3\xA0\x81\xBF");
}

} // namespace

std::string plain_line(std::string_view text, std::size_t bytes) {
  std::string valid = to_valid_utf8(utf8_prefix(text, bytes));
  std::string out;
  for (std::size_t at = 0; at < valid.size();) {
    std::string_view point = std::string_view(valid).substr(at, length_of(valid, at));
    at += point.size();
    bool is_control =
        point.size() == 1 && (static_cast<unsigned char>(point.front()) < 0x20 || point == "\x7F");
    if (is_control || is_deceptive(point)) {
      out += k_unknown;
    } else {
      out += point == "`" ? "'" : point;
    }
  }
  return out + (text.size() > bytes ? "…" : "");
}

} // namespace upskill::daemon
