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

// No key and no address has them; a comment behind a value, or quotes round it, would be sent
// along.
bool is_plain(std::string_view value) {
  return std::ranges::all_of(
      value, [](unsigned char c) { return c > ' ' && c != 0x7F && c != '"' && c != '\''; });
}

Result<std::string> read_private(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::string();
    }
    if (errno == ELOOP) {
      return fail(ErrorCode::refused,
                  "`" + path + "` is a link, and keys are read from no link",
                  "put the file itself there");
    }
    return fail(system_error(errno, "`" + path + "`"));
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    return fail(system_error(errno, "`" + path + "`"));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::refused,
                "`" + path + "` is no file",
                "write a line such as `ANTHROPIC_API_KEY=...` into a file of that name");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(ErrorCode::refused,
                "`" + path + "` belongs to another user, who could read or change it",
                "put a file of your own there");
  }
  if ((status.st_mode & 077) != 0) {
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
    std::string where = "`" + path + "`, line " + std::to_string(number) + ": ";
    std::size_t equals = line.find('=');
    std::string_view name = trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_variable(name)) {
      return fail(ErrorCode::corrupt,
                  where + "not `NAME=VALUE`",
                  "a line is such as `ANTHROPIC_API_KEY=...`");
    }
    std::string_view value = trimmed(line.substr(equals + 1));
    if (!is_plain(value)) {
      return fail(ErrorCode::corrupt,
                  where + "the value has spaces, quotes or control characters",
                  "write it without quotes, and a comment on a line of its own");
    }
    keys[std::string(name)] = value;
  }
  return keys;
}

} // namespace upskill::daemon
