#include "protocol/rpc/framing.h"

#include <algorithm>
#include <cstring>

namespace upskill::rpc {
namespace {

// A buffer that grew for one long line is given back once it is empty.
constexpr std::size_t k_keep = 256u << 10;

} // namespace

void Framing::compact() {
  if (m_begin == m_end) {
    m_begin = m_scanned = m_end = 0;
    if (m_buffer.size() > k_keep) {
      m_buffer.clear();
      m_buffer.shrink_to_fit();
    }
  } else if (m_begin > 0 && m_begin >= m_buffer.size() / 2) {
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
    m_scanned -= m_begin;
    m_end -= m_begin;
    m_begin = 0;
  }
}

char* Framing::prepare(std::size_t bytes) {
  compact();
  if (m_buffer.size() - m_end < bytes) {
    m_buffer.resize(std::max(m_end + bytes, m_buffer.size() * 2));
  }
  return m_buffer.data() + m_end;
}

void Framing::commit(std::size_t bytes) {
  m_end += bytes;
}

void Framing::feed(std::string_view bytes) {
  if (!bytes.empty()) {
    std::memcpy(prepare(bytes.size()), bytes.data(), bytes.size());
    commit(bytes.size());
  }
}

std::optional<Framing::Line> Framing::next() {
  while (m_scanned < m_end) {
    const char* from = m_buffer.data() + m_scanned;
    const void* found = std::memchr(from, '\n', m_end - m_scanned);
    if (found == nullptr) {
      m_scanned = m_end;
      break;
    }
    std::size_t newline =
        static_cast<std::size_t>(static_cast<const char*>(found) - m_buffer.data());
    std::string_view text(m_buffer.data() + m_begin, newline - m_begin);
    m_begin = m_scanned = newline + 1;
    if (m_dropping) {
      m_dropping = false;
      continue;
    }
    if (text.size() > m_max_line) {
      return Line{{}, true};
    }
    if (!text.empty() && text.back() == '\r') {
      text.remove_suffix(1);
    }
    if (!text.empty()) {
      return Line{text, false};
    }
  }
  if (m_dropping) {
    m_begin = m_scanned = m_end;
  } else if (m_end - m_begin > m_max_line) {
    m_begin = m_scanned = m_end;
    m_dropping = true;
    return Line{{}, true};
  }
  return std::nullopt;
}

std::string_view Framing::rest() const {
  return m_dropping ? std::string_view{}
                    : std::string_view(m_buffer).substr(m_begin, m_end - m_begin);
}

} // namespace upskill::rpc
