#include "clients/connect/child.h"

#include "clients/connect/interrupt.h"
#include "protocol/base/unique_fd.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::connect {
namespace {

// Runs in the grandchild, so only what is safe there; answers errno and never returns on success.
int become(const ChildPlan& plan, char* const* words, int report) {
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int log =
      plan.log.empty()
          ? ::fcntl(2, F_DUPFD_CLOEXEC, 10)
          : ::open(plan.log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (null < 0) {
    return errno;
  }
  log = log < 0 ? null : log;
  // Both are moved out of the way first: their numbers may be among those that are assigned.
  int keep = ::fcntl(plan.keep, F_DUPFD_CLOEXEC, 10);
  int answer = ::fcntl(report, F_DUPFD_CLOEXEC, 10);
  log = ::fcntl(log, F_DUPFD_CLOEXEC, 10);
  if (keep < 0 || answer < 0 || log < 0 || ::dup2(null, 0) < 0 || ::dup2(log, 1) < 0
      || ::dup2(log, 2) < 0 || ::dup2(keep, k_child_descriptor) < 0
      || ::dup2(answer, k_child_descriptor + 1) < 0) {
    return errno;
  }
  ::fcntl(k_child_descriptor + 1, F_SETFD, FD_CLOEXEC);
  ::close_range(k_child_descriptor + 2, ~0U, 0);
  // A daemon in a folder would keep its file system from being unmounted.
  (void)!::chdir("/");
  release_interrupts();
  ::execv(words[0], words);
  int problem = errno;
  (void)!::write(k_child_descriptor + 1, &problem, sizeof problem);
  ::_exit(127);
}

} // namespace

Result<void> spawn_detached(const ChildPlan& plan) {
  std::vector<char*> words;
  for (const std::string& word : plan.words) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return fail(system_error(errno, "a pipe for `" + plan.words.front() + "`"));
  }
  UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  pid_t child = ::fork();
  if (child < 0) {
    return fail(system_error(errno, "a process for `" + plan.words.front() + "`"));
  }
  if (child == 0) {
    ::setsid();
    pid_t grandchild = ::fork();
    if (grandchild <= 0) {
      int problem = grandchild < 0 ? errno : become(plan, words.data(), writer.get());
      (void)!::write(writer.get(), &problem, sizeof problem);
    }
    ::_exit(0);
  }
  writer.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  int problem = 0;
  ssize_t got = 0;
  do {
    got = ::read(reader.get(), &problem, sizeof problem);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof problem) {
    return fail(system_error(problem, "`" + plan.words.front() + "`"));
  }
  return {};
}

} // namespace upskill::connect
