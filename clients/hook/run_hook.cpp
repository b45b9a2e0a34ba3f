#include "clients/hook/run_hook.h"

#include "clients/hook/answer.h"
#include "clients/hook/input.h"
#include "clients/hook/spool_writer.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "protocol/hook/payload.h"
#include "protocol/hook/spool.h"
#include "protocol/hook/spool_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace upskill::hook {
namespace {

constexpr long k_patience_with_people = 3'600'000; // ms
constexpr std::string_view k_to_people =
    "upskill hook is what a coding agent runs: it reads a JSON object on stdin.\n"
    "Type one and end with Ctrl-D; `upskill help hook` shows how to tell an agent about it.\n";

// Not on the stack and not from the heap: only the pages are ever touched that a payload fills.
std::array<char, k_max_payload> g_payload;

// A reader that has gone, or a limit on the size of files, must not make a failure of it.
void ignore_signals_of_writing() {
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);
}

void write_quietly(int fd, std::string_view text) {
  (void)!::write(fd, text.data(), text.size());
}

void complain(const Error& error) {
  std::string text = "upskill hook: " + error.message + "\n";
  if (!error.hint.empty()) {
    text += "hint: " + error.hint + "\n";
  }
  write_quietly(2, text);
}

// Where a standard descriptor is closed, the spool would take its number, and our answer with it.
void fill_standard_descriptors() {
  int fd = 0;
  while ((fd = ::open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && fd < 3) {
  }
  if (fd >= 3) {
    ::close(fd);
  }
}

bool is_closed(int fd) {
  return ::fcntl(fd, F_GETFD) < 0;
}

std::int64_t unix_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Cursor sets it for its hooks, and for nothing else.
bool is_run_by_cursor() {
  return std::getenv("CURSOR_VERSION") != nullptr; // NOLINT(concurrency-mt-unsafe): one thread
}

Result<void> record(const HookEvent& event) {
  TRY_ASSIGN(std::string state, unresolved_state(process_environment()));
  return append_to_spool(state, encode_record(event), k_max_segment);
}

} // namespace

int answer_hook(const HookWords& words) {
  bool is_person = ::isatty(0) != 0;
  ignore_signals_of_writing();
  if (is_closed(0) || is_closed(1) || is_closed(2)) {
    fill_standard_descriptors();
  }
  Patience patience;
  if (is_person && words.payload.empty()) {
    patience.silence = patience.after_brace = patience.total = k_patience_with_people;
    write_quietly(2, k_to_people);
  }
  std::string_view payload =
      words.payload.empty() ? read_input(0, g_payload, patience) : words.payload;
  HookEvent event = read_payload(payload, {words.agent, words.event});
  if (event.agent.empty() && is_run_by_cursor()) {
    event.agent = k_cursor;
  }
  event.time_ms = unix_milliseconds();
  if (Result<void> recorded = record(event); !recorded) {
    complain(recorded.error());
  }
  if (!words.unknown.empty()) {
    complain({ErrorCode::invalid_argument,
              in_backticks(words.unknown) + " means nothing here",
              "`upskill help hook`"});
  }
  if (std::string_view answer = answer_to(event.agent, event.event); !answer.empty()) {
    write_quietly(1, answer);
  }
  return 0;
}

std::optional<int> run_hook(std::span<char* const> arguments) {
  HookWords words = read_words(arguments);
  bool is_wrong = words.event.empty() || !words.unknown.empty();
  if (words.wants_help || (is_wrong && ::isatty(0) != 0)) {
    return std::nullopt;
  }
  return answer_hook(words);
}

} // namespace upskill::hook
