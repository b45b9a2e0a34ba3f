#include "daemon/capture/follower.h"

#include "daemon/await.h"
#include "daemon/capture/follow_state.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"

#include <boost/asio/redirect_error.hpp>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <utility>

namespace upskill::capture {
namespace {

// An agent may keep its file open for hours, so each write counts and not the closing alone.
constexpr std::uint32_t k_new_mask = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t k_gone_mask = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t k_session_mask = IN_MODIFY | k_new_mask | k_gone_mask;
// The last folder that exists on the way to one that does not.
constexpr std::uint32_t k_anchor_mask = k_new_mask | k_gone_mask;
constexpr int k_tries = 16;                    // for a folder that comes or goes meanwhile
constexpr std::size_t k_entries_at_once = 256; // of new folders; more are for the pool
constexpr std::size_t k_read_bytes = 64u << 10;
constexpr int k_reads_at_once = 4;

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Whether it is there, as far as can be seen: a folder above it may not let us look.
bool may_be_there(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

// Links on the way are followed: the folder of an agent may be one.
int watch_folder(int inotify, const std::string& path, std::uint32_t mask) {
  return ::inotify_add_watch(inotify, path.c_str(), mask | IN_MASK_ADD | IN_ONLYDIR);
}

// The folder, or the nearest above it that is there.
std::string nearest_folder(std::string path) {
  while (path != "/" && !is_folder(path)) {
    path = parent_path(path);
  }
  return path;
}

} // namespace

struct Follower::Look {
  enum class Added { yes, gone, refused, none_left };

  UniqueFd inotify;
  std::string why = "too many folders to watch"; // none is left
  std::unordered_map<int, Watched> watches = {};
  std::vector<Followed> followed = {};
  SessionWalk walk = {};
  bool is_partial = false;

  Added add(const std::string& path, std::uint32_t mask, std::size_t folder) {
    if (!inotify || watches.size() >= k_max_watches) {
      return Added::none_left;
    }
    int wd = watch_folder(inotify.get(), path, mask);
    if (wd < 0 && watch::is_watch_limit(errno)) {
      return Added::none_left;
    }
    if (wd < 0) {
      return errno == ENOENT || errno == ENOTDIR ? Added::gone : Added::refused;
    }
    // What is on the way to one folder of sessions may lie in another.
    if (folder == k_way) {
      watches.try_emplace(wd, Watched{path, folder});
    } else {
      watches.insert_or_assign(wd, Watched{path, folder});
    }
    return Added::yes;
  }

  void miss(Followed& one, Added added) {
    std::string minutes = std::to_string(k_poll_every.count());
    one.is_watched = false;
    one.reason = "looked through every " + minutes
                 + " minutes: " + (added == Added::none_left ? why : "it may not be watched");
    is_partial = true;
  }
};

Follower::Follower(asio::any_io_executor executor,
                   std::function<runtime::Pool&()> pool,
                   Told told,
                   OpenInotify open)
    : m_pool(std::move(pool))
    , m_told(std::move(told))
    , m_open(std::move(open))
    , m_stream(executor)
    , m_walked(executor)
    , m_tasks(executor, [](std::exception_ptr failure) { std::rethrow_exception(failure); }) {}

// A new instance each time: what the old one watched is forgotten with it.
Follower::Look Follower::look(const std::vector<agents::SessionFolder>& folders,
                              const std::string& spool,
                              std::stop_token stop) const {
  Look found;
  Result<UniqueFd> inotify = m_open();
  if (inotify) {
    found.inotify = *std::move(inotify);
  } else {
    const Error& error = inotify.error();
    found.why = error.message + (error.hint.empty() ? "" : "; " + error.hint);
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::size_t before = found.walk.files.size();
    Followed& followed = found.followed.emplace_back(Followed{folders[i].agent, folders[i].folder});
    look_into(folders[i], i, found, stop);
    followed.files = found.walk.files.size() - before;
  }
  if (!spool.empty() && found.add(spool, k_session_mask, k_spool) != Look::Added::yes) {
    found.is_partial = true;
  }
  return found;
}

void Follower::look_into(const agents::SessionFolder& folder,
                         std::size_t index,
                         Look& found,
                         const std::stop_token& stop) {
  Followed& followed = found.followed[index];
  // What comes or goes while it is looked at is either told of, or seen the next time.
  std::string there;
  for (int i = 0; i < k_tries && there != nearest_folder(folder.folder); ++i) {
    there = nearest_folder(folder.folder);
    bool is_there = there == folder.folder;
    Look::Added added = found.add(there, is_there ? k_session_mask : k_anchor_mask, k_way);
    for (std::string above = there; above != "/";) {
      above = parent_path(above);
      found.add(above, k_gone_mask, k_way);
    }
    followed.is_watched = is_there;
    followed.reason = is_there ? "" : "there is no such folder yet";
    if (added != Look::Added::yes) {
      found.miss(followed, added);
    }
  }
  followed.is_there = may_be_there(folder.folder);
  if (there != folder.folder) {
    return;
  }
  std::size_t problems = found.walk.problems.size();
  walk_sessions(folder, found.walk, stop, [&](const std::string& path) {
    Look::Added added = found.add(path, k_session_mask, index);
    if (added == Look::Added::none_left) {
      found.miss(followed, added);
    }
  });
  // What may not be looked into is not told of either.
  if (found.walk.problems.size() > problems) {
    followed.reason = found.walk.problems[problems];
    found.is_partial = true;
  }
}

asio::awaitable<Result<SessionWalk>> Follower::watch(std::vector<agents::SessionFolder> folders,
                                                     std::string spool) {
  while (m_is_walking) {
    AWAIT_DONE(m_walked.wait());
  }
  m_is_walking = true;
  auto job = [&] { return look(folders, spool, m_stop.get_token()); };
  Look found;
  try {
    AWAIT(found, runtime::offload(m_pool(), std::move(job)));
  } catch (...) {
    m_is_walking = false;
    m_walked.notify_all();
    throw;
  }
  m_is_walking = false;
  m_walked.notify_all();
  if (m_is_stopping) {
    co_return fail(ErrorCode::cancelled, "the daemon is stopping");
  }
  bool was_open = m_stream.is_open();
  if (was_open) {
    m_stream.close(); // the loop that reads it ends
  }
  m_watches = std::move(found.watches);
  m_folders = std::move(folders);
  m_followed = std::move(found.followed);
  m_is_partial = found.is_partial;
  if (found.inotify) {
    m_stream.assign(found.inotify.release());
    m_tasks.start(read_loop());
  }
  co_return std::move(found.walk);
}

asio::awaitable<void> Follower::read_loop() {
  int descriptor = m_stream.native_handle();
  while (!m_is_stopping && m_stream.is_open() && m_stream.native_handle() == descriptor) {
    boost::system::error_code error;
    auto ready = m_stream.async_wait(asio::posix::descriptor_base::wait_read,
                                     asio::redirect_error(asio::use_awaitable, error));
    co_await std::move(ready);
    if (error) {
      co_return; // closed: another instance, or the end
    }
    drain();
  }
}

void Follower::drain() {
  auto buffer = std::make_unique_for_overwrite<char[]>(k_read_bytes);
  m_is_lost = false;
  m_entries = k_entries_at_once;
  for (int reads = 0; reads < k_reads_at_once; ++reads) {
    ssize_t bytes = ::read(m_stream.native_handle(), buffer.get(), k_read_bytes);
    if (bytes <= 0) {
      break;
    }
    watch::EventReader events({buffer.get(), static_cast<std::size_t>(bytes)});
    while (std::optional<watch::RawEvent> event = events.next()) {
      m_is_lost = m_is_lost || (event->mask & IN_Q_OVERFLOW) != 0;
      take(event->wd, event->mask, event->name);
    }
  }
  if (m_is_lost) {
    m_told.lost();
  }
}

void Follower::take(int wd, std::uint32_t mask, std::string_view name) {
  auto found = m_watches.find(wd);
  if (found == m_watches.end()) {
    return;
  }
  if ((mask & (k_gone_mask | IN_IGNORED)) != 0) {
    take_loss(found->second, (mask & IN_MOVE_SELF) != 0);
    if ((mask & IN_IGNORED) != 0) {
      m_watches.erase(found);
    }
    return;
  }
  const Watched& watched = found->second;
  std::string path = join_path(watched.path, name);
  // A folder that was waited for, or a link to one, on its whole way.
  bool is_awaited =
      (mask & k_new_mask) != 0 && std::ranges::any_of(m_followed, [&](const Followed& one) {
        return !one.is_watched && is_inside(one.folder, path);
      });
  if (is_awaited) {
    m_is_lost = true;
  } else if (watched.folder == k_spool) {
    m_told.changed(path);
  } else if (watched.folder < m_folders.size() && (mask & IN_ISDIR) == 0) {
    const agents::SessionFolder& folder = m_folders[watched.folder];
    std::string way = relative_path(path, folder.folder);
    std::string_view session = agents::changed_session(folder.place, way);
    if (!session.empty()) {
      m_told.changed(join_path(folder.folder, session));
    }
  } else if (watched.folder < m_folders.size() && (mask & k_new_mask) != 0) {
    take_new_folder(Watched(watched), path);
  }
}

// What is watched of a folder that has moved tells of another place.
void Follower::take_loss(const Watched& gone, bool has_moved) {
  m_is_lost = m_is_lost || has_moved || gone.folder == k_spool;
  for (Followed& followed : m_followed) {
    if (is_inside(followed.folder, gone.path)) {
      followed.is_watched = false;
      followed.reason = "it has gone";
      m_is_lost = true;
    }
  }
}

// Files may have been made before it was watched. This is the thread of the daemon: a tree that was
// unpacked here is for the pool.
void Follower::take_new_folder(const Watched& above, const std::string& path) {
  if (m_is_lost) {
    return; // everything is looked through anyway
  }
  SessionWalk walk;
  auto visit = [&](const std::string& folder) {
    int wd = m_watches.size() >= k_max_watches
                 ? -1
                 : watch_folder(m_stream.native_handle(), folder, k_session_mask);
    if (wd >= 0) {
      m_watches.insert_or_assign(wd, Watched{folder, above.folder});
    } else {
      m_is_lost = m_is_lost || m_watches.size() >= k_max_watches || watch::is_watch_limit(errno);
    }
  };
  walk_below(m_folders[above.folder], path, walk, visit, m_entries);
  m_is_lost = m_is_lost || walk.is_partial;
  for (const SessionFile& file : walk.files) {
    m_told.changed(file.path);
  }
}

asio::awaitable<void> Follower::stop() {
  m_is_stopping = true;
  m_stop.request_stop();
  if (m_stream.is_open()) {
    m_stream.close();
  }
  AWAIT_DONE(m_tasks.join());
}

} // namespace upskill::capture
