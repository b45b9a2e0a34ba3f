#include "skills/trace/document_splitter.h"

#include "skills/trace/reader.h"

#include <algorithm>
#include <array>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_header = 1u << 20;
constexpr std::size_t k_max_key = 4096;
constexpr std::array<std::string_view, 3> k_lists{"messages", "steps", "subagent_trajectories"};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

} // namespace

Piece DocumentSplitter::next(std::string_view bytes, bool at_end) {
  m_long.drop();
  m_at = 0;
  Step done = Step::on;
  while (done == Step::on) {
    done = step(bytes, at_end);
  }
  m_offset += m_at;
  if (done == Step::more) {
    return {m_at, {}, 0, 0};
  }
  m_record.consumed = m_at;
  return m_record;
}

DocumentSplitter::Step DocumentSplitter::step(std::string_view bytes, bool at_end) {
  if (m_state == State::header_value || m_state == State::element) {
    return read_value(bytes, at_end);
  }
  while (m_at < bytes.size() && is_blank(bytes[m_at])) {
    ++m_at;
  }
  if (m_at == bytes.size()) {
    m_is_cut = m_is_cut || (at_end && m_state != State::start);
    return at_end && m_state != State::start ? end_document() : Step::more;
  }
  char c = bytes[m_at];
  switch (m_state) {
  case State::start:
    m_root = m_offset + m_at++;
    m_header.clear();
    m_is_header_full = false;
    m_is_root_list = c == '[';
    if (c == '{' || c == '[') { // anything else is passed over
      m_state = m_is_root_list ? State::list : State::key;
    }
    return Step::on;
  case State::key:
    return read_key(bytes, at_end);
  case State::colon:
    m_at += c == ':' ? 1 : 0;
    m_state = State::value;
    return Step::on;
  case State::value:
    if (m_is_list && c == '[') {
      ++m_at;
      keep("[]");
      m_state = State::list;
    } else {
      begin_value(State::header_value);
    }
    return Step::on;
  default: // State::list
    if (c == ']') {
      ++m_at;
      m_state = State::key;
      return m_is_root_list ? end_document() : Step::on;
    }
    if (c == ',') {
      ++m_at;
    } else {
      begin_value(State::element);
    }
    return Step::on;
  }
}

DocumentSplitter::Step DocumentSplitter::read_key(std::string_view bytes, bool at_end) {
  char c = bytes[m_at];
  if (c == '}') {
    ++m_at;
    return end_document();
  }
  if (c != '"') {
    ++m_at;
    return Step::on;
  }
  std::size_t end = m_at + 1;
  while (end < bytes.size() && bytes[end] != '"') {
    end += bytes[end] == '\\' ? 2 : 1;
  }
  if (end >= bytes.size()) {
    if (bytes.size() - m_at <= k_max_key && !at_end) {
      return Step::more;
    }
    m_at = bytes.size(); // no key is that long
    return Step::on;
  }
  std::string_view key = bytes.substr(m_at + 1, end - m_at - 1);
  m_is_list = std::ranges::find(k_lists, key) != k_lists.end();
  m_is_header_full = m_is_header_full || m_header.size() + key.size() > k_max_header;
  keep(m_header.empty() ? "{\"" : ",\"");
  keep(key);
  keep("\":");
  m_at = end + 1;
  m_state = State::colon;
  return Step::on;
}

void DocumentSplitter::begin_value(State state) {
  m_state = state;
  m_scanned = 0;
  m_depth = 0;
  m_in_string = false;
  m_is_escaped = false;
  m_is_long = false;
}

std::size_t DocumentSplitter::value_end(std::string_view bytes, bool at_end) {
  for (std::size_t i = m_at + m_scanned; i < bytes.size(); ++i) {
    char c = bytes[i];
    if (m_is_escaped) {
      m_is_escaped = false;
    } else if (m_in_string) {
      m_is_escaped = c == '\\';
      m_in_string = c != '"';
      if (!m_in_string && m_depth == 0) {
        return i + 1;
      }
    } else if (c == '"') {
      m_in_string = true;
    } else if (c == '{' || c == '[') {
      ++m_depth;
    } else if (c == '}' || c == ']') {
      if (m_depth <= 1) {
        return m_depth == 0 ? i : i + 1;
      }
      --m_depth;
    } else if (m_depth == 0 && (c == ',' || is_blank(c))) {
      return i;
    }
  }
  m_scanned = bytes.size() - m_at;
  return at_end ? bytes.size() : std::string_view::npos;
}

DocumentSplitter::Step DocumentSplitter::read_value(std::string_view bytes, bool at_end) {
  std::size_t end = value_end(bytes, at_end);
  if (end == std::string_view::npos) {
    if (m_is_long || m_scanned >= k_max_record) {
      if (!m_is_long) {
        m_long.begin();
        m_is_long = true;
      }
      m_long.take(bytes.substr(m_at));
      m_at = bytes.size();
      m_scanned = 0;
    }
    return Step::more;
  }
  std::string_view value = bytes.substr(m_at, end - m_at);
  std::uint64_t offset = m_offset + m_at;
  std::uint64_t length = value.size();
  m_at = end;
  if (m_is_long) {
    m_long.take(value);
    length = m_long.length();
    offset = offset + value.size() - length;
    value = m_long.finish();
  }
  if (m_state == State::header_value) {
    keep(m_header.size() + value.size() <= k_max_header ? value : "null");
    m_state = State::key;
    return Step::on;
  }
  m_state = State::list;
  if (value.empty()) { // a brace of nobody's
    ++m_at;
    return Step::on;
  }
  m_record = {0, value, offset, length};
  return Step::record;
}

DocumentSplitter::Step DocumentSplitter::end_document() {
  m_state = State::start;
  if (m_header.empty()) {
    return Step::on;
  }
  m_is_header_full = false;
  keep("}");
  std::size_t size = m_header.size();
  m_header.resize(size + k_record_padding, ' ');
  m_record = {0, std::string_view(m_header).substr(0, size), m_root, m_offset + m_at - m_root};
  return Step::record;
}

void DocumentSplitter::keep(std::string_view bytes) {
  if (!m_is_header_full) {
    m_header += bytes;
  }
}

} // namespace upskill::trace
