#include "daemon/handlers/watch_desk.h"

#include "daemon/await.h"
#include "daemon/handlers/counted.h"
#include "daemon/handlers/watch_history.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"
#include "skills/library/skill_uri.h"
#include "skills/store/regression_store.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_most_watched = 10'000;
constexpr std::int64_t k_longest_wait_ms = 30'000;
constexpr std::size_t k_most_unaccepted = 256; // that are remembered
constexpr std::size_t k_most_at_once = 20;     // of these; more are no edit of a person
constexpr std::size_t k_reading_at_once = 4;   // sync and agents have the pool, too
constexpr std::size_t k_few_tests = 8;         // beside which a version may be written down
constexpr std::size_t k_noted_at_once = 256;   // before what is too much of them is thrown away
constexpr auto k_look_limit = std::chrono::seconds(5);

} // namespace

std::string watch_uri(const SkillKey& skill) {
  std::string uri = library::skill_prefix(skill.first, skill.second);
  uri.replace(0, uri.find("://"), "eval");
  uri.pop_back(); // the slash
  return uri;
}

WatchDesk::WatchDesk(WatchRoom room)
    : m_room{room.library, room.http, room.journal, &m_ledger}
    , m_teller(room.library.service().context())
    , m_news(room.library.service().context().io.get_executor())
    , m_turns(room.library.service().context().io.get_executor())
    , m_reading(room.library.service().context().io.get_executor(), k_reading_at_once)
    , m_tasks(room.library.service().context().io.get_executor(), [this](std::exception_ptr) {
      m_room.library.service().context().log.error("a watched skill could not be looked at");
    }) {}

void WatchDesk::start() {
  // Who has accepted nothing has no database to open for it.
  const std::string path = m_room.library.service().context().places.state + "/evals.db";
  if (::access(path.c_str(), F_OK) == 0) {
    m_tasks.start(begin());
  }
}

asio::awaitable<void> WatchDesk::stop() {
  m_is_stopping = true;
  m_news.notify_all();
  m_tasks.cancel_all();
  co_await m_tasks.join();
  AWAIT_DONE(m_teller.stop());
}

asio::awaitable<void> WatchDesk::begin() {
  std::int64_t now_ms = m_room.journal.now_ms();
  std::vector<store::SpendingRow> spent;
  auto list = [&](store::EvalStore& store) -> Result<std::vector<store::AcceptedRow>> {
    store::RegressionStore watched(store);
    TRY_ASSIGN(spent, watched.spendings(now_ms - regression::Ledger::k_day));
    return watched.list_accepted({}, k_most_watched);
  };
  AWAIT(Result<std::vector<store::AcceptedRow>> rows, m_room.journal.with(std::move(list)));
  if (!rows) {
    m_problem = std::move(rows).error();
    co_return;
  }
  for (const store::SpendingRow& row : spent) {
    m_ledger.spend(row.skill, row.time_ms, {row.usd, row.tokens, row.runs}, now_ms);
  }
  for (const store::AcceptedRow& row : *rows) {
    SkillKey skill = skill_of(row.skill);
    Watched& watched = m_skills[skill];
    watched.is_accepted = true;
    begin_look(skill, watched);
  }
}

// One that nobody has accepted a version of is worth a look where somebody writes it. A checkout,
// or the first sync of a folder, is no such moment.
bool WatchDesk::takes(const SkillKey& skill, std::size_t together) {
  if (m_skills.contains(skill)) {
    return true;
  }
  if (together > k_most_at_once) {
    return false;
  }
  m_unaccepted.push_back(skill);
  if (m_unaccepted.size() > k_most_unaccepted) {
    auto oldest = m_skills.find(m_unaccepted.front());
    if (oldest != m_skills.end() && oldest->second.is_looking) {
      m_unaccepted.pop_back();
      return false;
    }
    if (oldest != m_skills.end() && !oldest->second.is_accepted) {
      m_skills.erase(oldest);
    }
    m_unaccepted.pop_front();
  }
  return true;
}

void WatchDesk::changed(const std::set<SkillKey>& skills) {
  if (m_is_stopping) {
    return;
  }
  for (const SkillKey& skill : skills) {
    if (takes(skill, skills.size())) {
      begin_look(skill, m_skills[skill]);
    }
  }
}

void WatchDesk::begin_look(const SkillKey& skill, Watched& watched) {
  watched.look_again = watched.is_looking;
  if (!watched.is_looking) {
    watched.is_looking = true;
    watched.before = std::exchange(watched.told.state, WatchState::looking);
    m_tasks.start(look(skill));
  }
}

// What a version was costs another reading of its folder, and writing it down: a checkout is looked
// at and planned first.
void WatchDesk::note(const WatchExam& exam) {
  m_unnoted.insert_or_assign(exam.skill, Unnoted{exam.folder, exam.version.hash});
  if (!m_is_noting) {
    m_is_noting = true;
    m_tasks.start(note_all());
  }
}

asio::awaitable<void> WatchDesk::note_all() {
  std::size_t noted = 0;
  while (!m_unnoted.empty()) {
    auto is_time = [this] { return m_looks == 0 && m_tests <= k_few_tests; };
    AWAIT_DONE(m_news.wait_until(std::move(is_time), k_look_limit));
    auto [skill, version] = *m_unnoted.begin();
    m_unnoted.erase(m_unnoted.begin());
    AWAIT(bool is_new, note_version(m_room, skill, version.folder, version.hash));
    noted += is_new ? 1 : 0;
    if (noted == k_noted_at_once || (noted > 0 && m_unnoted.empty())) {
      noted = 0;
      AWAIT_DONE(forget_versions(m_room));
    }
  }
  m_is_noting = false;
  AWAIT_DONE(rest());
}

// Closes the database behind the last of all: opening it again reads all of it.
asio::awaitable<void> WatchDesk::rest() {
  if (m_looks + m_tests == 0 && !m_is_noting) {
    m_room.http.rest();
    AWAIT_DONE(m_room.journal.rest());
  }
}

void WatchDesk::tell(const SkillKey& skill) {
  ++m_generation;
  m_skills[skill].told.at = rfc3339(m_room.journal.now_ms());
  m_news.notify_all();
  std::string uri = watch_uri(skill);
  m_room.library.service().context().tell({mcp::Change::resources, uri});
  const WatchedSkill& told = m_skills[skill].told;
  m_teller.take(told, static_cast<std::size_t>(told.errors));
}

asio::awaitable<void> WatchDesk::look(SkillKey skill) {
  {
    Counted look(m_looks);
    AWAIT_DONE(look_until_it_rests(skill));
  }
  m_skills[skill].is_looking = false;
  m_news.notify_all();
  AWAIT_DONE(rest());
}

// Reads what a skill is now, once more where it was written to meanwhile.
asio::awaitable<void> WatchDesk::look_until_it_rests(const SkillKey& skill) {
  Watched& watched = m_skills[skill];
  do {
    Result<std::shared_ptr<const WatchExam>> exam = nullptr;
    {
      runtime::Turns::Ticket reading(m_reading);
      AWAIT_DONE(reading.called());
      watched.look_again = false;
      AWAIT(exam, open_exam(m_room, skill, watched.is_accepted));
    }
    if (m_is_stopping) {
      co_return;
    }
    take_on(skill, watched, exam);
    if (exam && (*exam)->accepted) {
      note(**exam);
    }
  } while (watched.look_again);
}

Awaitable<EvalAcceptResult> WatchDesk::accept(EvalAcceptParams params, RequestContext context) {
  SkillKey skill;
  AWAIT(Result<EvalAcceptResult> result,
        accept_skill(m_room, std::move(params), std::move(context), skill));
  if (result && !result->dry_run) {
    Watched& watched = m_skills[skill];
    watched.is_accepted = true;
    changed({skill});
    // Who asks right behind it is told of it.
    auto is_seen = [this, &watched] { return m_is_stopping || !watched.is_looking; };
    AWAIT_DONE(m_news.wait_until(std::move(is_seen), k_look_limit));
  }
  co_return result;
}

Awaitable<WatchResult> WatchDesk::run(WatchRunParams params, RequestContext context) {
  bool is_known = false;
  for (auto& [skill, watched] : m_skills) {
    if (skill.second != params.skill || !watched.is_accepted) {
      continue;
    }
    is_known = true;
    if (!watched.exam || watched.test) { // there is nothing to test, or it is under way
      continue;
    }
    auto exam = std::make_shared<WatchExam>(*watched.exam);
    exam->settings.mode = regression::WatchMode::automatic;
    exam->was_told_to = true;
    ++watched.tests;
    begin_test(watched, std::move(exam));
    tell(skill);
  }
  AWAIT(Result<WatchResult> result, report(params.skill, is_known, std::move(context)));
  co_return result;
}

Awaitable<WatchResult> WatchDesk::cancel(WatchCancelParams params, RequestContext context) {
  bool is_known = false;
  for (auto& [skill, watched] : m_skills) {
    if (skill.second != params.skill || !watched.is_accepted) {
      continue;
    }
    is_known = true;
    if (watched.test) {
      std::shared_ptr<const WatchExam> exam = watched.exam;
      end_test(watched);
      watched.exam = std::move(exam); // `run` goes on with it
      watched.told.state = WatchState::waiting;
      watched.told.reason = WatchReason::cancelled;
      watched.told.why = "a person has ended the test";
      tell(skill);
    }
  }
  AWAIT(Result<WatchResult> result, report(params.skill, is_known, std::move(context)));
  co_return result;
}

Awaitable<WatchResult> WatchDesk::report(std::string skill, bool is_known, RequestContext context) {
  if (!is_known) {
    co_return fail(ErrorCode::not_found,
                   "the skill " + in_backticks(skill) + " is not watched",
                   "`upskill watch status` shows which ones are; `upskill eval accept` adds one");
  }
  WatchParams all;
  all.skill.push_back(std::move(skill));
  AWAIT(Result<WatchResult> result, watch(std::move(all), std::move(context)));
  co_return result;
}

Awaitable<WatchResult> WatchDesk::watch(WatchParams params, RequestContext context) {
  std::int64_t wait_ms = std::clamp<std::int64_t>(params.wait_ms.value_or(0), 0, k_longest_wait_ms);
  if (params.after) {
    const auto after = static_cast<std::uint64_t>(std::max<std::int64_t>(*params.after, 0));
    context.release();
    auto is_news = [this, after] { return m_is_stopping || m_generation > after; };
    AWAIT_DONE(m_news.wait_until(std::move(is_news), std::chrono::milliseconds(wait_ms)));
  }
  WatchResult result;
  result.generation = static_cast<std::int64_t>(m_generation);
  for (const auto& [skill, watched] : m_skills) {
    bool is_asked =
        params.skill.empty() || std::ranges::find(params.skill, skill.second) != params.skill.end();
    const bool is_there = watched.is_accepted || watched.told.state != WatchState::gone;
    if (is_asked && is_there && !watched.told.skill.empty()) {
      result.skills.push_back(watched.told);
    }
  }
  if (m_problem) {
    result.warnings.push_back("no skill is watched: " + m_problem->message);
  }
  if (m_teller.problem()) {
    result.warnings.push_back(*m_teller.problem());
  }
  co_return result;
}

std::optional<std::string> WatchDesk::result_of(std::string_view uri) const {
  for (const auto& [skill, watched] : m_skills) {
    if (watch_uri(skill) == uri && !watched.told.skill.empty()) {
      return encode(watched.told);
    }
  }
  return std::nullopt;
}

void bind_watch_handlers(Binder& binder, WatchDesk& desk) {
  binder.on(k_eval_accept, [&desk](EvalAcceptParams params, RequestContext context) {
    return desk.accept(std::move(params), std::move(context));
  });
  binder.on(k_watch_run, [&desk](WatchRunParams params, RequestContext context) {
    return desk.run(std::move(params), std::move(context));
  });
  binder.on(k_watch_cancel, [&desk](WatchCancelParams params, RequestContext context) {
    return desk.cancel(std::move(params), std::move(context));
  });
  binder.on(k_watch_status, [&desk](WatchParams params, RequestContext context) {
    return desk.watch(std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
