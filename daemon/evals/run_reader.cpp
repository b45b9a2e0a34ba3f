#include "daemon/evals/run_reader.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/eval/run_json.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace upskill::evals {
namespace {

constexpr std::size_t k_max_entries = 100'000; // of one folder that are looked at
constexpr std::size_t k_max_warnings = 20;
constexpr int k_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

UniqueFd open_folder(int folder, const std::string& name) {
  return UniqueFd(::openat(folder, name.c_str(), k_folder | O_NOFOLLOW));
}

// Names in an open folder, in no order; of more than k_max_entries some.
std::vector<std::string> names_in(const UniqueFd& folder) {
  std::vector<std::string> names;
  int own = ::openat(folder.get(), ".", k_folder);
  DIR* opened = own < 0 ? nullptr : ::fdopendir(own);
  if (opened == nullptr) {
    UniqueFd closes(own);
    return names;
  }
  auto close = [](DIR* directory) { ::closedir(directory); };
  std::unique_ptr<DIR, decltype(close)> directory(opened, close);
  while (dirent* entry = ::readdir(directory.get())) { // NOLINT(concurrency-mt-unsafe)
    std::string name = entry->d_name;
    if (name != "." && name != ".." && names.size() < k_max_entries) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

// 3 of `run_3`; nothing of any other name, such as `run_03`.
std::optional<std::int64_t> run_number(std::string_view name) {
  constexpr std::string_view k_prefix = "run_";
  std::int64_t number = 0;
  if (!name.starts_with(k_prefix)) {
    return std::nullopt;
  }
  std::from_chars(name.data() + k_prefix.size(), name.data() + name.size(), number);
  bool is_run = number > 0 && name == std::string(k_prefix) + std::to_string(number);
  return is_run ? std::optional(number) : std::nullopt;
}

// A regular file of the open folder. The error is the end of a sentence.
Result<std::string> read_regular(int folder, const char* name) {
  UniqueFd file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY));

  struct stat status {};

  if (!file || ::fstat(file.get(), &status) != 0) {
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                errno == ENOENT  ? "is not there"
                : errno == ELOOP ? "is a link"
                                 : "cannot be read");
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, "is not a regular file");
  }
  std::string bytes(eval::k_max_run_file + 1, '\0');
  if (static_cast<std::size_t>(status.st_size) < eval::k_max_run_file) {
    bytes.resize(static_cast<std::size_t>(status.st_size) + 1);
  }
  std::size_t used = 0;
  while (used < bytes.size()) {
    ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno != EINTR) {
      return fail(ErrorCode::io, "cannot be read");
    }
    if (got == 0) {
      break;
    }
    used += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  bytes.resize(used);
  if (used > eval::k_max_run_file) {
    return fail(ErrorCode::too_large,
                "has more than " + std::to_string(eval::k_max_run_file) + " bytes");
  }
  return bytes;
}

Result<eval::RunResult> read_run(int run) {
  Result<std::string> result = read_regular(run, "run_result.json");
  if (!result) {
    return fail(result.error().code, "`run_result.json` " + result.error().message);
  }
  Result<std::string> metadata = read_regular(run, "run_metadata.json");
  Result<eval::RunResult> read = eval::read_run(*result, metadata ? *metadata : std::string());
  if (!read) {
    return fail(read.error().code, "`run_result.json`: " + read.error().message);
  }
  return read;
}

class Reading {
public:
  Reading(std::size_t limit, LoggedRuns& out)
      : m_limit(limit)
      , m_out(out) {}

  void batch(int root, const std::string& name) {
    UniqueFd folder = open_folder(root, name);
    if (!folder) {
      return; // a file, or a link
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& entry : names_in(folder)) {
      if (std::optional<std::int64_t> number = run_number(entry)) {
        numbers.push_back(*number);
      }
    }
    std::ranges::sort(numbers);
    for (std::int64_t number : numbers) {
      if (m_looked_at == m_limit) {
        ++m_out.left_out;
        continue;
      }
      ++m_looked_at;
      run(folder.get(), name, "run_" + std::to_string(number));
    }
  }

  void finish() {
    if (m_unreadable > k_max_warnings) {
      m_out.warnings.push_back(std::to_string(m_unreadable - k_max_warnings)
                               + " more runs could not be read");
    }
  }

private:
  void run(int batch, const std::string& batch_name, const std::string& name) {
    UniqueFd folder = open_folder(batch, name);
    Result<eval::RunResult> read =
        folder ? read_run(folder.get()) : fail(ErrorCode::io, "is no folder");
    if (read) {
      m_out.runs.push_back({to_valid_utf8(batch_name), std::move(*read)});
    } else if (++m_unreadable <= k_max_warnings) {
      m_out.warnings.push_back(in_backticks(batch_name + "/" + name)
                               + " is left out: " + read.error().message);
    }
  }

  std::size_t m_limit;
  LoggedRuns& m_out;
  std::size_t m_looked_at = 0;
  std::size_t m_unreadable = 0;
};

} // namespace

Result<LoggedRuns>
read_runs(const std::string& folder, std::stop_token stopping, std::size_t limit) {
  UniqueFd root(::open(folder.c_str(), k_folder));
  if (!root) {
    return fail(system_error(errno, "cannot read folder `" + folder + "`"));
  }
  std::vector<eval::BatchOrder> batches;
  for (const std::string& name : names_in(root)) {
    batches.push_back(eval::batch_order(name));
  }
  std::ranges::sort(batches, std::greater<>());
  LoggedRuns out;
  Reading reading(limit, out);
  for (const eval::BatchOrder& batch : batches) {
    if (stopping.stop_requested()) {
      break;
    }
    reading.batch(root.get(), batch.name);
  }
  reading.finish();
  return out;
}

} // namespace upskill::evals
