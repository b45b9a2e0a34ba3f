// What the daemon's calls are measured against: upskill_bench_echo stdio|http|bytes BYTES, with the
// size of an answer, the newline of a line included.
#include "tests/bench/echo_servers.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

int run(std::string_view mode, std::size_t bytes) {
  namespace echo = upskill::bench::echo;
  if (mode == "stdio") {
    echo::serve_stdio(echo::Answers(bytes - 1));
  } else if (mode == "http") {
    echo::serve_http(echo::Answers(bytes));
  } else if (mode == "bytes") {
    echo::serve_bytes(bytes);
  } else {
    return 2;
  }
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  std::size_t bytes = count == 3 ? std::strtoul(arguments[2], nullptr, 10) : 0;
  if (bytes == 0) {
    std::fputs("upskill_bench_echo stdio|http|bytes BYTES\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(arguments[1], bytes);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
