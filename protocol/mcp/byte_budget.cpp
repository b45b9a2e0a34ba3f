#include "protocol/mcp/byte_budget.h"

#include <utility>

namespace upskill::mcp {

ByteBudget::ByteBudget(std::size_t limit)
    : m_count(std::make_shared<Count>(limit)) {}

ByteBudget::ByteBudget(std::size_t limit, const ByteBudget& whole)
    : m_count(std::make_shared<Count>(limit, whole.m_count)) {}

std::optional<ByteBudget::Share> ByteBudget::take(std::size_t bytes) {
  if (bytes <= k_free) {
    return Share();
  }
  return m_count->add(bytes) ? std::optional(Share(m_count, bytes)) : std::nullopt;
}

bool ByteBudget::Count::add(std::size_t bytes) {
  std::size_t before = held.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= limit && (!whole || whole->add(bytes))) {
    return true;
  }
  held.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void ByteBudget::Count::remove(std::size_t bytes) {
  held.fetch_sub(bytes, std::memory_order_relaxed);
  if (whole) {
    whole->remove(bytes);
  }
}

ByteBudget::Share::Share(std::shared_ptr<Count> count, std::size_t bytes)
    : m_count(std::move(count))
    , m_bytes(bytes) {}

ByteBudget::Share::Share(Share&& other) noexcept
    : m_count(std::move(other.m_count))
    , m_bytes(std::exchange(other.m_bytes, 0)) {}

ByteBudget::Share& ByteBudget::Share::operator=(Share&& other) noexcept {
  std::swap(m_count, other.m_count);
  std::swap(m_bytes, other.m_bytes);
  Share gone(std::move(other));
  return *this;
}

ByteBudget::Share::~Share() {
  if (m_count) {
    m_count->remove(m_bytes);
  }
}

} // namespace upskill::mcp
