#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace upskill::sync_test {

// Runs work(0) ... work(count - 1) in a process each; true when all of them return true. An engine
// belongs to one process, so that is all the sharing there is.
template <class Work> bool in_processes(int count, const Work& work) {
  std::fflush(stdout);
  if (count <= 1) {
    return work(0);
  }
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      bool good = work(i);
      std::fflush(stdout);
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  bool good = true;
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return good;
}

} // namespace upskill::sync_test
