#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <poll.h>

#include <array>
#include <cstddef>

namespace upskill::mcp {

// True when the daemon can use the descriptor by itself: a pipe it can open anew without sharing
// our flags, or a socket. `writing` names the direction.
bool can_be_handed_over(int descriptor, bool writing);

// Carries bytes one way where a descriptor cannot be handed over (a file, a terminal, /dev/null).
// Owner: the bridge; single-threaded. Holds at most one buffer; a full pipe stops the reading.
class Relay {
public:
  // Both ends are used as they are: neither needs to be non-blocking, because each is touched only
  // when poll says so. On the pipe's side at most PIPE_BUF bytes are written at once, which a
  // writable pipe takes whole.
  Relay(int source, UniqueFd target);

  // What to wait for now; a descriptor of -1 waits for nothing.
  pollfd interest() const;
  // Acts on what poll answered for interest().
  void act(short events);

  // The source has ended and everything was passed on; the target is closed then.
  bool finished() const { return m_finished; }

  // Passes on what the source holds right now, waiting up to `limit_ms` for a slow target.
  void drain(long limit_ms);

private:
  void finish();

  int m_source;
  UniqueFd m_target;
  std::array<char, 4096> m_buffer; // left uninitialised
  std::size_t m_filled = 0;
  std::size_t m_passed = 0;
  bool m_finished = false;
};

} // namespace upskill::mcp
