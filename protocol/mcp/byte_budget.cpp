#include "protocol/mcp/byte_budget.h"

#include <utility>

namespace upskill::mcp {

ByteBudget::ByteBudget(std::size_t limit, ByteBudget* whole)
    : m_limit(limit)
    , m_whole(whole) {}

std::optional<ByteBudget::Share> ByteBudget::take(std::size_t bytes) {
  if (bytes <= k_free) {
    return Share();
  }
  return add(bytes) ? std::optional(Share(*this, bytes)) : std::nullopt;
}

bool ByteBudget::add(std::size_t bytes) {
  std::size_t before = m_held.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= m_limit && (m_whole == nullptr || m_whole->add(bytes))) {
    return true;
  }
  m_held.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void ByteBudget::remove(std::size_t bytes) {
  m_held.fetch_sub(bytes, std::memory_order_relaxed);
  if (m_whole != nullptr) {
    m_whole->remove(bytes);
  }
}

ByteBudget::Share::Share(ByteBudget& budget, std::size_t bytes)
    : m_budget(&budget)
    , m_bytes(bytes) {}

ByteBudget::Share::Share(Share&& other) noexcept
    : m_budget(std::exchange(other.m_budget, nullptr))
    , m_bytes(std::exchange(other.m_bytes, 0)) {}

ByteBudget::Share& ByteBudget::Share::operator=(Share&& other) noexcept {
  std::swap(m_budget, other.m_budget);
  std::swap(m_bytes, other.m_bytes);
  Share gone(std::move(other));
  return *this;
}

ByteBudget::Share::~Share() {
  if (m_budget != nullptr) {
    m_budget->remove(m_bytes);
  }
}

} // namespace upskill::mcp
