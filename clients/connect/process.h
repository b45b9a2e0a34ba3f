#pragma once
#include <sys/types.h>

namespace upskill::connect {

// Waits until a process has ended, at most `limit_ms`; also one that is not our child, and one that
// nobody has taken notice of yet (a zombie has ended). False when it is still there, or on a
// signal.
bool wait_for_end(pid_t process, long limit_ms);

// Whether a process is on its way out already, as one is that was killed: its sockets still take
// connections until the kernel has closed them. False where that is unknown.
bool is_ending(pid_t process);

// The process at the other end of a Unix socket, 0 where that is unknown.
pid_t peer_of(int socket);

} // namespace upskill::connect
