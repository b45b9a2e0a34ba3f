#include "daemon/telemetry/log.h"

#include "daemon/telemetry/log_file.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace upskill::telemetry {
namespace {

constexpr std::array<std::string_view, 4> k_words{"error", "warning", "info", "verbose"};
constexpr std::size_t k_look_back = 1u << 20; // bytes

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
  case LogLevel::error:
    return spdlog::level::err;
  case LogLevel::warning:
    return spdlog::level::warn;
  case LogLevel::info:
    return spdlog::level::info;
  case LogLevel::verbose:
    return spdlog::level::debug;
  }
  return spdlog::level::err;
}

class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit FileSink(LogFile file)
      : m_file(std::move(file)) {}

  void reopen() {
    std::lock_guard lock(mutex_);
    m_file.reopen();
  }

  const std::string& path() const { return m_file.path(); }

  int descriptor() const { return m_file.descriptor(); }

protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    m_file.append(std::string_view(line.data(), line.size()));
  }

  void flush_() override {}

private:
  LogFile m_file;
};

} // namespace

struct Log::State {
  State(std::shared_ptr<FileSink> file_sink, LogLevel shown)
      : sink(std::move(file_sink))
      , logger("upskilld", sink)
      , level(shown) {
    logger.set_level(level_of(shown));
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v", spdlog::pattern_time_type::utc));
  }

  std::shared_ptr<FileSink> sink;
  spdlog::logger logger;
  LogLevel level;
};

std::optional<LogLevel> log_level(std::string_view word) {
  auto found = std::find(k_words.begin(), k_words.end(), word);
  return found == k_words.end() ? std::nullopt
                                : std::optional(static_cast<LogLevel>(found - k_words.begin()));
}

Log::Log(std::unique_ptr<State> state)
    : m_state(std::move(state)) {}

Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;
Log::~Log() = default;

Result<Log> Log::open(const LogOptions& options) {
  std::string path = options.path.empty() ? stderr_file() : options.path;
  LogFile file;
  if (!path.empty()) {
    TRY_ASSIGN(file, LogFile::open(path, options.rotate_at, options.path.empty()));
  }
  auto sink = std::make_shared<FileSink>(std::move(file));
  return Log(std::make_unique<State>(std::move(sink), options.level));
}

Log Log::none() {
  return Log(nullptr);
}

bool Log::shows(LogLevel level) const {
  return m_state != nullptr && level <= m_state->level;
}

void Log::format(LogLevel level, fmt::string_view text, fmt::format_args values) {
  if (shows(level)) {
    write(level, fmt::vformat(text, values));
  }
}

void Log::write(LogLevel level, std::string_view text) {
  if (!shows(level)) {
    return;
  }
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  m_state->logger.log(level_of(level), line);
}

void Log::reopen() {
  if (m_state != nullptr) {
    m_state->sink->reopen();
  }
}

const std::string& Log::path() const {
  static const std::string k_none;
  return m_state != nullptr ? m_state->sink->path() : k_none;
}

int Log::descriptor() const {
  return m_state != nullptr ? m_state->sink->descriptor() : 2;
}

Result<std::vector<std::string>> Log::last_lines(std::size_t count) const {
  std::vector<std::string> lines;
  if (path().empty() || count == 0) {
    return lines;
  }
  UniqueFd fd(::open(path().c_str(), O_RDONLY | O_CLOEXEC));

  struct stat status {};

  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "the log file `" + path() + "` cannot be read"));
  }
  auto size = static_cast<std::size_t>(status.st_size);
  std::string text(std::min(size, k_look_back), '\0');
  ssize_t read =
      ::pread(fd.get(), text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  std::size_t end = text.size();
  while (end > 0 && lines.size() < count) {
    std::size_t newline = text.rfind('\n', end - 1);
    if (newline + 1 == text.size()) {
      end = newline;
      newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    }
    std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    bool is_cut = start == 0 && text.size() < size;
    if (!is_cut) {
      lines.push_back(text.substr(start, end - start));
    }
    end = newline == std::string::npos ? 0 : newline;
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

} // namespace upskill::telemetry
