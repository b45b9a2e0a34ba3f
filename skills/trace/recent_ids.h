#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace upskill::trace {

// The same on every machine and in every run: it is kept in states (FNV-1a, 64 bits).
std::uint64_t stable_hash(std::string_view text);

// Remembers the last 32,768 to 65,536 ids, as hashes. Owner: a stage that must know copies. Thread:
// any, one at a time.
class RecentIds {
public:
  // Whether it was not there yet.
  bool insert(std::string_view id);

private:
  // Open addressing, half full at most; 0 is empty.
  static constexpr std::size_t k_slots = 65536;
  static bool has(const std::vector<std::uint64_t>& table, std::uint64_t hash);

  std::vector<std::uint64_t> m_young = {};
  std::vector<std::uint64_t> m_old = {};
  std::size_t m_count = 0; // in m_young
};

} // namespace upskill::trace
