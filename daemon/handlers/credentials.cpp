#include "daemon/handlers/credentials.h"

#include "protocol/base/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 64u << 10;

bool is_variable(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string_view trimmed(std::string_view text) {
  std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) {
    return {};
  }
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

Result<std::string> read_private(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::string();
    }
    return fail(system_error(errno, "`" + path + "`"));
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    return fail(system_error(errno, "`" + path + "`"));
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    return fail(ErrorCode::refused,
                "`" + path + "` holds keys, and others could read or change it",
                "`chmod 600 " + path + "`");
  }
  std::string text(k_most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return fail(system_error(errno, "`" + path + "`"));
    }
    if (count == 0) {
      break;
    }
    size += static_cast<std::size_t>(count);
  }
  if (size > k_most_bytes) {
    return fail(ErrorCode::too_large, "`" + path + "` is larger than 64 KiB");
  }
  text.resize(size);
  return text;
}

} // namespace

Result<std::map<std::string, std::string>> read_credentials(const std::string& path) {
  TRY_ASSIGN(std::string text, read_private(path));
  std::map<std::string, std::string> keys;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::size_t end = rest.find('\n');
    std::string_view line = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    std::size_t equals = line.find('=');
    std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_variable(name)) {
      return fail(ErrorCode::corrupt,
                  "`" + path + "`, line " + std::to_string(number) + ": not `NAME=VALUE`",
                  "a line is such as `ANTHROPIC_API_KEY=...`");
    }
    keys[std::string(name)] = trimmed(line.substr(equals + 1));
  }
  return keys;
}

} // namespace upskill::daemon
