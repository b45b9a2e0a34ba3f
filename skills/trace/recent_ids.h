#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace upskill::trace {

// The same on every machine and in every run: it is kept in states (FNV-1a, 64 bits).
std::uint64_t stable_hash(std::string_view text);

// Remembers ids that it was given, as hashes: at least the last half as many as it has slots,
// and at most as many.
// Owner: a stage that must know copies. Thread: any, one at a time.
class RecentIds {
public:
  static constexpr std::size_t k_slots = 65536;

  // `slots`: a power of two.
  RecentIds()
      : RecentIds(k_slots) {}

  explicit RecentIds(std::size_t slots)
      : m_slots(slots) {}

  // Whether it was not there yet.
  bool insert(std::string_view id) { return insert(stable_hash(id)); }

  bool insert(std::uint64_t hash);

  bool contains(std::string_view id) const;

  // What is remembered, the older half first; insert() of all of one, in any order, remembers it.
  std::vector<std::uint64_t> old() const { return listed(m_old); }

  std::vector<std::uint64_t> young() const { return listed(m_young); }

  void restore(const std::vector<std::uint64_t>& old, const std::vector<std::uint64_t>& young);

private:
  using Table = std::vector<std::uint64_t>; // open addressing, half full at most; 0 is empty

  bool has(const Table& table, std::uint64_t hash) const;
  void put(Table& table, std::uint64_t hash) const;
  static std::vector<std::uint64_t> listed(const Table& table);

  std::size_t m_slots;
  Table m_young = {};
  Table m_old = {};
  std::size_t m_count = 0; // in m_young
};

} // namespace upskill::trace
