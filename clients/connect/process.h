#pragma once
#include <sys/types.h>

namespace upskill::connect {

// Waits until a process has ended, at most `limit_ms`; also one that is not our child, and one that
// nobody has taken notice of yet (a zombie has ended). False when it is still there, or on a
// signal.
bool wait_for_end(pid_t process, long limit_ms);

// The process at the other end of a Unix socket, 0 where that is unknown.
pid_t peer_of(int socket);

} // namespace upskill::connect
