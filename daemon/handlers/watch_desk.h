#pragma once
#include "daemon/handlers/watch_subject.h"
#include "daemon/handlers/watch_teller.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/turns.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::daemon {

// Which address a watched skill's result has: `eval://NAME`, `eval://project-1a2b3c4d/NAME`.
std::string watch_uri(const SkillKey& skill);

// Holds every version of a skill against the one that a person has accepted. A skill that was
// written to is read once it has settled; where it is another version than before, a test of the
// older one ends and its own begins, one skill after the other.
// Owner: SkillsEngine. Thread: the daemon's. Lifetime: stop() before the destructor.
class WatchDesk {
public:
  explicit WatchDesk(WatchRoom room);

  // Skills that have an accepted version are looked at: they may have changed meanwhile.
  void start();
  asio::awaitable<void> stop();

  // Something of these skills was written, and has settled. Costs nothing where none is watched.
  void changed(const std::set<SkillKey>& skills);

  Awaitable<EvalAcceptResult> accept(EvalAcceptParams params, RequestContext context);
  // Goes on with tests that wait for a word, or begins them anew; what that costs was agreed to.
  Awaitable<WatchResult> run(WatchRunParams params, RequestContext context);
  // Ends the tests of a skill that are under way.
  Awaitable<WatchResult> cancel(WatchCancelParams params, RequestContext context);
  // What is known of watched skills; waits for news where it is asked to.
  Awaitable<WatchResult> watch(WatchParams params, RequestContext context);

  // As JSON, for a resource; nothing where it is not watched.
  std::optional<std::string> result_of(std::string_view uri) const;

private:
  struct Watched {
    WatchedSkill told = {};
    std::shared_ptr<const WatchExam> exam = {}; // where there is something to be tested
    std::optional<runtime::TaskId> test = {};
    std::uint64_t tests = 0; // that were begun: what an older one says is not told
    bool is_looking = false;
    bool look_again = false;
  };

  asio::awaitable<void> begin();
  Awaitable<WatchResult> report(std::string skill, bool is_known, RequestContext context);
  // `together`: how many skills changed at once.
  asio::awaitable<void> look(SkillKey skill, std::size_t together);
  void
  take_on(const SkillKey& skill, Watched& watched, Result<std::shared_ptr<const WatchExam>> exam);
  void begin_test(Watched& watched, std::shared_ptr<const WatchExam> exam);
  asio::awaitable<void> test(std::shared_ptr<const WatchExam> exam, std::uint64_t number);
  void set_verdict(Watched& watched);
  void tell(const SkillKey& skill);
  bool is_newest(const SkillKey& skill, std::uint64_t number) const;

  regression::Ledger m_ledger = {};
  WatchRoom m_room;
  std::map<SkillKey, Watched> m_skills = {};
  std::uint64_t m_generation = 1;
  bool m_is_stopping = false;
  std::optional<Error> m_problem = {}; // of the store
  WatchTeller m_teller;
  runtime::Condition m_news;
  runtime::Turns m_turns; // of tests
  runtime::TaskGroup m_tasks;
};

// The desk outlives the binder.
void bind_watch_handlers(Binder& binder, WatchDesk& desk);

} // namespace upskill::daemon
