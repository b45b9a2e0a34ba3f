#include "skills/eval/markup.h"

#include "protocol/base/utf8.h"

#include <array>

namespace upskill::eval {
namespace {

constexpr std::string_view k_replacement = "\xEF\xBF\xBD"; // U+FFFD

// What a character that needs it becomes, and how many bytes it has; 0: it stays as it is.
struct Reference {
  std::string_view text = {};
  std::size_t length = 0;
};

Reference reference_of(std::string_view rest, bool is_attribute) {
  const auto byte = static_cast<unsigned char>(rest.front());
  switch (byte) {
  case '&':
    return {"&amp;", 1};
  case '<':
    return {"&lt;", 1};
  case '>':
    return {"&gt;", 1};
  case '"':
    return {"&quot;", 1};
  case '\'':
    return {"&#39;", 1};
  case '\t':
    return is_attribute ? Reference{"&#9;", 1} : Reference{};
  case '\n':
    return is_attribute ? Reference{"&#10;", 1} : Reference{};
  case '\r':
    return {is_attribute ? "&#10;" : "\n", rest.starts_with("\r\n") ? 2U : 1U};
  case 0xC2: // U+0080 to U+009F
    return static_cast<unsigned char>(rest[1]) < 0xA0 ? Reference{k_replacement, 2} : Reference{};
  case 0xEF:
    return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")
               ? Reference{k_replacement, 3}
               : Reference{};
  default:
    return byte < 0x20 || byte == 0x7F ? Reference{k_replacement, 1} : Reference{};
  }
}

// Bytes that no reference stands for, in texts and in values alike.
constexpr std::array<bool, 256> k_plain = [] {
  std::array<bool, 256> plain = {};
  for (std::size_t byte = 0x20; byte < plain.size(); ++byte) {
    plain[byte] = std::string_view("&<>\"'\x7F\xC2\xEF").find(static_cast<char>(byte))
                  == std::string_view::npos;
  }
  return plain;
}();

void append_valid(std::string& out, std::string_view text, bool is_attribute) {
  std::size_t written = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (k_plain[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const Reference reference = reference_of(text.substr(at), is_attribute);
    if (reference.length == 0) {
      ++at;
      continue;
    }
    out += text.substr(written, at - written);
    out += reference.text;
    at += reference.length;
    written = at;
  }
  out += text.substr(written);
}

void append(std::string& out, std::string_view text, bool is_attribute) {
  if (is_utf8(text)) {
    append_valid(out, text, is_attribute);
  } else {
    append_valid(out, to_valid_utf8(text), is_attribute);
  }
}

} // namespace

void append_text(std::string& out, std::string_view text) {
  append(out, text, false);
}

void append_attribute(std::string& out, std::string_view text) {
  append(out, text, true);
}

} // namespace upskill::eval
