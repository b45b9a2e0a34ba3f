#pragma once
#include "daemon/capture/session_walk.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/task_group.h"
#include "daemon/watch/inotify.h"
#include "protocol/base/result.h"
#include "skills/agents/resolve.h"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace upskill::capture {

// Of all folders together; what is over it is only found by looking (facts: SpecStory ran out).
inline constexpr std::size_t k_max_watches = 4096;

// How one folder is followed.
struct Followed {
  std::string agent;
  std::string folder;
  std::size_t files = 0;
  bool is_there = false;
  bool is_watched = false;
  std::string reason = {}; // why not; or what of it cannot be looked into
  bool is_partial = false; // something in it changes without being told of
};

// Says which sessions were written to, by inotify on the folders that hold them. It opens no file
// and writes nothing; what was missed, and what cannot be watched, is the owner's to look through.
// The ways to the folders are watched as well, so that one which goes and comes again is a loss.
// Owner: the desk. Thread: the daemon's; walking is on the pool. Lifetime: stop() before the
// destructor.
class Follower {
public:
  struct Told {
    std::function<void(const std::string& path)> changed; // a session, or an entry of the spool
    std::function<void()> lost;                           // anything may have changed: look, watch
  };

  using OpenInotify = std::function<Result<UniqueFd>()>;

  Follower(asio::any_io_executor executor,
           std::function<runtime::Pool&()> pool,
           Told told,
           OpenInotify open = watch::open_inotify);

  // From now on follows these folders and no others, and `spool`, unless that is empty. Returns
  // what lies there now, also where it cannot be watched: whatever changes later is told of,
  // unless is_partial(). Calls come one after the other.
  asio::awaitable<Result<SessionWalk>> watch(std::vector<agents::SessionFolder> folders,
                                             std::string spool);

  const std::vector<Followed>& followed() const { return m_followed; }

  // Whether not all of it is watched: then it is to be looked through now and then.
  bool is_partial() const { return m_is_partial; }

  asio::awaitable<void> stop();

private:
  static constexpr std::size_t k_spool = static_cast<std::size_t>(-1);
  static constexpr std::size_t k_way = static_cast<std::size_t>(-2); // to a folder of sessions

  struct Watched {
    std::string path;
    std::size_t folder; // in m_folders, or one of the above
  };

  struct Look; // what the pool found

  Look look(const std::vector<agents::SessionFolder>& folders,
            const std::string& spool,
            std::stop_token stop) const;
  static void look_into(const agents::SessionFolder& folder,
                        std::size_t index,
                        Look& found,
                        const std::stop_token& stop);
  asio::awaitable<void> read_loop();
  void drain();
  void take(int wd, std::uint32_t mask, std::string_view name);
  void take_loss(const Watched& gone, bool has_moved);
  void take_new_folder(const Watched& above, const std::string& path);

  std::function<runtime::Pool&()> m_pool;
  Told m_told;
  OpenInotify m_open;
  asio::posix::stream_descriptor m_stream;
  std::vector<agents::SessionFolder> m_folders = {};
  std::vector<Followed> m_followed = {};
  std::unordered_map<int, Watched> m_watches = {};
  bool m_is_partial = false;
  bool m_is_lost = false;    // told at the end of a drain
  std::size_t m_entries = 0; // of new folders that this drain may still look at
  bool m_is_walking = false;
  bool m_is_stopping = false;
  std::stop_source m_stop;
  runtime::Condition m_walked;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::capture
