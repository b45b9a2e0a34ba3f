#pragma once
#include "tests/bench/echo_answers.h"

namespace upskill::bench::echo {

// Lines from stdin, answers to stdout, until stdin ends. Asio, one coroutine.
void serve_stdio(const Answers& answers);
// POSTs to any path of 127.0.0.1, on a port that the first line of stdout tells; for ever. Beast,
// one thread, a coroutine for each connection.
void serve_http(const Answers& answers);
// `bytes` bytes to stdout for each line of stdin, whatever it says: what the pipes alone cost.
void serve_bytes(std::size_t bytes);

} // namespace upskill::bench::echo
