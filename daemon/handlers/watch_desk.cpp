#include "daemon/handlers/watch_desk.h"

#include "daemon/await.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"
#include "skills/library/skill_uri.h"
#include "skills/regression/verdict.h"
#include "skills/store/regression_store.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_most_watched = 10'000;
constexpr std::int64_t k_longest_wait_ms = 30'000;
constexpr auto k_look_limit = std::chrono::seconds(5);

SkillKey skill_of(std::string_view key) {
  std::size_t end = key.find('\n');
  return end == std::string_view::npos
             ? SkillKey{"", std::string(key)}
             : SkillKey{std::string(key.substr(0, end)), std::string(key.substr(end + 1))};
}

std::string words_of(const regression::ChangedParts& changed) {
  std::string words;
  for (regression::SkillPart part : changed.parts) {
    words += (words.empty() ? "" : ", ") + std::string(regression::part_word(part));
  }
  return words;
}

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
  std::set<SkillKey> skills;
  for (const store::AcceptedRow& row : *rows) {
    SkillKey skill = skill_of(row.skill);
    m_skills.try_emplace(skill);
    skills.insert(std::move(skill));
  }
  changed(skills);
}

void WatchDesk::changed(const std::set<SkillKey>& skills) {
  for (const SkillKey& skill : skills) {
    auto found = m_skills.find(skill);
    if (found == m_skills.end() || m_is_stopping) {
      continue;
    }
    found->second.look_again = found->second.is_looking;
    if (!found->second.is_looking) {
      found->second.is_looking = true;
      m_tasks.start(look(skill, skills.size()));
    }
  }
}

void WatchDesk::tell(const SkillKey& skill) {
  ++m_generation;
  m_skills[skill].told.at = rfc3339(m_room.journal.now_ms());
  m_news.notify_all();
  std::string uri = watch_uri(skill);
  m_room.library.service().context().tell({mcp::Change::resources, uri});
  m_teller.take(m_skills[skill].told, 0);
}

bool WatchDesk::is_newest(const SkillKey& skill, std::uint64_t number) const {
  auto found = m_skills.find(skill);
  return found != m_skills.end() && found->second.tests == number;
}

// Reads what a skill is now, once more where it was written to meanwhile.
asio::awaitable<void> WatchDesk::look(SkillKey skill, std::size_t together) {
  Watched& watched = m_skills[skill];
  do {
    watched.look_again = false;
    AWAIT(Result<std::shared_ptr<const WatchExam>> exam, open_exam(m_room, skill, together));
    take_on(skill, watched, std::move(exam));
    AWAIT_DONE(m_room.journal.rest());
  } while (watched.look_again);
  watched.is_looking = false;
  m_news.notify_all();
}

// A test of the version before ends where it is another one.
void WatchDesk::take_on(const SkillKey& skill,
                        Watched& watched,
                        Result<std::shared_ptr<const WatchExam>> exam) {
  WatchedSkill& told = watched.told;
  if (exam && told.hash == (*exam)->version.hash.hex()
      && told.accepted == (*exam)->accepted.hex()) {
    return; // the same version, in one more folder
  }
  if (watched.test) {
    m_tasks.cancel(*watched.test);
    watched.test.reset();
  }
  ++watched.tests;
  watched.exam.reset();
  told = {skill.second, skill.first};
  if (!exam) {
    told.state = exam.error().code == ErrorCode::not_found ? WatchState::gone : WatchState::idle;
    told.reason = WatchReason::errors;
    told.why = exam.error().message;
    return tell(skill);
  }
  const WatchExam& now = **exam;
  told.hash = now.version.hash.hex();
  told.accepted = now.accepted.hex();
  told.mode = regression::mode_word(now.settings.mode.value_or(regression::WatchMode::ask));
  told.problems = now.problems;
  for (regression::SkillPart part : now.changed.parts) {
    told.changed.emplace_back(regression::part_word(part));
  }
  if (now.version.hash == now.accepted || now.needed.none()) {
    told.verdict = WatchVerdict::ok;
    told.reason = WatchReason::held;
    told.why = now.version.hash == now.accepted ? "it is the accepted version"
                                                : "nothing was changed that an agent notices";
  } else if (now.settings.mode == regression::WatchMode::off) {
    told.reason = WatchReason::waiting;
    told.why = "it is not watched: its mode is `off`";
  } else {
    watched.exam = *exam;
    begin_test(watched, *exam);
  }
  tell(skill);
}

void WatchDesk::begin_test(Watched& watched, std::shared_ptr<const WatchExam> exam) {
  watched.told.state = WatchState::testing;
  watched.told.reason = WatchReason::unfinished;
  watched.told.why = words_of(exam->changed) + " changed";
  runtime::TaskId task = m_tasks.start(test(std::move(exam), watched.tests));
  if (watched.told.state == WatchState::testing) { // else it is over already
    watched.test = task;
  }
}

// Of all subjects, and what it is waiting for.
void WatchDesk::set_verdict(Watched& watched) {
  std::vector<regression::SubjectVerdict> verdicts;
  for (const WatchedSubject& one : watched.told.subjects) {
    std::string name = in_backticks(one.model.empty() ? one.student : one.model);
    name += one.student == "chat" ? "" : " (" + one.student + ")";
    name += one.measure == WatchMeasure::trigger ? ", triggers" : "";
    verdicts.push_back({std::move(name), one.verdict, one.reason, one.why});
  }
  regression::VersionVerdict verdict = regression::verdict_of_version(verdicts);
  watched.told.verdict = verdict.verdict;
  watched.told.reason = verdict.reason;
  watched.told.why = std::move(verdict.why);
  const bool is_waiting = std::ranges::any_of(watched.told.subjects, [](const WatchedSubject& one) {
    return one.reason == WatchReason::waiting;
  });
  watched.told.state = is_waiting ? WatchState::waiting : WatchState::idle;
}

asio::awaitable<void> WatchDesk::test(std::shared_ptr<const WatchExam> exam, std::uint64_t number) {
  const SkillKey& skill = exam->skill;
  runtime::Turns::Ticket ticket(m_turns);
  AWAIT_DONE(ticket.called());
  std::vector<WatchedSubject> subjects(exam->record.subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto progress = [&](const WatchedSubject& so_far) {
      if (is_newest(skill, number)) {
        subjects[i] = so_far;
        m_skills[skill].told.subjects.assign(subjects.begin(),
                                             subjects.begin() + static_cast<std::ptrdiff_t>(i + 1));
        ++m_generation;
        m_news.notify_all();
      }
    };
    AWAIT(Result<WatchedSubject> told, examine_subject(m_room, exam, i, progress));
    if (told) {
      subjects[i] = std::move(*told);
    } else {
      const RecordedSubject& recorded = exam->record.subjects[i];
      subjects[i].model = recorded.model;
      subjects[i].student = recorded.student;
      subjects[i].measure = recorded.measure;
      subjects[i].reason = WatchReason::errors;
      subjects[i].why = told.error().message;
    }
  }
  m_room.http.rest();
  AWAIT_DONE(m_room.journal.rest());
  if (!is_newest(skill, number)) {
    co_return;
  }
  Watched& watched = m_skills[skill];
  watched.test.reset();
  watched.told.subjects = std::move(subjects);
  set_verdict(watched);
  m_room.library.service().context().log.info(
      "`{}`: {} {}", skill.second, enum_name(watched.told.verdict), watched.told.why);
  tell(skill);
}

Awaitable<EvalAcceptResult> WatchDesk::accept(EvalAcceptParams params, RequestContext context) {
  SkillKey skill;
  AWAIT(Result<EvalAcceptResult> result,
        accept_skill(m_room, std::move(params), std::move(context), skill));
  if (result && !result->dry_run) {
    const Watched& watched = m_skills[skill];
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
    if (skill.second != params.skill) {
      continue;
    }
    is_known = true;
    if (!watched.exam || watched.test) { // there is nothing to test, or it is under way
      continue;
    }
    auto exam = std::make_shared<WatchExam>(*watched.exam);
    exam->settings.mode = regression::WatchMode::automatic;
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
    if (skill.second != params.skill) {
      continue;
    }
    is_known = true;
    if (watched.test) {
      m_tasks.cancel(*watched.test);
      watched.test.reset();
      ++watched.tests; // it has nothing more to say
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
    if (is_asked && !watched.told.skill.empty()) {
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
