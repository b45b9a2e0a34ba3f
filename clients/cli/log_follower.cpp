#include "clients/cli/log_follower.h"

#include "clients/cli/daemon_commands.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/page.h"
#include "clients/cli/text.h"
#include "clients/connect/interrupt.h"
#include "protocol/base/unique_fd.h"
#include "protocol/codec/writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <vector>

namespace upskill::cli {
namespace {

constexpr off_t k_tail = 1 << 20; // bytes of the end that are looked through for lines
constexpr long k_poll_ms = 250;
constexpr std::size_t k_longest_line = 64 * 1024;

// Prints whole lines of what is fed to it.
class LinePrinter {
public:
  explicit LinePrinter(bool json)
      : m_json(json) {}

  void feed(std::string_view bytes) {
    m_pending += bytes;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = m_pending.find('\n', at)) != std::string::npos; at = end + 1) {
      print(std::string_view(m_pending).substr(at, end - at));
    }
    m_pending.erase(0, at);
    if (m_pending.size() > k_longest_line) {
      print(m_pending);
      m_pending.clear();
    }
  }

  void print(std::string_view line) const {
    write_all(1, m_json ? "{\"line\":" + json_string(line) + "}\n" : clean_line(line) + "\n");
  }

private:
  bool m_json;
  std::string m_pending = {};
};

// Reads what lies beyond `offset`, at most `limit` bytes, and moves it.
std::string read_from(int file, off_t& offset, std::size_t limit) {
  std::string bytes;
  std::array<char, 16384> buffer;
  while (bytes.size() < limit) {
    ssize_t got = ::pread(file, buffer.data(), buffer.size(), offset);
    if (got <= 0) {
      break;
    }
    offset += got;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

UniqueFd open_log(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// The end of the file in lines, oldest first; `offset` is left where it was read to.
std::vector<std::string> tail_of(int file, off_t& offset, std::size_t lines) {
  struct stat status {};

  if (::fstat(file, &status) != 0) {
    return {};
  }
  offset = std::max<off_t>(0, status.st_size - k_tail);
  std::string text = read_from(file, offset, 2 * k_tail);
  std::vector<std::string> out;
  std::string_view rest = last_lines(text, lines);
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

} // namespace

Result<DaemonLogsResult> read_log(const std::string& path, std::size_t lines) {
  UniqueFd file = open_log(path);
  if (!file) {
    return fail(ErrorCode::not_found,
                "the daemon is not running and has left no log at `" + path + "`",
                "`upskill daemon start`");
  }
  off_t offset = 0;
  return DaemonLogsResult{path, tail_of(file.get(), offset, lines)};
}

int follow_log(const std::string& path, std::size_t lines, bool json) {
  LinePrinter printer(json);
  UniqueFd file = open_log(path);

  struct stat opened {};

  off_t offset = 0;
  if (file) {
    ::fstat(file.get(), &opened);
    for (const std::string& line : tail_of(file.get(), offset, lines)) {
      printer.print(line);
    }
  }
  for (;;) {
    if (stdout_problem() != 0) {
      return k_done; // nobody reads on; what else it may be is told at the end
    }
    if (connect::wait({}, k_poll_ms) < 0) {
      return k_interrupted;
    }

    struct stat now {};

    if (::stat(path.c_str(), &now) != 0) {
      continue;
    }
    if (!file || now.st_ino != opened.st_ino || now.st_dev != opened.st_dev) {
      file = open_log(path);
      offset = 0;
      opened = now;
    }
    offset = now.st_size < offset ? 0 : offset;
    if (file) {
      printer.feed(read_from(file.get(), offset, k_tail));
    }
  }
}

} // namespace upskill::cli
