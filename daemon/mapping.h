#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <span>

namespace upskill::daemon {

// Zeroed memory of a session: private to the process, or the memfd that a bridge keeps alive for
// us. Only pages that were touched cost anything. Owner: SessionMemory's owner. Thread: one.
// Lifetime: that of the session.
class Mapping {
public:
  static Result<Mapping> anonymous(std::size_t size);
  // Sizes the memfd when it is empty and seals its size, so that nobody can make our accesses fail.
  // invalid_argument when it is no memfd that allows that, or has another size. The descriptor is
  // closed: the mapping does without.
  static Result<Mapping> of_memfd(UniqueFd fd, std::size_t size);

  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::span<char> bytes() const { return m_bytes; }

  // Makes the bytes zero; whole pages go back to the system.
  void discard(std::size_t offset, std::size_t length);

private:
  Mapping(std::span<char> bytes, bool is_shared);

  std::span<char> m_bytes;
  bool m_is_shared = false;
};

} // namespace upskill::daemon
