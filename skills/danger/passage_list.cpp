#include "skills/danger/passage_list.h"

namespace upskill::danger {
namespace {

constexpr std::string_view k_blanks = " \t\r\n";

} // namespace

std::string_view trimmed(std::string_view line) {
  std::size_t begin = std::min(line.find_first_not_of(k_blanks), line.size());
  return line.substr(begin, line.find_last_not_of(k_blanks) + 1 - begin);
}

void PassageList::add(Passage passage) {
  if (trimmed(m_text.substr(passage.begin, passage.end - passage.begin)).empty()) {
    return;
  }
  while (passage.end - passage.begin > k_longest_passage) {
    Passage piece = passage;
    piece.end = piece.begin + k_longest_passage;
    m_passages.push_back(piece);
    passage.begin = piece.end - k_overlap;
  }
  m_passages.push_back(passage);
}

bool goes_on(std::string_view line) {
  std::string_view text = trimmed(line);
  if (text.empty()) {
    return false;
  }
  constexpr std::string_view k_open = "\\|([{,&";
  return k_open.find(text.back()) != std::string_view::npos;
}

std::vector<Passage> split_lines(std::string_view text, Place place) {
  PassageList list(text);
  Lines lines(text, 0, text.size());
  std::uint32_t before = k_no_passage;
  std::size_t begin = 0;
  while (lines.next()) {
    bool is_more = place == Place::script && goes_on(lines.line())
                   && lines.end - begin < k_longest_passage && lines.end < text.size();
    if (!is_more) {
      list.add({place, begin, lines.end, before, k_no_passage, {}});
      before = list.last();
      begin = lines.end;
    }
  }
  return list.take();
}

} // namespace upskill::danger
