#include "skills/trace/line_splitter.h"

#include "skills/trace/reader.h"

#include <cstring>

namespace upskill::trace {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(std::string_view(" \t\r\0", 4)) == std::string_view::npos;
}

const char* find_end(std::string_view bytes) {
  if (bytes.empty()) { // then it may lie nowhere
    return nullptr;
  }
  return static_cast<const char*>(std::memchr(bytes.data(), '\n', bytes.size()));
}

} // namespace

Piece LineSplitter::next(std::string_view bytes, bool at_end) {
  m_long.drop();
  if (m_is_long) {
    return next_of_long(bytes, at_end);
  }
  const char* end = find_end(bytes.substr(m_scanned));
  if (end != nullptr) {
    m_ended = true;
    std::size_t length = static_cast<std::size_t>(end - bytes.data());
    return end_line(bytes.substr(0, length), length, length + 1);
  }
  if (at_end && !bytes.empty()) {
    m_ended = false;
    return end_line(bytes, bytes.size(), bytes.size());
  }
  m_scanned = bytes.size();
  if (bytes.size() < k_max_record) {
    return {};
  }
  m_is_long = true;
  m_long.begin();
  return next_of_long(bytes, at_end);
}

Piece LineSplitter::end_line(std::string_view line, std::size_t length, std::size_t consumed) {
  Piece piece{consumed, is_blank(line) ? std::string_view{} : line, m_offset, length};
  m_offset += consumed;
  m_scanned = 0;
  return piece;
}

Piece LineSplitter::next_of_long(std::string_view bytes, bool at_end) {
  const char* end = find_end(bytes);
  std::size_t size = end == nullptr ? bytes.size() : static_cast<std::size_t>(end - bytes.data());
  m_long.take(bytes.substr(0, size));
  std::size_t consumed = size + (end == nullptr ? 0 : 1);
  if (end == nullptr && !at_end) {
    return {consumed, {}, 0, 0};
  }
  m_is_long = false;
  m_ended = end != nullptr;
  m_scanned = 0;
  std::string_view line = m_long.finish();
  Piece piece{consumed, is_blank(line) ? std::string_view{} : line, m_offset, m_long.length()};
  m_offset += m_long.length() + (end == nullptr ? 0 : 1);
  return piece;
}

} // namespace upskill::trace
