#include "clients/connect/interrupt.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace upskill::connect {
namespace {

volatile std::sig_atomic_t g_signal = 0;
sigset_t g_usual_mask;
bool g_caught = false;

void remember(int signal) {
  g_signal = signal;
}

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&set, signal);
  }
  return set;
}

} // namespace

void catch_interrupts() {
  sigset_t set = interrupts();
  ::sigprocmask(SIG_BLOCK, &set, &g_usual_mask);

  struct sigaction action {};

  action.sa_handler = &remember;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};

    // nohup and shells' background jobs ignore some of these; that stays so.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      ::sigaction(signal, &action, nullptr);
    }
  }
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  g_caught = true;
}

void renew_mask() {
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (::sigismember(&g_usual_mask, signal) == 0) {
      sigdelset(&mask, signal);
    }
  }
  g_usual_mask = mask;
}

int interrupted_by() {
  return g_signal;
}

void release_interrupts() {
  struct sigaction action {};

  action.sa_handler = SIG_DFL;
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    ::sigaction(signal, &action, nullptr);
  }
  sigset_t set = interrupts();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

int wait(std::span<pollfd> descriptors, long limit_ms) {
  long deadline = steady_ms() + limit_ms;
  for (;;) {
    long left = std::max(0L, deadline - steady_ms());
    timespec limit{left / 1000, (left % 1000) * 1'000'000};
    int ready = ::ppoll(descriptors.data(),
                        descriptors.size(),
                        limit_ms < 0 ? nullptr : &limit,
                        g_caught ? &g_usual_mask : nullptr);
    if (ready >= 0 || errno != EINTR || g_signal != 0) {
      return ready;
    }
  }
}

long steady_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

} // namespace upskill::connect
