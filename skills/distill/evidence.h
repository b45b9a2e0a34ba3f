#pragma once
#include "skills/distill/distilled.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace upskill::distill {

// A place in a session: so many events, bytes of texts and bytes of the file lie before it.
struct Place {
  std::uint64_t event = 0;
  std::uint64_t said = 0;
  std::uint64_t byte = 0;
};

// One line of evidence, and what of the session it stands for. Its text is cut and cleaned.
struct Item {
  Place begin = {};
  Place end = {};
  std::uint32_t events = 1; // of those between, that are in the text
  std::uint32_t beat = 0;
  std::string head = {}; // our words: `call Bash`
  std::string text = {}; // the session's
};

// What is kept or left out as a whole: a failure and its recovery.
struct Unit {
  Tier tier = Tier::call;
  std::vector<Item> items = {};

  std::uint64_t events() const;
  std::size_t bytes() const; // of memory
};

// Holds units up to a bound of memory: the least valuable, and of them the oldest, go first. Owner:
// a Distiller. Thread: any, one at a time.
class Evidence {
public:
  explicit Evidence(std::size_t limit)
      : m_limit(limit) {}

  void add(Unit unit);

  const std::deque<Unit>& of(Tier tier) const { return m_units[static_cast<std::size_t>(tier)]; }

  // Events of units that had to go.
  std::uint64_t forgotten() const { return m_forgotten; }

  std::size_t bytes() const { return m_bytes; }

private:
  void forget_one();

  std::array<std::deque<Unit>, k_tiers> m_units = {};
  std::size_t m_limit;
  std::size_t m_bytes = 0;
  std::uint64_t m_forgotten = 0;
};

} // namespace upskill::distill
