#include "skills/trace/text.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace upskill::trace {
namespace {

constexpr std::string_view k_replacement = "\xEF\xBF\xBD";

std::optional<unsigned> hexadecimal(std::string_view digits) {
  unsigned value = 0;
  for (char c : digits) {
    value <<= 4;
    if (c >= '0' && c <= '9') {
      value |= static_cast<unsigned>(c - '0');
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      value |= static_cast<unsigned>((c | 0x20) - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

// The code unit of `\uXXXX` at the start of `raw`.
std::optional<unsigned> code_unit(std::string_view raw) {
  if (raw.size() < 6 || raw[0] != '\\' || raw[1] != 'u') {
    return std::nullopt;
  }
  return hexadecimal(raw.substr(2, 4));
}

void append_code_point(std::string& out, unsigned point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    out += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// What `\uXXXX` at the start of `raw` says, with the low half that may follow; the bytes read.
std::size_t append_unicode(std::string& out, std::string_view raw) {
  std::optional<unsigned> unit = code_unit(raw);
  if (!unit) {
    out += raw[0];
    return 1;
  }
  if (*unit < 0xD800 || *unit > 0xDFFF) {
    append_code_point(out, *unit);
    return 6;
  }
  std::optional<unsigned> low = *unit < 0xDC00 ? code_unit(raw.substr(6)) : std::nullopt;
  if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
    append_code_point(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
    return 12;
  }
  out += k_replacement;
  return 6;
}

// One escape at the start of `raw`; the bytes read.
std::size_t append_escape(std::string& out, std::string_view raw) {
  static constexpr std::string_view k_letters = "\"\\/bfnrt";
  static constexpr std::string_view k_meanings = "\"\\/\b\f\n\r\t";
  if (raw.size() < 2) {
    out += raw;
    return raw.size();
  }
  if (raw[1] == 'u') {
    return append_unicode(out, raw);
  }
  std::size_t letter = k_letters.find(raw[1]);
  if (letter == std::string_view::npos) {
    out += raw[0];
    return 1;
  }
  out += k_meanings[letter];
  return 2;
}

void append_piece(std::string& out, std::string_view piece, Encoding encoding) {
  if (encoding == Encoding::json_string) {
    append_unescaped(out, piece);
  } else {
    out += piece;
  }
}

} // namespace

void append_unescaped(std::string& out, std::string_view raw) {
  while (!raw.empty()) {
    const void* found = std::memchr(raw.data(), '\\', raw.size());
    if (found == nullptr) {
      out += raw;
      return;
    }
    std::size_t plain = static_cast<std::size_t>(static_cast<const char*>(found) - raw.data());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    raw.remove_prefix(append_escape(out, raw));
  }
}

std::size_t Text::raw_size() const {
  std::size_t size = first.size();
  for (std::string_view piece : more) {
    size += piece.size() + 1;
  }
  return size;
}

void Text::append_to(std::string& out, std::size_t limit) const {
  std::size_t start = out.size();
  // An escape is at most six bytes for one, so more than that is never needed of a piece.
  auto wanted = [&](std::string_view piece) {
    std::size_t room = limit - std::min(limit, out.size() - start);
    return piece.substr(0, room > piece.size() / 6 ? piece.size() : 6 * room + 12);
  };
  append_piece(out, wanted(first), encoding);
  for (std::string_view piece : more) {
    if (out.size() - start >= limit) {
      break;
    }
    out += '\n';
    append_piece(out, wanted(piece), encoding);
  }
  std::string_view added = std::string_view(out).substr(start);
  if (!is_utf8(added)) {
    std::string repaired = to_valid_utf8(added);
    out.replace(start, std::string::npos, repaired);
  }
  if (out.size() - start > limit) {
    out.resize(start + utf8_prefix(std::string_view(out).substr(start), limit).size());
  }
}

std::string Text::decoded(std::size_t limit) const {
  std::string text;
  append_to(text, limit);
  return text;
}

std::string Text::decoded_end(std::size_t limit) const {
  // Where an escape begins cannot be told from the end, so all of the last pieces are decoded.
  std::string text;
  std::size_t pieces = more.size() + 1;
  auto piece = [&](std::size_t i) { return i == 0 ? first : more[i - 1]; };
  std::size_t from = pieces;
  std::size_t raw = 0;
  while (from > 0 && (from == pieces || raw < 6 * limit)) {
    raw += piece(--from).size();
  }
  for (std::size_t i = from; i < pieces; ++i) {
    text += i == from ? "" : "\n";
    append_piece(text, piece(i), encoding);
  }
  if (!is_utf8(text)) {
    text = to_valid_utf8(text);
  }
  if (text.size() > limit) {
    std::size_t cut = text.size() - limit;
    while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
      ++cut;
    }
    text.erase(0, cut);
  }
  return text;
}

} // namespace upskill::trace
