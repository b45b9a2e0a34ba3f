#include "skills/distill/page.h"

#include "skills/distill/rendering.h"

#include <iterator>

namespace upskill::distill {

Page::Page(const BeatLog& beats, Place end, std::size_t room)
    : m_beats(beats)
    , m_end(end)
    , m_room(room)
    , m_size(gap_line({}, end).size()) {}

bool Page::add(const Unit& unit) {
  // Most do not fit once the page is full, which is told without looking for their places: all that
  // an item can save is a gap's mark.
  constexpr std::size_t k_longest_gap = 160;
  std::size_t least = 0;
  for (const Item& item : unit.items) {
    least += item.text.size();
  }
  if (least > room_left() + k_longest_gap * unit.items.size()) {
    return false;
  }
  for (const Item& item : unit.items) {
    put(item);
  }
  if (m_size <= m_room) {
    return true;
  }
  for (const Item& item : unit.items) {
    take_off(item);
  }
  return false;
}

// The bytes of the gap in which this event lies, between the items on the page.
std::size_t Page::gap_at(std::uint64_t event) const {
  auto next = m_items.lower_bound(event);
  Place from = next == m_items.begin() ? Place{} : std::prev(next)->second->end;
  return gap_line(from, next == m_items.end() ? m_end : next->second->begin).size();
}

void Page::put(const Item& item) {
  m_size -= gap_at(item.begin.event);
  auto at = m_items.emplace(item.begin.event, &item).first;
  Place from = at == m_items.begin() ? Place{} : std::prev(at)->second->end;
  auto next = std::next(at);
  m_size += gap_line(from, item.begin).size() + item_line(item).size()
            + gap_line(item.end, next == m_items.end() ? m_end : next->second->begin).size();
  if (m_beat_items[item.beat]++ == 0) {
    m_size += beat_line(item.beat, m_beats.find(item.beat)).size();
  }
}

void Page::take_off(const Item& item) {
  auto at = m_items.find(item.begin.event);
  Place from = at == m_items.begin() ? Place{} : std::prev(at)->second->end;
  auto next = std::next(at);
  m_size -= gap_line(from, item.begin).size() + item_line(item).size()
            + gap_line(item.end, next == m_items.end() ? m_end : next->second->begin).size();
  m_items.erase(at);
  m_size += gap_at(item.begin.event);
  if (--m_beat_items[item.beat] == 0) {
    m_beat_items.erase(item.beat);
    m_size -= beat_line(item.beat, m_beats.find(item.beat)).size();
  }
}

std::string Page::text() const {
  std::string text;
  Place before;
  const Item* last = nullptr;
  for (const auto& [event, item] : m_items) {
    text += gap_line(before, item->begin);
    if (last == nullptr || last->beat != item->beat) {
      text += beat_line(item->beat, m_beats.find(item->beat));
    }
    text += item_line(*item);
    before = item->end;
    last = item;
  }
  return text + gap_line(before, m_end);
}

std::vector<ByteRange> Page::ranges() const {
  std::vector<ByteRange> ranges;
  for (const auto& [event, item] : m_items) {
    ByteRange range{item->begin.byte, item->end.byte};
    if (!ranges.empty() && ranges.back().end >= range.begin) {
      ranges.back().end = std::max(ranges.back().end, range.end);
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

} // namespace upskill::distill
