#include "protocol/mcp/uri.h"

#include <algorithm>

namespace upskill::mcp {
namespace {

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool is_of_scheme(char byte) {
  return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '+' || byte == '-'
         || byte == '.';
}

} // namespace

bool is_uri(std::string_view text) {
  std::size_t colon = text.find(':');
  if (text.size() > k_max_uri || colon == std::string_view::npos || colon + 1 == text.size()
      || !is_letter(text.front())) {
    return false;
  }
  std::string_view scheme = text.substr(0, colon);
  return std::all_of(scheme.begin(), scheme.end(), is_of_scheme)
         && std::none_of(text.begin(), text.end(), [](char byte) {
              return static_cast<unsigned char>(byte) <= 0x20 || byte == 0x7F;
            });
}

} // namespace upskill::mcp
