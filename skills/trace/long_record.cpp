#include "skills/trace/long_record.h"

#include "skills/trace/excerpt.h"
#include "skills/trace/reader.h"
#include "skills/trace/splitter.h"

#include <algorithm>

namespace upskill::trace {

void LongRecord::begin() {
  m_kept.clear();
  m_kept.reserve(k_max_record + k_record_padding); // in one piece: growing holds it twice
  m_is_finished = false;
  m_length = 0;
  m_in_string = 0;
  m_digits = 0;
  m_is_escaped = false;
  m_is_full = false;
}

void LongRecord::put(char c) {
  if (m_kept.size() < k_max_record) {
    m_kept += c;
  } else {
    m_is_full = true;
  }
}

void LongRecord::take(std::string_view bytes) {
  m_length += bytes.size();
  for (char c : bytes) {
    if (m_in_string == 0) {
      put(c);
      m_in_string = c == '"' ? 1 : 0;
    } else if (c == '"' && !m_is_escaped) {
      if (m_in_string > k_kept_of_string + 1) {
        cut();
      }
      put(c);
      m_in_string = 0;
    } else {
      take_of_string(c);
    }
  }
}

void LongRecord::take_of_string(char c) {
  bool is_between = !m_is_escaped && m_digits == 0;
  if (is_between && m_in_string <= k_kept_of_string - k_cut_margin + 1) {
    m_cut = m_kept.size();
  }
  if (m_in_string <= k_kept_of_string) {
    put(c);
  }
  ++m_in_string;
  if (is_between) {
    m_is_escaped = c == '\\';
  } else if (m_is_escaped) {
    m_is_escaped = false;
    m_digits = c == 'u' ? 4 : 0;
  } else {
    --m_digits;
  }
}

void LongRecord::cut() {
  std::size_t blank = m_kept.rfind(' ');
  m_kept.resize(blank == std::string::npos ? m_cut : std::max(blank, m_cut));
}

std::string_view LongRecord::finish() {
  if (m_is_full) {
    m_cut = m_kept.size() - std::min(m_kept.size(), k_cut_margin);
    cut();
  }
  m_is_finished = true;
  std::size_t size = m_kept.size();
  m_kept.resize(size + k_record_padding, ' ');
  return std::string_view(m_kept).substr(0, size);
}

} // namespace upskill::trace
