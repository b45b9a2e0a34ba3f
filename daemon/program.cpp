#include "daemon/program.h"

#include "daemon/daemon.h"
#include "daemon/telemetry/crash_handler.h"
#include "daemon/temporary_state.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

namespace upskill::daemon {
namespace {

constexpr int k_usage = 2;
constexpr int k_failed = 3;

// Small and given back: one arena, and large blocks are the system's, however often they are used.
// What one answer needs is kept for the next one: the pool gives it back when it rests.
void tame_malloc() {
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

// Descriptors 0 to 2 are open, and nothing that prints can end up on standard output.
void settle_descriptors() {
  int null = -1;
  do {
    null = ::open("/dev/null", O_RDWR);
  } while (null >= 0 && null <= 2);
  if (null > 2) {
    ::dup2(null, 0);
    ::close(null);
  }
  ::dup2(2, 1);
}

// An agent costs three descriptors; 1,024 of them are more than the usual soft limit.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

int report(const Error& error, int code) {
  std::fprintf(stderr, "upskilld: %s\n", error.message.c_str());
  if (!error.hint.empty()) {
    std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
  }
  return code;
}

int serve(const Options& options, const MakeEngine& make_engine) {
  Environment environment = process_environment();
  auto places = find_places(environment);
  if (!places) {
    return report(places.error(), k_failed);
  }
  // A daemon for one command must not touch what another works on, unless it was told to.
  std::optional<TemporaryState> temporary;
  if (options.private_fd >= 0 && !names_state(environment)) {
    auto made = TemporaryState::make(environment, *places);
    if (!made) {
      return report(made.error(), k_failed);
    }
    temporary.emplace(std::move(*made));
  }
  auto log = telemetry::Log::open(options.log);
  if (!log) {
    return report(log.error(), k_failed);
  }
  telemetry::install_crash_handler(log->descriptor());
  Daemon daemon(options, *places, *log, temporary ? &*temporary : nullptr);
  auto served = daemon.run(make_engine);
  if (!served) {
    if (!log->path().empty()) {
      log->error("{}", served.error().message);
    }
    return report(served.error(), k_failed);
  }
  return 0;
}

} // namespace

int run_program(int count,
                char** arguments,
                const MakeEngine& make_engine,
                const std::function<void(Options&)>& adjust) {
  auto options = parse_options(
      {const_cast<const char* const*>(arguments) + 1, static_cast<std::size_t>(count - 1)});
  if (!options) {
    return report(options.error(), k_usage);
  }
  if (options->help || options->version) {
    std::string_view text = help_text();
    std::string line = "upskilld " + std::string(version()) + "\n";
    std::fputs(options->help ? std::string(text).c_str() : line.c_str(), stdout);
    return 0;
  }
  if (adjust) {
    adjust(*options);
  }
  tame_malloc();
  settle_descriptors();
  raise_descriptor_limit();
  return serve(*options, make_engine);
}

} // namespace upskill::daemon
