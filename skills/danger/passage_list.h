#pragma once
#include "skills/danger/passages.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace upskill::danger {

// Cuts text into lines.
class Lines {
public:
  Lines(std::string_view text, std::size_t begin, std::size_t end)
      : m_text(text)
      , m_next(begin)
      , m_stop(end) {}

  // The next line, with its newline; false behind the last one.
  bool next() {
    if (m_next >= m_stop) {
      return false;
    }
    begin = m_next;
    end = std::min(m_text.find('\n', begin), m_stop - 1) + 1;
    m_next = end;
    return true;
  }

  std::string_view line() const { return m_text.substr(begin, end - begin); }

  std::size_t begin = 0;
  std::size_t end = 0;

private:
  std::string_view m_text;
  std::size_t m_next;
  std::size_t m_stop;
};

// Collects passages, and cuts those that are too long.
class PassageList {
public:
  explicit PassageList(std::string_view text)
      : m_text(text) {}

  void add(Passage passage);

  std::vector<Passage> take() { return std::move(m_passages); }

  std::uint32_t last() const {
    return m_passages.empty() ? k_no_passage : static_cast<std::uint32_t>(m_passages.size() - 1);
  }

private:
  std::string_view m_text;
  std::vector<Passage> m_passages = {};
};

std::string_view trimmed(std::string_view line);

// Whether a command goes on behind this line.
bool goes_on(std::string_view line);

} // namespace upskill::danger
