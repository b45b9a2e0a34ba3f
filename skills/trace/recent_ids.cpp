#include "skills/trace/recent_ids.h"

#include <algorithm>
#include <utility>

namespace upskill::trace {
namespace {

// The low bits choose the slot, so that those which differ least are mixed in; 0 is an empty slot.
std::uint64_t mixed(std::uint64_t hash) {
  hash ^= hash >> 32;
  return hash + (hash == 0 ? 1 : 0);
}

} // namespace

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  return hash;
}

bool RecentIds::has(const Table& table, std::uint64_t hash) const {
  if (table.empty()) {
    return false;
  }
  for (std::size_t at = hash % m_slots; table[at] != 0; at = (at + 1) % m_slots) {
    if (table[at] == hash) {
      return true;
    }
  }
  return false;
}

void RecentIds::put(Table& table, std::uint64_t hash) const {
  std::size_t at = hash % m_slots;
  while (table[at] != 0) {
    at = (at + 1) % m_slots;
  }
  table[at] = hash;
}

bool RecentIds::contains(std::string_view id) const {
  std::uint64_t hash = mixed(stable_hash(id));
  return has(m_young, hash) || has(m_old, hash);
}

bool RecentIds::insert(std::uint64_t hash) {
  hash = mixed(hash);
  if (has(m_young, hash) || has(m_old, hash)) {
    return false;
  }
  if (m_young.empty() || m_count == m_slots / 2) {
    m_old = std::move(m_young);
    m_young.assign(m_slots, 0);
    m_count = 0;
  }
  put(m_young, hash);
  ++m_count;
  return true;
}

std::vector<std::uint64_t> RecentIds::listed(const Table& table) {
  std::vector<std::uint64_t> hashes;
  std::ranges::copy_if(
      table, std::back_inserter(hashes), [](std::uint64_t hash) { return hash != 0; });
  return hashes;
}

void RecentIds::restore(const std::vector<std::uint64_t>& old,
                        const std::vector<std::uint64_t>& young) {
  auto fill = [&](Table& table, const std::vector<std::uint64_t>& hashes) {
    table.clear();
    if (!hashes.empty()) {
      table.assign(m_slots, 0);
    }
    std::size_t count = std::min(hashes.size(), m_slots / 2);
    for (std::size_t i = 0; i < count; ++i) {
      if (hashes[i] != 0 && !has(table, hashes[i])) {
        put(table, hashes[i]);
      }
    }
    return count;
  };
  fill(m_old, old);
  m_count = fill(m_young, young);
}

} // namespace upskill::trace
