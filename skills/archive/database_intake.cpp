#include "skills/archive/database_intake.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/archive/intake.h"
#include "skills/trace/opencode_database.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

namespace upskill::archive {
namespace {

constexpr std::string_view k_scratch = "traces.tmp-"; // begins the names of their folders

constexpr std::size_t k_max_sessions = 20'000;
constexpr std::uint64_t k_max_document = std::uint64_t{2} << 30; // bytes of one session

// A folder of our own for the time of one call.
class Scratch {
public:
  static Result<Scratch> make(const std::string& beside) {
    std::string path = join_path(beside, std::string(k_scratch) + "XXXXXX");
    if (::mkdtemp(path.data()) == nullptr) {
      int failure = errno;
      return fail(system_error(failure, "cannot make a folder in " + in_backticks(beside)));
    }
    return Scratch(std::move(path));
  }

  Scratch(Scratch&& other) noexcept
      : m_path(std::exchange(other.m_path, {})) {}

  Scratch& operator=(Scratch&&) = delete;

  ~Scratch() {
    if (!m_path.empty()) {
      std::error_code ignored;
      std::filesystem::remove_all(m_path, ignored);
    }
  }

  std::string file(std::string_view name) const { return join_path(m_path, name); }

private:
  explicit Scratch(std::string path)
      : m_path(std::move(path)) {}

  std::string m_path;
};

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      int failure = errno;
      return fail(system_error(failure, "a session cannot be written for reading"));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<trace::OpencodeRendering> render(trace::OpencodeDatabase& database,
                                        const trace::OpencodeSession& session,
                                        const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) {
    int failure = errno;
    return fail(system_error(failure, in_backticks(path)));
  }
  return database.render(session.id, k_max_document, [&](std::string_view piece) {
    return write_all(file.get(), piece);
  });
}

// The error with a path of its message put in the place of another.
Error replaced(Error error, const std::string& path, const std::string& by) {
  if (std::size_t at = error.message.find(path); at != std::string::npos) {
    error.message.replace(at, path.size(), by);
  }
  return error;
}

} // namespace

Result<std::vector<Kept>> keep_database(Archive& archive,
                                        const std::string& path,
                                        const KeepOptions& options,
                                        std::int64_t now_ms,
                                        std::stop_token stop) {
  TRY_ASSIGN(Scratch scratch, Scratch::make(archive.scratch()));
  std::string copy = scratch.file("copy.db");
  trace::CopyBudget budget;
  if (options.is_wanted) {
    budget.max_waits = 2; // it is tried again, and others wait for their turn
  }
  budget.may_go_on = [&stop] { return !stop.stop_requested(); };
  TRY(trace::copy_database(path, copy, budget));
  Result<trace::OpencodeDatabase> opened = trace::OpencodeDatabase::open(copy);
  if (!opened) {
    // Nobody knows the copy.
    return fail(replaced(std::move(opened).error(), copy, path));
  }
  trace::OpencodeDatabase database = *std::move(opened);
  TRY_ASSIGN(std::vector<trace::OpencodeSession> sessions, database.sessions(k_max_sessions));
  std::vector<Kept> kept;
  for (const trace::OpencodeSession& session : sessions) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "reading " + in_backticks(path) + " was cancelled");
    }
    KeepOptions of_session = options;
    of_session.agent = options.agent.empty() ? "opencode" : options.agent;
    of_session.as_source = path + "#" + session.id;
    of_session.as_changed_ms = session.updated_ms;
    std::string document = scratch.file("session.json");
    Intake known(archive, document, of_session, now_ms, stop);
    TRY_ASSIGN(std::optional<Kept> unchanged, known.find_unchanged());
    if (unchanged) {
      kept.push_back(*std::move(unchanged));
      continue;
    }
    Result<trace::OpencodeRendering> rendered = render(database, session, document);
    Intake intake(archive, document, of_session, now_ms, stop);
    Result<Kept> one = rendered ? intake.run() : Result<Kept>(fail(std::move(rendered).error()));
    if (!one && one.error().code == ErrorCode::cancelled) {
      return fail(std::move(one).error());
    }
    if (one && rendered->left_out > 0) {
      one->reason = std::to_string(rendered->left_out) + " messages are left out: it is too long";
    }
    Kept failed{.reason = one ? std::string() : one.error().message};
    failed.row.source = of_session.as_source;
    kept.push_back(one ? *std::move(one) : std::move(failed));
  }
  return kept;
}

void remove_copies(const std::string& beside) {
  std::error_code ignored;
  std::vector<std::filesystem::path> left;
  for (std::filesystem::directory_iterator entry(beside, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(k_scratch)) {
      left.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& path : left) {
    std::filesystem::remove_all(path, ignored);
  }
}

} // namespace upskill::archive
