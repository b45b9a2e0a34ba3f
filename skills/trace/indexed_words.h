#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::trace {

// What a search may find of a text that has no end: its beginning and its end, half of the limit
// each, with `…` on a line of its own where something lies between. The same whatever the pieces.
// Owner: a summary. Thread: any, one at a time.
class IndexedWords {
public:
  explicit IndexedWords(std::size_t limit)
      : m_limit(limit) {}

  // A paragraph. Valid UTF-8.
  void add(std::string_view text);

  // At most `limit` bytes, valid UTF-8.
  std::string text() const;

private:
  friend struct IndexedWordsState;

  void append(std::string_view text);
  std::size_t room() const;
  std::string_view last() const;
  void trim();

  std::size_t m_limit;
  std::string m_first = {};
  // Behind it, without what was cut out between; up to twice as much as counts, so that not every
  // paragraph moves all of it.
  std::string m_last = {};
  bool m_is_full = false; // m_first is
  bool m_is_cut = false;
};

} // namespace upskill::trace
