#pragma once
#include "tests/support/daemon_process.h"

namespace upskill::tests {

// `upskill` with these words, in this home, with a pipe at each end of it. Its standard error goes
// to `HOME/client-stderr`.
class Program {
public:
  Program(const std::string& home, std::vector<std::string> words);
  ~Program();
  Program(Program&&) = delete;

  void write(std::string_view bytes);

  // The next line of its output; nothing at the end.
  std::optional<std::string> line() { return m_reader.line(); }

  void close_input() { m_input.reset(); }

  // The exit code, or 128 + the signal; fails the test when it takes too long.
  int wait_end();

private:
  pid_t m_pid = -1;
  UniqueFd m_input;
  UniqueFd m_output;
  LineReader m_reader{-1};
};

} // namespace upskill::tests
