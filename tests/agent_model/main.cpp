// A server of scripted models on a loopback address, for tests with real coding agents:
//
//   agent_model SCRIPT LOG [KEY]
//
// It prints its port, and ends with whoever started it.
#include "tests/agent_model/server.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

using namespace upskill;
using namespace upskill::agent_model;

int main(int count, char** words) {
  if (count < 3 || count > 4) {
    std::fputs("usage: agent_model SCRIPT LOG [KEY]\n", stderr);
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    UniqueFd log(::open(words[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (!log) {
      throw std::system_error(errno, std::generic_category(), words[2]);
    }
    Server server(Script(words[1]), count == 4 ? words[3] : "", std::move(log));
    model_server::HttpLoop loop(
        0, [&server](const model_server::Request& request) { return server.answer(request); });
    std::printf("%u\n", loop.port());
    std::fflush(stdout);
    loop.run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "agent_model: %s\n", problem.what());
    return 1;
  }
}
