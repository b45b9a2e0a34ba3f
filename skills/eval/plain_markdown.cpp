#include "skills/eval/plain_markdown.h"

#include "protocol/base/utf8.h"

#include <cstddef>

namespace upskill::eval {
namespace {

constexpr std::size_t k_longest_text = 500; // bytes
constexpr std::string_view k_zero_width_space = "\xE2\x80\x8B";

} // namespace

std::string plain_markdown(std::string_view text) {
  std::string valid = to_valid_utf8(text);
  std::string_view kept = utf8_prefix(valid, k_longest_text);
  std::string out;
  for (char c : kept) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += ' ';
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]>#!|~:").find(c) != std::string_view::npos) {
        out += '\\';
      }
      out += c;
      out += c == '@' ? k_zero_width_space : "";
    }
  }
  return out + (kept.size() < valid.size() ? "..." : "");
}

} // namespace upskill::eval
