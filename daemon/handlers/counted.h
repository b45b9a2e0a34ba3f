#pragma once
#include <cstddef>

namespace upskill::daemon {

// How many there are, as long as this lives.
class Counted {
public:
  explicit Counted(std::size_t& count)
      : m_count(++count) {}

  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  ~Counted() { --m_count; }

private:
  std::size_t& m_count;
};

} // namespace upskill::daemon
