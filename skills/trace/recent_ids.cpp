#include "skills/trace/recent_ids.h"

#include <utility>

namespace upskill::trace {

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  return hash;
}

bool RecentIds::has(const std::vector<std::uint64_t>& table, std::uint64_t hash) {
  if (table.empty()) {
    return false;
  }
  for (std::size_t at = hash % k_slots; table[at] != 0; at = (at + 1) % k_slots) {
    if (table[at] == hash) {
      return true;
    }
  }
  return false;
}

bool RecentIds::insert(std::string_view id) {
  // The low bits choose the slot, so that those which differ least are mixed in.
  std::uint64_t hash = stable_hash(id);
  hash ^= hash >> 32;
  hash += hash == 0 ? 1 : 0;
  if (has(m_young, hash) || has(m_old, hash)) {
    return false;
  }
  if (m_young.empty() || m_count == k_slots / 2) {
    m_old = std::move(m_young);
    m_young.assign(k_slots, 0);
    m_count = 0;
  }
  std::size_t at = hash % k_slots;
  while (m_young[at] != 0) {
    at = (at + 1) % k_slots;
  }
  m_young[at] = hash;
  ++m_count;
  return true;
}

} // namespace upskill::trace
