#include "skills/trace/long_record.h"

#include "skills/trace/reader.h"
#include "skills/trace/splitter.h"

namespace upskill::trace {

void LongRecord::begin() {
  m_kept.clear();
  m_length = 0;
  m_in_string = 0;
  m_is_escaped = false;
}

void LongRecord::put(char c) {
  if (m_kept.size() < k_max_record) {
    m_kept += c;
  }
}

void LongRecord::take(std::string_view bytes) {
  m_length += bytes.size();
  for (char c : bytes) {
    bool is_kept = m_in_string <= k_kept_of_string;
    if (m_in_string == 0) {
      put(c);
      m_in_string = c == '"' ? 1 : 0;
    } else if (m_is_escaped) {
      m_is_escaped = false;
      if (is_kept) {
        put('\\');
        put(c);
      }
      m_in_string += 2;
    } else if (c == '\\') {
      m_is_escaped = true;
    } else if (c == '"') {
      put(c);
      m_in_string = 0;
    } else {
      if (is_kept) {
        put(c);
      }
      ++m_in_string;
    }
  }
}

std::string_view LongRecord::finish() {
  std::size_t size = m_kept.size();
  m_kept.resize(size + k_record_padding, ' ');
  return std::string_view(m_kept).substr(0, size);
}

} // namespace upskill::trace
