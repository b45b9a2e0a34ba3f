#pragma once
#include "daemon/handlers/watch_burst.h"
#include "daemon/handlers/watch_subject.h"
#include "daemon/handlers/watch_teller.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/turns.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace upskill::daemon {

// Which address a watched skill's result has: `eval://NAME`, `eval://project-1a2b3c4d/NAME`.
std::string watch_uri(const SkillKey& skill);

// Looks at every skill that was written to, once it has settled, and holds those of which a person
// has accepted a version against it: where it is another version than before, a test of the older
// one ends and its own begins, one skill after the other.
// Owner: SkillsEngine. Thread: the daemon's. Lifetime: stop() before the destructor.
class WatchDesk {
public:
  explicit WatchDesk(WatchRoom room);

  // Skills that have an accepted version are looked at: they may have changed meanwhile.
  void start();
  asio::awaitable<void> stop();

  // Something of these skills was written, and has settled.
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
  static constexpr std::int64_t k_haste = 2'000; // ms

  struct Watched {
    WatchedSkill told = {};
    std::shared_ptr<const WatchExam> exam = {}; // where there is something to be tested
    std::optional<runtime::TaskId> test = {};
    std::uint64_t tests = 0;  // that were begun: what an older one says is not told
    bool is_accepted = false; // a version of it was
    bool is_hasty = false;    // its versions follow each other faster than tests are worth it
    std::int64_t changed_ms = -k_haste; // when the last one was met, on a clock that only goes on
    bool is_asking = false;             // its test asks models, without anybody's word
    bool is_looking = false;
    WatchState before = WatchState::idle; // it was looked at
    bool look_again = false;
  };

  // A version that is to be written down for the history of its skill.
  struct Unnoted {
    std::string folder;
    Digest hash;
  };

  asio::awaitable<void> begin();
  Awaitable<WatchResult> report(std::string skill, bool is_known, RequestContext context);
  // Whether something is kept of a skill, as from now on.
  bool takes(const SkillKey& skill, std::size_t together);
  void begin_look(const SkillKey& skill, Watched& watched);
  asio::awaitable<void> look(SkillKey skill);
  asio::awaitable<void> look_until_it_rests(const SkillKey& skill);
  void note(const WatchExam& exam);
  asio::awaitable<void> note_all();
  asio::awaitable<void> rest();
  void
  take_on(const SkillKey& skill, Watched& watched, Result<std::shared_ptr<const WatchExam>> exam);
  void begin_test(Watched& watched, std::shared_ptr<const WatchExam> exam);
  void end_test(Watched& watched);
  void hold_burst();
  asio::awaitable<void> come_to_rest(const WatchExam& exam);
  // The exam as it is made: with its look counted, and without asking anybody where too many skills
  // were changed at once.
  asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
  prepare(std::shared_ptr<const WatchExam> planned);
  asio::awaitable<void> test(std::shared_ptr<const WatchExam> planned, std::uint64_t number);
  // Prepared and examined, in the line of those that ask models where it is one; its report is told
  // where it is still the newest.
  asio::awaitable<void> examine_in_turn(std::shared_ptr<const WatchExam> planned,
                                        std::uint64_t number);
  asio::awaitable<std::vector<WatchedSubject>> examine(std::shared_ptr<const WatchExam> exam,
                                                       std::uint64_t number);
  // The verdicts that are kept; nothing where one is missing.
  asio::awaitable<std::optional<std::vector<WatchedSubject>>>
  recall(std::shared_ptr<const WatchExam> exam);
  void tell(const SkillKey& skill);
  bool is_newest(const SkillKey& skill, std::uint64_t number) const;

  regression::Ledger m_ledger = {};
  WatchRoom m_room;
  std::map<SkillKey, Watched> m_skills = {};
  std::deque<SkillKey> m_unaccepted = {}; // of these, by when they were met
  WatchBurst m_burst = {};
  std::map<SkillKey, Unnoted> m_unnoted = {};
  bool m_is_noting = false;
  std::size_t m_looks = 0; // under way
  std::size_t m_tests = 0; // under way, or in line
  std::uint64_t m_generation = 1;
  bool m_is_stopping = false;
  std::optional<Error> m_problem = {}; // of the store
  WatchTeller m_teller;
  runtime::Condition m_news;
  runtime::Turns m_turns;   // of tests that may ask models
  runtime::Turns m_reading; // a few at a time: looks, and tests that read what is kept
  runtime::TaskGroup m_tasks;
};

// The desk outlives the binder.
void bind_watch_handlers(Binder& binder, WatchDesk& desk);

} // namespace upskill::daemon
