#pragma once
#include "protocol/base/unique_fd.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace upskill::bench {

struct ProcessOptions {
  std::vector<std::string> environment = {}; // NAME=value; empty: ours
  bool pipes = false;                        // its stdin and stdout; else /dev/null
  int keep = -1;                             // a descriptor that it keeps
  std::string errors = "/dev/null";          // takes its stderr
};

// A program that was started; killed at the end where it still runs.
class Process {
public:
  explicit Process(const std::vector<std::string>& words, const ProcessOptions& options = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t pid() const { return m_pid; }

  int input() const { return m_input.get(); } // write here

  int output() const { return m_output.get(); } // read here

  void close_input() { m_input.reset(); }

  // Its exit code, or 128 + the signal.
  int wait();
  void signal(int number) const;

private:
  pid_t m_pid = -1;
  UniqueFd m_input;
  UniqueFd m_output;
};

// What /proc says of a process: kilobytes of a line of smaps_rollup or status, or a number of it.
double proc_number(pid_t pid, const std::string& file, const std::string& field);

// Of all its threads so far.
double voluntary_switches(pid_t pid);
double cpu_seconds(pid_t pid);

} // namespace upskill::bench
