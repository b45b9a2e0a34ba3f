#include "daemon/doctor/checks.h"
#include "protocol/base/utf8.h"
#include "skills/library/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

namespace upskill::doctor {
namespace {

constexpr std::uint64_t k_little_space = 200u << 20; // bytes; a version is kept of every change
constexpr std::uint64_t k_no_space = 16u << 20;
constexpr std::size_t k_longest_version = 64; // bytes that are shown of a client's word

// The folder itself or the nearest above it that exists.
std::string existing(std::string path) {
  struct stat status {};

  while (path.size() > 1 && ::stat(path.c_str(), &status) != 0) {
    path = parent_path(path);
  }
  return path;
}

void check_space(const std::string& folder, Findings& findings) {
  struct statvfs space {};

  if (::statvfs(existing(folder).c_str(), &space) != 0) {
    return;
  }
  std::uint64_t free = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  bool out_of_files = space.f_files > 0 && space.f_favail < 1000;
  if (free >= k_little_space && !out_of_files) {
    return;
  }
  findings.add(
      free < k_no_space || out_of_files ? FindingLevel::error : FindingLevel::warning,
      "space",
      "the file system of " + in_backticks(folder) + " has "
          + (out_of_files ? "no room for more files" : std::to_string(free >> 20) + " MiB left"),
      "make room: without it no version can be kept, so nothing is synchronised");
}

void check_run_folder(const std::string& folder, Findings& findings) {
  struct stat status {};

  if (::lstat(folder.c_str(), &status) != 0) {
    return; // nobody listens there: a daemon of one command alone
  }
  std::string wrong;
  if (!S_ISDIR(status.st_mode)) {
    wrong = "is not a folder";
  } else if (status.st_uid != ::geteuid()) {
    wrong = "belongs to another user";
  } else if ((status.st_mode & 077) != 0) {
    wrong = "is open to other users";
  }
  if (!wrong.empty()) {
    findings.add(FindingLevel::error,
                 "run folder",
                 in_backticks(folder) + " " + wrong,
                 "`chmod 700` it, or remove it and start the daemon again");
  }
}

void check_databases_put_aside(const Places& places, Findings& findings) {
  UniqueFd state(::open(places.state.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!state) {
    return;
  }
  std::vector<std::string> aside;
  library::for_each_name(state.get(), [&](const library::FolderEntry& entry) {
    std::string_view name = entry.name;
    if (name.starts_with("sync.db.corrupt-") && !name.ends_with("-wal")
        && !name.ends_with("-shm")) {
      aside.emplace_back(name);
    }
    return aside.size() < 100;
  });
  if (!aside.empty()) {
    std::ranges::sort(aside);
    findings.add(FindingLevel::info,
                 "database",
                 "a damaged sync.db was put aside as "
                     + in_backticks(join_path(places.state, aside.back())),
                 "history before it is lost, no version is; remove the file when you need it no "
                 "more");
  }
}

void check_version(const Facts& facts, Findings& findings) {
  if (!facts.asked_by.empty() && facts.asked_by != facts.status.version) {
    findings.add(FindingLevel::warning,
                 "version",
                 "the daemon is version " + facts.status.version + ", `upskill` is "
                     + to_valid_utf8(utf8_prefix(facts.asked_by, k_longest_version)),
                 "`upskill daemon stop` ends it; the next command starts the one beside it");
  }
}

// Skills are kept and measured without it all the same, so nothing is wrong with the machine.
void check_sandbox(const Facts& facts, Findings& findings) {
  if (facts.no_sandbox) {
    findings.add(FindingLevel::info,
                 "sandbox",
                 "`upskill eval` can run neither `command` checks nor the student `agent`: "
                     + facts.no_sandbox->message,
                 facts.no_sandbox->hint);
  }
}

} // namespace

void check_machine(const Facts& facts, Findings& findings) {
  const Places& places = facts.places;
  for (const std::string& warning : facts.status.warnings) {
    bool is_table = facts.scene->table_problem && warning == facts.scene->table_problem->message;
    bool is_store =
        facts.status.sync == SyncState::stopped && warning == facts.status.reason; // check_sync()
    if (!is_table && !is_store) {
      findings.add(
          FindingLevel::warning, k_daemon_check, warning, "`upskill daemon logs` shows more");
    }
  }
  if (facts.scene->table_problem) {
    findings.add(FindingLevel::warning,
                 "agents.json",
                 facts.scene->table_problem->message,
                 "until it is mended the built-in table is used: "
                     + in_backticks(join_path(places.config, "agents.json")));
  }
  if (facts.status.watch == "polling") {
    findings.add(FindingLevel::warning,
                 "watch",
                 "folders are watched by polling, so that changes are seen seconds later",
                 "raise `fs.inotify.max_user_instances` and `fs.inotify.max_user_watches`, then "
                 "restart the daemon");
  } else if (facts.status.watch == "none") {
    findings.add(FindingLevel::error,
                 "watch",
                 "folders are not watched: changes are seen only by `upskill sync now`",
                 "`upskill daemon logs` says why; then restart the daemon");
  }
  check_version(facts, findings);
  check_sandbox(facts, findings);
  check_space(places.state, findings);

  struct stat state {};

  struct stat data {};

  bool is_same = ::stat(existing(places.state).c_str(), &state) == 0
                 && ::stat(existing(places.data).c_str(), &data) == 0
                 && state.st_dev == data.st_dev;
  if (!is_same) {
    check_space(places.data, findings);
  }
  check_run_folder(places.run(), findings);
  std::string socket_folder = parent_path(socket_path(places, ::geteuid()));
  if (socket_folder != places.run()) {
    check_run_folder(socket_folder, findings);
  }
  check_databases_put_aside(places, findings);
}

} // namespace upskill::doctor
