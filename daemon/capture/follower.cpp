#include "daemon/capture/follower.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/watch/inotify.h"
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
constexpr std::uint32_t k_session_mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t k_spool_mask = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t k_anchor_mask = IN_CREATE | IN_MOVED_TO;
constexpr std::size_t k_read_bytes = 64u << 10;
constexpr int k_reads_at_once = 4;

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Links on the way are followed: the folder of an agent may be one.
int watch_folder(int inotify, const std::string& path, std::uint32_t mask) {
  return ::inotify_add_watch(inotify, path.c_str(), mask | IN_MASK_ADD | IN_ONLYDIR);
}

} // namespace

struct Follower::Look {
  UniqueFd inotify;
  std::unordered_map<int, Watched> watches = {};
  std::vector<Followed> followed = {};
  SessionWalk walk = {};
};

Follower::Follower(asio::any_io_executor executor, std::function<runtime::Pool&()> pool, Told told)
    : m_pool(std::move(pool))
    , m_told(std::move(told))
    , m_stream(executor)
    , m_walked(executor)
    , m_tasks(executor, [](std::exception_ptr failure) { std::rethrow_exception(failure); }) {}

// A new instance each time: what the old one watched is forgotten with it.
Result<Follower::Look> Follower::look(const std::vector<agents::SessionFolder>& folders,
                                      const std::string& spool,
                                      std::stop_token stop) const {
  Look found;
  TRY_ASSIGN(found.inotify, watch::open_inotify());
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const agents::SessionFolder& folder = folders[i];
    Followed& followed = found.followed.emplace_back(Followed{folder.agent, folder.folder});
    std::size_t before = found.walk.files.size();
    auto visit = [&](const std::string& path) {
      bool is_over = found.watches.size() >= k_max_watches;
      int wd = is_over ? -1 : watch_folder(found.inotify.get(), path, k_session_mask);
      if (wd >= 0) {
        found.watches.insert_or_assign(wd, Watched{path, i});
      } else if (is_over || watch::is_watch_limit(errno)) {
        followed.reason = "too many folders to watch: looked through every hour";
      }
    };
    if (is_folder(folder.folder)) {
      followed.is_watched = true;
      walk_sessions(folder, found.walk, stop, visit);
      followed.is_watched = followed.reason.empty();
    } else {
      followed.reason = "there is no such folder yet";
      std::string above = folder.folder;
      while (above != "/" && !is_folder(above)) {
        above = parent_path(above);
      }
      int wd = above == "/" ? -1 : watch_folder(found.inotify.get(), above, k_anchor_mask);
      if (wd >= 0) {
        found.watches.try_emplace(wd, Watched{above, k_anchor}); // it may hold sessions of another
      }
    }
    followed.files = found.walk.files.size() - before;
  }
  if (!spool.empty()) {
    int wd = watch_folder(found.inotify.get(), spool, k_spool_mask);
    if (wd >= 0) {
      found.watches.insert_or_assign(wd, Watched{spool, k_spool});
    }
  }
  return found;
}

asio::awaitable<Result<SessionWalk>> Follower::watch(std::vector<agents::SessionFolder> folders,
                                                     std::string spool) {
  while (m_is_walking) {
    AWAIT_DONE(m_walked.wait());
  }
  m_is_walking = true;
  auto job = [&]() -> Result<Look> { return look(folders, spool, m_stop.get_token()); };
  Result<Look> found = fail(ErrorCode::internal, "nobody looked");
  try {
    AWAIT(found, runtime::offload(m_pool(), std::move(job)));
  } catch (...) {
    m_is_walking = false;
    m_walked.notify_all();
    throw;
  }
  m_is_walking = false;
  m_walked.notify_all();
  CO_TRY(found);
  if (m_is_stopping) {
    co_return fail(ErrorCode::cancelled, "the daemon is stopping");
  }
  bool was_open = m_stream.is_open();
  if (was_open) {
    m_stream.close(); // the loop that reads it ends
  }
  m_stream.assign(found->inotify.release());
  m_watches = std::move(found->watches);
  m_folders = std::move(folders);
  m_followed = std::move(found->followed);
  m_tasks.start(read_loop());
  co_return std::move(found->walk);
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
  bool is_lost = false;
  for (int reads = 0; reads < k_reads_at_once; ++reads) {
    ssize_t bytes = ::read(m_stream.native_handle(), buffer.get(), k_read_bytes);
    if (bytes <= 0) {
      break;
    }
    watch::EventReader events({buffer.get(), static_cast<std::size_t>(bytes)});
    while (std::optional<watch::RawEvent> event = events.next()) {
      is_lost = is_lost || (event->mask & IN_Q_OVERFLOW) != 0;
      take(event->wd, event->mask, event->name);
    }
  }
  if (is_lost) {
    m_told.lost();
  }
}

void Follower::take(int wd, std::uint32_t mask, std::string_view name) {
  auto found = m_watches.find(wd);
  if (found == m_watches.end()) {
    return;
  }
  if ((mask & IN_IGNORED) != 0) {
    m_watches.erase(found);
    return;
  }
  const Watched& watched = found->second;
  std::string path = join_path(watched.path, name);
  // A folder that was waited for, on its whole way.
  if ((mask & IN_ISDIR) != 0 && (mask & k_anchor_mask) != 0) {
    bool is_awaited = std::ranges::any_of(m_followed, [&](const Followed& one) {
      return !one.is_watched && is_inside(one.folder, path);
    });
    if (is_awaited) {
      m_told.lost();
      return;
    }
    if (watched.folder < m_folders.size()) {
      take_new_folder(Watched(watched), path);
    }
    return;
  }
  if (watched.folder == k_spool) {
    m_told.changed(path);
  } else if (watched.folder < m_folders.size()) {
    const agents::SessionFolder& folder = m_folders[watched.folder];
    if (agents::is_session_file(folder.place, relative_path(path, folder.folder))) {
      m_told.changed(path);
    }
  }
}

// Files may have been made before it was watched.
void Follower::take_new_folder(const Watched& above, const std::string& path) {
  SessionWalk walk;
  auto visit = [&](const std::string& folder) {
    int wd = m_watches.size() >= k_max_watches
                 ? -1
                 : watch_folder(m_stream.native_handle(), folder, k_session_mask);
    if (wd >= 0) {
      m_watches.insert_or_assign(wd, Watched{folder, above.folder});
    }
  };
  walk_below(m_folders[above.folder], path, walk, visit);
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
