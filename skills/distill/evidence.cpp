#include "skills/distill/evidence.h"

#include <utility>

namespace upskill::distill {

std::uint64_t Unit::events() const {
  std::uint64_t count = 0;
  for (const Item& item : items) {
    count += item.events;
  }
  return count;
}

std::size_t Unit::bytes() const {
  std::size_t size = sizeof(Unit);
  for (const Item& item : items) {
    size += sizeof(Item) + item.head.capacity() + item.text.capacity();
  }
  return size;
}

void Evidence::add(Unit unit) {
  m_bytes += unit.bytes();
  m_units[static_cast<std::size_t>(unit.tier)].push_back(std::move(unit));
  while (m_bytes > m_limit) {
    forget_one();
  }
}

void Evidence::forget_one() {
  for (std::size_t tier = k_tiers; tier-- > 0;) {
    std::deque<Unit>& units = m_units[tier];
    if (!units.empty()) {
      m_bytes -= units.front().bytes();
      m_forgotten += units.front().events();
      units.pop_front();
      return;
    }
  }
}

} // namespace upskill::distill
