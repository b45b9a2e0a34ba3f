#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upskill::watch {

// An open-addressing hash index of small ids that keeps no keys: 4 bytes a slot, at most three
// quarters full, no tombstones. `hash_of(id)` gives the hash of what an id stands for.
class IdIndex {
public:
  static constexpr std::uint32_t k_none = UINT32_MAX;

  // The first id with that hash that `matches`, or k_none.
  template <class Matches> std::uint32_t find(std::uint32_t hash, Matches matches) const {
    if (m_slots.empty()) {
      return k_none;
    }
    for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
      if (m_slots[i] == k_none || matches(m_slots[i])) {
        return m_slots[i];
      }
    }
  }

  template <class HashOf> void insert(std::uint32_t id, HashOf hash_of) {
    if ((m_count + 1) * 4 > m_slots.size() * 3) {
      grow(hash_of);
    }
    place(id, hash_of(id));
    ++m_count;
  }

  // Takes out an id that is in it, while `hash_of(id)` still gives what it was inserted with.
  template <class HashOf> void erase(std::uint32_t id, HashOf hash_of) {
    std::size_t hole = hash_of(id) & mask();
    while (m_slots[hole] != id) {
      hole = (hole + 1) & mask();
    }
    // Moves later ids of the run back into the hole, unless they would end before their own slot.
    for (std::size_t i = (hole + 1) & mask(); m_slots[i] != k_none; i = (i + 1) & mask()) {
      std::size_t wanted = hash_of(m_slots[i]) & mask();
      if (((i - wanted) & mask()) >= ((i - hole) & mask())) {
        m_slots[hole] = m_slots[i];
        hole = i;
      }
    }
    m_slots[hole] = k_none;
    --m_count;
  }

  std::size_t bytes() const { return m_slots.capacity() * sizeof(std::uint32_t); }

private:
  std::size_t mask() const { return m_slots.size() - 1; }

  void place(std::uint32_t id, std::uint32_t hash) {
    std::size_t i = hash & mask();
    while (m_slots[i] != k_none) {
      i = (i + 1) & mask();
    }
    m_slots[i] = id;
  }

  template <class HashOf> void grow(HashOf hash_of) {
    std::vector<std::uint32_t> old(m_slots.empty() ? 16 : m_slots.size() * 2, k_none);
    old.swap(m_slots);
    for (std::uint32_t id : old) {
      if (id != k_none) {
        place(id, hash_of(id));
      }
    }
  }

  std::vector<std::uint32_t> m_slots; // a power of two
  std::size_t m_count = 0;
};

} // namespace upskill::watch
