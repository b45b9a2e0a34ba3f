#include "skills/trace/indexed_words.h"

#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::trace {
namespace {

constexpr std::string_view k_gap = "\n\u2026\n";

bool is_within_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

void IndexedWords::add(std::string_view text) {
  if (!text.empty()) {
    append(m_first.empty() ? "" : "\n");
    append(text);
  }
}

void IndexedWords::append(std::string_view text) {
  if (!m_is_full) {
    std::string_view fitting = utf8_prefix(text, m_limit / 2 - m_first.size());
    m_first += fitting;
    text.remove_prefix(fitting.size());
    m_is_full = !text.empty();
  }
  m_last += text;
  m_is_cut = m_is_cut || m_last.size() > room();
  if (m_last.size() > 2 * room()) {
    trim();
  }
}

std::size_t IndexedWords::room() const {
  return m_limit - m_limit / 2 - k_gap.size();
}

std::string_view IndexedWords::last() const {
  std::size_t begin = m_last.size() - std::min(m_last.size(), room());
  while (begin < m_last.size() && is_within_code_point(m_last[begin])) {
    ++begin;
  }
  return std::string_view(m_last).substr(begin);
}

void IndexedWords::trim() {
  m_last.erase(0, m_last.size() - last().size());
}

std::string IndexedWords::text() const {
  std::string text = m_first;
  text += m_is_cut ? k_gap : "";
  return text.append(last());
}

} // namespace upskill::trace
