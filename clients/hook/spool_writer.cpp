#include "clients/hook/spool_writer.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/unique_fd.h"
#include "protocol/hook/spool.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::hook {
namespace {

// The daemon seals a segment at most that often while one hook runs.
constexpr int k_tries = 8;

// Without asking the kernel again.
uid_t own_user() {
  return static_cast<uid_t>(::getauxval(AT_EUID));
}

tl::unexpected<Error> refused(const std::string& path, std::string_view why) {
  return fail(ErrorCode::refused,
              "`" + path + "` " + std::string(why),
              "remove it; the next hook makes it again");
}

Result<UniqueFd> open_folder(const std::string& path) {
  constexpr int k_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(::open(path.c_str(), k_flags));
  if (!folder && errno == ENOENT) {
    TRY(make_directories(path, 0700));
    folder.reset(::open(path.c_str(), k_flags));
  }
  if (!folder) {
    return errno == ENOTDIR || errno == ELOOP
               ? refused(path, "is not a folder")
               : Result<UniqueFd>(fail(system_error(errno, "cannot open `" + path + "`")));
  }

  struct stat status {};

  if (::fstat(folder.get(), &status) != 0 || status.st_uid != own_user()
      || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(path, "is not this user's alone");
  }
  return folder;
}

// A file of the spool to append to; its status tells whether it is still there.
Result<UniqueFd> open_file(int folder, const char* name, struct stat& status) {
  UniqueFd file(
      ::openat(folder,
               name,
               O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
               0600));
  if (!file) {
    return fail(system_error(errno, "cannot open `" + std::string(name) + "` of the spool"));
  }
  // The daemon holds a segment alone while it reads the last of it, and has renamed it before.
  // Where the file system knows no locks, it does not either.
  bool is_taken = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_taken || ::fstat(file.get(), &status) != 0) {
    status.st_nlink = 0;
    return file;
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != own_user() || status.st_nlink > 1) {
    return refused(name, "of the spool is not a file of this user's alone");
  }
  return file;
}

// One byte an event: a count that needs no lock.
void count_dropped(int folder) {
  struct stat status {};

  Result<UniqueFd> file = open_file(folder, k_dropped_file, status);
  if (file && static_cast<std::uint64_t>(status.st_size) < k_max_dropped) {
    (void)!::write(file->get(), "+", 1);
  }
}

} // namespace

Result<void>
append_to_spool(const std::string& state, std::string_view record, std::uint64_t limit) {
  TRY_ASSIGN(UniqueFd folder, open_folder(spool_folder(state)));
  for (int i = 0; i < k_tries; ++i) {
    struct stat status {};

    TRY_ASSIGN(UniqueFd file, open_file(folder.get(), k_live_segment, status));
    if (status.st_nlink == 0) {
      continue; // sealed, or read and removed, since it was opened
    }
    if (static_cast<std::uint64_t>(status.st_size) + record.size() > limit) {
      count_dropped(folder.get());
      return fail(ErrorCode::too_large, "the spool is full", "`upskill daemon start` empties it");
    }
    ssize_t written = ::write(file.get(), record.data(), record.size());
    if (written == static_cast<ssize_t>(record.size())) {
      return {};
    }
    // What was written of it is a torn record, which readers pass over.
    int reason = written < 0 ? errno : ENOSPC;
    count_dropped(folder.get());
    return fail(system_error(reason, "cannot write to the spool"));
  }
  count_dropped(folder.get());
  return fail(ErrorCode::busy, "the spool is being sealed all the time");
}

} // namespace upskill::hook
