#pragma once
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

namespace upskill::daemon {

// Keeps what was asked for lately, in bounded memory: once the newer half is full, the older one
// is forgotten. What is found again belongs to the newer half.
// Owner: whatever it remembers for, which locks it where threads share it.
template <class Key, class Value, class Hash = std::hash<Key>> class RecentMap {
public:
  // The sum of weights at which something is forgotten.
  explicit RecentMap(std::size_t most)
      : m_half(most / 2) {}

  // Valid until the next call; null where it is not known.
  const Value* find(const Key& key) {
    if (auto found = m_newer.find(key); found != m_newer.end()) {
      return &found->second.value;
    }
    auto found = m_older.find(key);
    if (found == m_older.end()) {
      return nullptr;
    }
    Weighed weighed = std::move(found->second);
    m_older.erase(found);
    return put_weighed(key, std::move(weighed));
  }

  void put(const Key& key, Value value, std::size_t weight = 1) {
    m_older.erase(key);
    put_weighed(key, {std::move(value), weight});
  }

  std::size_t size() const { return m_newer.size() + m_older.size(); }

private:
  struct Weighed {
    Value value;
    std::size_t weight;
  };

  const Value* put_weighed(const Key& key, Weighed weighed) {
    if (m_weight + weighed.weight > m_half) {
      m_older = std::exchange(m_newer, {});
      m_weight = 0;
    }
    m_weight += weighed.weight;
    return &m_newer.insert_or_assign(key, std::move(weighed)).first->second.value;
  }

  std::unordered_map<Key, Weighed, Hash> m_newer;
  std::unordered_map<Key, Weighed, Hash> m_older;
  std::size_t m_weight = 0; // of m_newer; a value that was put anew counts twice
  std::size_t m_half;
};

} // namespace upskill::daemon
