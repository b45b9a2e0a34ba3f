#include "daemon/evals/fixtures.h"

#include "protocol/base/utf8.h"
#include "skills/library/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

namespace upskill::evals {
namespace {

constexpr std::size_t k_max_file = 4u << 20;  // bytes
constexpr std::size_t k_max_case = 16u << 20; // bytes of the fixtures of a case
constexpr std::size_t k_max_all = 64u << 20;  // bytes of those of all cases

Result<std::string> read_file_of(int skill, const std::string& path) {
  UniqueFd file = library::open_beneath(skill, path.c_str(), O_RDONLY);
  if (!file && (errno == EXDEV || errno == ELOOP)) {
    return fail(ErrorCode::refused, "is a link that leads out of the skill");
  }
  if (!file) {
    Error error = system_error(errno, "it");
    bool is_missing = error.code == ErrorCode::not_found;
    return fail(error.code,
                is_missing ? "is not in the skill" : "cannot be read",
                is_missing ? "paths of fixtures are relative to the skill's folder" : "");
  }

  struct stat about {};

  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return fail(ErrorCode::refused, "is no file");
  }
  std::string bytes(k_max_file + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    ssize_t count = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return fail(ErrorCode::io, "cannot be read");
    }
    if (count == 0) {
      break;
    }
    size += static_cast<std::size_t>(count);
  }
  if (size > k_max_file) {
    return fail(ErrorCode::too_large, "has more than 4 MiB");
  }
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

Result<void> read_fixtures_of(int skill, eval::Case& one, std::size_t& all) {
  std::map<std::string, std::string> found;
  std::size_t size = 0;
  for (const std::string& path : one.fixture_files) {
    std::string who = "case " + in_backticks(one.id) + ": the fixture " + in_backticks(path) + " ";
    Result<std::string> bytes = read_file_of(skill, path);
    if (!bytes) {
      return fail(bytes.error().code, who + bytes.error().message, bytes.error().hint);
    }
    size += bytes->size();
    all += bytes->size();
    if (size > k_max_case || all > k_max_all) {
      return fail(ErrorCode::too_large,
                  who + "makes too much of them",
                  "16 MiB a case, 64 MiB for all cases");
    }
    auto [place, is_new] = found.emplace(fixture_path(path), std::move(*bytes));
    if (!is_new) {
      return fail(
          ErrorCode::invalid_argument,
          who + "would have the name of another in the workspace: " + in_backticks(place->first));
    }
  }
  one.context_files.merge(found); // what the case itself spells out stays
  return {};
}

} // namespace

std::string fixture_path(std::string_view path) {
  for (std::string_view kept_in : {"evals/files/", "evals/"}) {
    if (path.starts_with(kept_in) && path.size() > kept_in.size()) {
      return std::string(path.substr(kept_in.size()));
    }
  }
  return std::string(path);
}

Result<void> read_fixtures(int skill, eval::CaseSuite& suite) {
  std::size_t all = 0;
  for (eval::Case& one : suite.cases) {
    TRY(read_fixtures_of(skill, one, all));
  }
  return {};
}

} // namespace upskill::evals
