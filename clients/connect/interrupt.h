#pragma once
#include <poll.h>

#include <span>

namespace upskill::connect {

// Turns SIGINT, SIGTERM and SIGHUP into an answer of `wait`, and ignores SIGPIPE. They are blocked
// except inside `wait`, so that none can slip in between a check and the call that sleeps.
// Owner: the main function; one per process; lives to its end.
void catch_interrupts();
// Signals that were blocked or released since then are so in every `wait` too from now on.
void renew_mask();
// The signal that came, or 0.
int interrupted_by();
// Undoes it, in a child before exec.
void release_interrupts();

// poll(2) with a limit in milliseconds (negative: none). Answers what poll does, with -1 and EINTR
// only when interrupted_by() is set.
int wait(std::span<pollfd> descriptors, long limit_ms);

// Milliseconds of the steady clock, for deadlines.
long steady_ms();

} // namespace upskill::connect
