#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>
#include <string_view>

namespace upskill::connect {

// Newline-delimited messages over a connected socket, one after the other, each wait with a limit.
// Owner: one call or one bridge; single-threaded; closes the socket at its end.
class LineStream {
public:
  explicit LineStream(UniqueFd socket);

  // Sends it all within `limit_ms`; `timed_out`, `cancelled` (a signal) or `unavailable` (the other
  // side has gone) otherwise.
  Result<void> send(std::string_view bytes, long limit_ms);
  // The next line without its newline, valid until the next call. Errors as of send; `too_large`
  // for a line over 64 MiB.
  Result<std::string_view> receive(long limit_ms);

  int descriptor() const { return m_socket.get(); }

private:
  UniqueFd m_socket;
  std::string m_buffer = {};
  std::size_t m_taken = 0;  // bytes of m_buffer that were handed out
  std::size_t m_looked = 0; // bytes of m_buffer that hold no newline beyond m_taken
};

} // namespace upskill::connect
