#pragma once
#include "daemon/engine.h"
#include "daemon/handlers/watch_news.h"
#include "daemon/runtime/child_process.h"
#include "daemon/runtime/task_group.h"
#include "daemon/sync/listed.h"
#include "protocol/types/watch_reports.h"
#include "skills/config/config.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::daemon {

// Tells a person what is new of watched skills: a message on the screen by notify-send, and a
// program of their own. What was told is kept over restarts, in `watch_told.json` of the state
// directory. Only the user's own configuration says what runs, and it is read anew each time.
// Owner: WatchDesk. Thread: the daemon's. Lifetime: stop() before the destructor.
class WatchTeller {
public:
  static constexpr runtime::Clock::duration k_hook_limit = std::chrono::seconds(30);

  explicit WatchTeller(const EngineContext& context,
                       Environment environment = process_environment(),
                       runtime::Clock::duration hook_limit = k_hook_limit);

  // What is known of a skill now, of whose problems the first `errors` keep it from being used.
  // Returns at once; of several before it is looked at, the last counts.
  void take(const WatchedSkill& skill, std::size_t errors);

  // Ends what runs. What was not told by then is told after the next start.
  asio::awaitable<void> stop();

  // What keeps the person's own program from being run; a sentence.
  const std::optional<std::string>& problem() const { return m_problem; }

private:
  struct Taken {
    WatchedSkill skill;
    std::size_t errors = 0;
  };

  // What the person has for it.
  struct Means {
    config::Watch watch = {};
    std::string notify_send = {}; // its path; empty: there is none
    bool has_session = false;     // somebody shows messages
  };

  asio::awaitable<void> work();
  asio::awaitable<void> run_hooks();
  asio::awaitable<void> read_file();
  asio::awaitable<void> write_file();
  asio::awaitable<void> show(std::vector<Popup> popups);
  asio::awaitable<void> run_hook(WatchedSkill skill, std::vector<std::string> words);
  std::vector<Popup> sort();
  void put_hook(const SkillKey& key, WatchedSkill skill);
  asio::awaitable<Result<Means>> means();
  asio::awaitable<std::string> said_first(runtime::ChildEnd end);
  std::vector<std::string> environment_of_child() const;
  void set_problem(std::string problem);
  void tell_once(std::string why);

  const EngineContext& m_context;
  Environment m_environment;
  runtime::Clock::duration m_hook_limit;
  std::map<SkillKey, Taken> m_taken = {};
  std::map<SkillKey, ToldSkill> m_told = {};
  std::deque<std::pair<SkillKey, WatchedSkill>> m_hooks = {}; // one of each skill
  bool m_is_read = false;
  bool m_is_changed = false; // m_told, since it was written
  bool m_is_working = false;
  bool m_is_running_hooks = false;
  bool m_is_stopping = false;
  std::optional<std::string> m_problem = {};
  std::string m_why_silent = {}; // why nothing is on the screen; told already
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::daemon
