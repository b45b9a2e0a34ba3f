#include "daemon/telemetry/crash_handler.h"

#include "daemon/telemetry/redact.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace upskill::telemetry {
namespace {

// Process-wide, because a signal handler has no other way to anything.
std::atomic<const char*> g_message = nullptr;
std::atomic<std::size_t> g_length = 0;
std::atomic<int> g_descriptor = 2;
alignas(16) std::array<char, 64u << 10> g_stack;
std::array<char, k_max_logged_body + 256> g_report;

struct Report {
  std::size_t used = 0;

  void add(std::string_view text) noexcept {
    for (char c : text) {
      if (used < g_report.size()) {
        g_report[used++] = c;
      }
    }
  }
};

std::string_view name_of(int signal) noexcept {
  switch (signal) {
  case SIGSEGV:
    return "SIGSEGV";
  case SIGBUS:
    return "SIGBUS";
  case SIGFPE:
    return "SIGFPE";
  case SIGILL:
    return "SIGILL";
  default:
    return "SIGABRT";
  }
}

bool is_same_file(int a, int b) noexcept {
  struct stat left {};

  struct stat right {};

  return a == b
         || (::fstat(a, &left) == 0 && ::fstat(b, &right) == 0 && left.st_dev == right.st_dev
             && left.st_ino == right.st_ino);
}

void report_and_die(int signal) {
  Report report;
  report.add("upskilld: crashed with ");
  report.add(name_of(signal));
  const char* message = g_message.load(std::memory_order_acquire);
  if (message != nullptr) {
    report.add(" while handling: ");
    report.used += copy_without_secrets({message, g_length.load(std::memory_order_relaxed)},
                                        g_report.data() + report.used,
                                        k_max_logged_body);
  }
  report.add("\n");
  int descriptor = g_descriptor.load(std::memory_order_relaxed);
  // Nothing can be done about a failed write here.
  [[maybe_unused]] ssize_t ignored = ::write(descriptor, g_report.data(), report.used);
  if (!is_same_file(descriptor, 2)) {
    ignored = ::write(2, g_report.data(), report.used);
  }
  // SA_RESETHAND put the default action back.
  ::raise(signal);
}

} // namespace

HandledMessage::HandledMessage(std::string_view line) noexcept {
  g_length.store(line.size(), std::memory_order_relaxed);
  g_message.store(line.data(), std::memory_order_release);
}

HandledMessage::~HandledMessage() {
  g_message.store(nullptr, std::memory_order_release);
}

void install_crash_handler(int log_descriptor) {
  g_descriptor.store(log_descriptor, std::memory_order_relaxed);
  stack_t stack{};
  stack.ss_sp = g_stack.data();
  stack.ss_size = g_stack.size();
  ::sigaltstack(&stack, nullptr);

  struct sigaction action {};

  action.sa_handler = report_and_die;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(signal, &action, nullptr);
  }
}

} // namespace upskill::telemetry
