#include "daemon/models/sse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace upskill::models {

Result<void> SseParser::take(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (m_was_return && bytes.front() == '\n') {
      bytes.remove_prefix(1);
    }
    m_was_return = false;
    std::size_t end = bytes.find_first_of("\r\n");
    if (m_line.size() + m_data.size() + std::min(end, bytes.size()) > m_longest) {
      return fail(ErrorCode::too_large,
                  fmt::format("the server sent an event of more than {} bytes", m_longest));
    }
    if (end == std::string_view::npos) {
      m_line += bytes;
      return {};
    }
    m_was_return = bytes[end] == '\r';
    if (m_line.empty()) {
      end_line(bytes.substr(0, end), on_event);
    } else {
      m_line += bytes.substr(0, end);
      end_line(m_line, on_event);
      m_line.clear();
    }
    bytes.remove_prefix(end + 1);
  }
  return {};
}

void SseParser::end_line(std::string_view line, const OnEvent& on_event) {
  if (std::exchange(m_is_first, false) && line.starts_with("\xEF\xBB\xBF")) {
    line.remove_prefix(3);
  }
  if (line.empty()) {
    if (m_has_data) {
      on_event({.name = m_name, .data = m_data});
    }
    m_name.clear();
    m_data.clear();
    m_has_data = false;
    return;
  }
  std::size_t colon = line.find(':');
  std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  if (field == "event") {
    m_name = value;
  } else if (field == "data") {
    if (m_has_data) {
      m_data += '\n';
    }
    m_data += value;
    m_has_data = true;
  }
}

} // namespace upskill::models
