#pragma once
#include "protocol/base/result.h"

#include <fmt/core.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::telemetry {

enum class LogLevel { error, warning, info, verbose };

// Nothing for a word that is no level.
std::optional<LogLevel> log_level(std::string_view word);

struct LogOptions {
  LogLevel level = LogLevel::info;
  // Empty: standard error; where that is a regular file, the log takes it over, with its rotation.
  std::string path = {};
  // A file that grows past this becomes `PATH.1`, replacing the one before, so that two files of
  // about this size are the most there is.
  std::size_t rotate_at = 10u << 20;
};

// The daemon's log: one line an entry, `2026-11-21T05:00:00.123Z info  text`. What is logged holds
// no secret: bodies go through loggable() (redact.h), and a CallContext has no formatter.
// Owner: main. Thread: any. Lifetime: the process's.
class Log {
public:
  static Result<Log> open(const LogOptions& options);
  // Drops everything; for tests and for parts that run without a daemon.
  static Log none();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;
  ~Log();

  bool shows(LogLevel level) const;

  template <class... A> void error(fmt::format_string<A...> text, A&&... values) {
    format(LogLevel::error, text, fmt::make_format_args(values...));
  }

  template <class... A> void warning(fmt::format_string<A...> text, A&&... values) {
    format(LogLevel::warning, text, fmt::make_format_args(values...));
  }

  template <class... A> void info(fmt::format_string<A...> text, A&&... values) {
    format(LogLevel::info, text, fmt::make_format_args(values...));
  }

  template <class... A> void verbose(fmt::format_string<A...> text, A&&... values) {
    format(LogLevel::verbose, text, fmt::make_format_args(values...));
  }

  // Newlines in the text become blanks, so that no message can forge an entry.
  void write(LogLevel level, std::string_view text);

  // Opens the file anew, as log rotation by others wants it (SIGHUP).
  void reopen();
  // Where it goes; empty for a terminal or a pipe.
  const std::string& path() const;
  // The descriptor that is written to now, for the crash handler.
  int descriptor() const;
  // The last lines of the file, oldest first, looking back over at most 1 MiB; none where it is no
  // file.
  Result<std::vector<std::string>> last_lines(std::size_t count) const;

private:
  struct State;
  explicit Log(std::unique_ptr<State> state);

  void format(LogLevel level, fmt::string_view text, fmt::format_args values);

  std::unique_ptr<State> m_state;
};

} // namespace upskill::telemetry
