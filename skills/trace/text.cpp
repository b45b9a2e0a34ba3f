#include "skills/trace/text.h"

#include "protocol/base/json_escape.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::trace {
namespace {

void append_piece(std::string& out, std::string_view piece, Encoding encoding) {
  if (encoding == Encoding::json_string) {
    append_json_unescaped(out, piece);
  } else {
    out += piece;
  }
}

} // namespace

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
