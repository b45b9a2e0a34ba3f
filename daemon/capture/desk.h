#pragma once
#include "daemon/capture/capture_rules.h"
#include "daemon/capture/follow_state.h"
#include "daemon/capture/follower.h"
#include "daemon/capture/redaction_file.h"
#include "daemon/capture/seen_files.h"
#include "daemon/capture/spool_reader.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "daemon/runtime/turns.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "protocol/types/server.h"
#include "skills/archive/archive.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upskill::capture {

struct DeskOptions {
  std::string database = {};   // path of traces.db
  std::string objects = {};    // folder of what is kept
  std::string spool = {};      // folder of the hooks' events
  std::string user_rules = {}; // path of a person's rules of redaction; need not exist
  std::function<runtime::Pool&()> pool = {};
  std::function<std::int64_t()> now_ms = {}; // Unix time
  // Where the agents of this machine keep their sessions.
  std::function<asio::awaitable<std::vector<agents::SessionFolder>>()> folders = {};
  archive::PriceOf price = {};
  FollowLimits limits = {};
  Follower::OpenInotify inotify = watch::open_inotify;
  Clock::duration tidy_every = std::chrono::hours(24);
  Clock::duration retry_after = std::chrono::minutes(1); // where the archive cannot be opened
};

// What happened since the daemon began.
struct DeskCounts {
  std::int64_t hook_events = 0;
  std::int64_t reads = 0; // of files that had changed
};

// The one way to the archive of sessions, which is opened when it is first needed, and what fills
// it by itself: where a person has switched capture on, sessions are followed and read as they
// grow.
// Owner: SkillsEngine. Thread: the daemon's; the archive's own calls are on the pool, one at a
// time. Lifetime: stop() before the destructor.
class Desk {
public:
  Desk(asio::any_io_executor executor, telemetry::Log& log, DeskOptions options);

  // Begins to follow where that was switched on before.
  void start();
  asio::awaitable<void> stop();

  // Runs `work(archive)`, which returns a Result, when it is its turn.
  template <class F> asio::awaitable<std::invoke_result_t<F&, archive::Archive&>> with(F work) {
    using R = std::invoke_result_t<F&, archive::Archive&>;
    runtime::Turns::Ticket ticket(m_turns);
    auto turn = ticket.called();
    co_await std::move(turn);
    std::optional<Error> problem;
    auto job = [this, &work, &problem]() -> R {
      if (Result<void> opened = open(); !opened) {
        problem = opened.error();
        return fail(std::move(opened).error());
      }
      return work(*m_archive);
    };
    R result = co_await runtime::offload(m_options.pool(), std::move(job));
    note(std::move(problem));
    rest_soon();
    co_return result;
  }

  // Reads one file as the capture does: where it is switched on for its session, and what takes
  // long to read does not rest from that. Whether it did. A session of a database, `file#session`,
  // is read with its file.
  asio::awaitable<Result<bool>> read_now(std::string path);

  // Reads the files that an agent (empty: any) wrote to last: what it just said may wait for its
  // turn yet.
  asio::awaitable<void> read_newest(std::string agent);

  // A hook rang: its session is read soon.
  void ring(const hook::HookEvent& event);

  // Looks anew at what is switched on, and goes on with that: then followed() is so. Not waited for
  // is that what lies there is read.
  asio::awaitable<Result<void>> follow();
  // The same, not waited for.
  void follow_soon();

  // Applies limits that changed, and all else that is done once a day, soon.
  void tidy_soon();

  // Why the archive cannot be opened, as of the last time; then nothing is kept or shown. It is
  // tried again each time it is needed, and now and then.
  const std::optional<Error>& problem() const { return m_problem; }

  const std::vector<Followed>& followed() const { return m_follower.followed(); }

  bool is_following() const { return m_is_following; }

  const DeskCounts& counts() const { return m_counts; }

  // Whose sessions are captured, and what stands in the way of it.
  void describe(StatusResult& status) const;

  std::int64_t now_ms() const { return m_options.now_ms(); }

  const DeskOptions& options() const { return m_options; }

private:
  // What open() could not read, and will not read again as it is.
  struct BrokenRules {
    FileState file;
    Error error;
  };

  Result<void> open();
  Result<void> look_for_outdated();
  void note(std::optional<Error> problem);
  void rest_soon();
  asio::awaitable<void> rest();
  asio::awaitable<void> begin();
  asio::awaitable<Result<void>> follow_anew();
  asio::awaitable<void> follow_loop();
  asio::awaitable<void> follow_once();
  asio::awaitable<Result<SessionWalk>> watch_all();
  asio::awaitable<void> look_at_all();
  asio::awaitable<void> read_spool();
  asio::awaitable<void> tidy_loop();
  asio::awaitable<void> tidy();
  std::string agent_of(const std::string& path) const;
  asio::awaitable<bool> repair();
  bool tell(const Result<archive::Repaired>& repaired);
  void wake();

  telemetry::Log& m_log;
  DeskOptions m_options;
  runtime::Turns m_turns;
  // Of whoever has the turn, on the pool.
  std::optional<archive::Archive> m_archive;
  FileState m_rules_file = {};
  std::optional<BrokenRules> m_broken_rules = {};
  bool m_is_outdated = false;      // sessions were scanned with other rules than these
  std::string m_scanned_with = {}; // version of the rules; what is outdated then cannot be scanned

  runtime::Turns m_spool_turns;
  std::optional<SpoolReader> m_spool;
  FollowState m_state;
  SeenFiles m_seen;
  Follower m_follower;
  runtime::Turns m_follow_turns;
  std::vector<store::CaptureRule> m_rules = {};
  std::vector<agents::SessionFolder> m_folders = {};
  std::optional<SessionWalk> m_found = {}; // by follow(), and not yet read
  DeskCounts m_counts = {};
  std::optional<Error> m_problem = {};
  bool m_is_following = false;
  bool m_has_loop = false;
  bool m_is_tidying = false;
  bool m_is_tidy_due = false;
  bool m_is_stopping = false;
  std::stop_source m_stop;
  std::optional<Clock::time_point> m_audit = {};
  runtime::Condition m_woken;
  runtime::Alarm m_alarm;
  runtime::Alarm m_rest;
  runtime::Alarm m_day;   // when it is tidied up again
  runtime::Alarm m_again; // when what failed is tried again
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::capture
