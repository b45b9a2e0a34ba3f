#include "daemon/await.h"
#include "daemon/handlers/counted.h"
#include "daemon/handlers/watch_desk.h"
#include "daemon/handlers/watch_verdict.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/timers.h"
#include "skills/sync/root_health.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr auto k_look_limit = std::chrono::seconds(5);
constexpr auto k_git_limit = std::chrono::seconds(30); // then its lock is one that it left behind
constexpr auto k_git_pause = std::chrono::milliseconds(50);

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             runtime::Clock::now().time_since_epoch())
      .count();
}

} // namespace

bool WatchDesk::is_newest(const SkillKey& skill, std::uint64_t number) const {
  auto found = m_skills.find(skill);
  return found != m_skills.end() && found->second.tests == number;
}

// A test of the version before ends where it is another one.
void WatchDesk::take_on(const SkillKey& skill,
                        Watched& watched,
                        Result<std::shared_ptr<const WatchExam>> exam) {
  WatchedSkill& told = watched.told;
  if (exam) {
    WatchedSkill report = first_report(**exam);
    if (told.hash == report.hash && told.accepted == report.accepted) {
      // The same version, in one more folder.
      told.state = told.state == WatchState::looking ? watched.before : told.state;
      return;
    }
    end_test(watched);
    told = std::move(report);
  } else {
    end_test(watched);
    told = {skill.second, skill.first};
    told.state = exam.error().code == ErrorCode::not_found ? WatchState::gone : WatchState::idle;
    told.reason = WatchReason::errors;
    told.why = exam.error().message;
  }
  if (exam && !(*exam)->needed.none()) {
    watched.exam = *exam; // what a person may say go to
  }
  if (told.state == WatchState::testing) {
    const std::int64_t now_ms = steady_ms();
    watched.is_hasty = now_ms - std::exchange(watched.changed_ms, now_ms) < k_haste;
    m_burst.note(skill, steady_ms());
    begin_test(watched, *exam);
    hold_burst();
  }
  tell(skill);
}

// A checkout begins with one skill, whose test has begun when the others come: it begins anew, and
// waits with them.
void WatchDesk::hold_burst() {
  const std::int64_t now_ms = steady_ms();
  const auto together = static_cast<std::int64_t>(m_burst.count(now_ms));
  for (auto& [skill, watched] : m_skills) {
    if (watched.test && watched.is_asking && m_burst.has(skill)
        && together > watched.exam->ask_above) {
      std::shared_ptr<const WatchExam> exam = watched.exam;
      end_test(watched);
      watched.exam = exam;
      begin_test(watched, std::move(exam));
    }
  }
}

void WatchDesk::end_test(Watched& watched) {
  if (watched.test) {
    m_tasks.cancel(*watched.test);
    watched.test.reset();
  }
  ++watched.tests; // it has nothing more to say
  watched.is_asking = false;
  watched.exam.reset();
}

void WatchDesk::begin_test(Watched& watched, std::shared_ptr<const WatchExam> exam) {
  if (m_is_stopping) {
    return; // the group is cancelled: what begins now would not be
  }
  watched.told.state = WatchState::testing;
  watched.told.reason = WatchReason::unfinished;
  runtime::TaskId task = m_tasks.start(test(std::move(exam), watched.tests));
  if (watched.told.state == WatchState::testing) { // else it is over already
    watched.test = task;
  }
}

// How many skills were changed together shows only when git is done with the work tree, what it
// wrote has come through sync, and nothing is looked at any more.
asio::awaitable<void> WatchDesk::come_to_rest(const WatchExam& exam) {
  SyncService& service = m_room.library.service();
  auto is_writing = [folder = exam.folder] { return sync::is_git_writing(folder); };
  for (auto end = runtime::Clock::now() + k_git_limit; runtime::Clock::now() < end;) {
    AWAIT(bool writes, runtime::offload(service.context().pool(), is_writing));
    if (!writes) {
      break;
    }
    AWAIT_DONE(runtime::wait_for(k_git_pause));
  }
  // Where sync does not come to rest, tests go on without it.
  AWAIT(Result<void> rested, service.come_to_rest(k_look_limit));
  static_cast<void>(rested);
  auto is_over = [this] { return m_is_stopping || m_looks == 0; };
  AWAIT_DONE(m_news.wait_until(std::move(is_over), k_look_limit));
}

asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
WatchDesk::prepare(std::shared_ptr<const WatchExam> planned) {
  auto exam = std::make_shared<WatchExam>(*planned);
  AWAIT(Result<void> fresh, refresh(m_room, *exam));
  CO_TRY(fresh);
  const auto together = static_cast<std::int64_t>(m_burst.count(steady_ms()));
  if (!exam->was_told_to && together > exam->ask_above
      && exam->settings.mode == regression::WatchMode::automatic) {
    exam->settings.mode = regression::WatchMode::ask;
    exam->together = together;
  }
  if (!exam->was_told_to && exam->seen.errors > 0) { // whoever reads it will be told so first
    exam->settings.mode = std::min(exam->settings.mode.value_or(regression::WatchMode::ask),
                                   regression::WatchMode::ask);
  }
  co_return std::shared_ptr<const WatchExam>(std::move(exam));
}

asio::awaitable<void> WatchDesk::test(std::shared_ptr<const WatchExam> planned,
                                      std::uint64_t number) {
  std::exception_ptr cut_short;
  try {
    Counted test(m_tests);
    AWAIT_DONE(examine_in_turn(std::move(planned), number));
  } catch (...) {
    cut_short = std::current_exception();
  }
  co_await asio::this_coro::throw_if_cancelled(false);
  m_news.notify_all();
  AWAIT_DONE(rest());
  if (cut_short) {
    std::rethrow_exception(cut_short);
  }
}

asio::awaitable<void> WatchDesk::examine_in_turn(std::shared_ptr<const WatchExam> planned,
                                                 std::uint64_t number) {
  const SkillKey skill = planned->skill;
  std::optional<std::vector<WatchedSubject>> kept;
  if (m_skills[skill].is_hasty && !planned->was_told_to) {
    // Somebody is still writing: each version that is tested leaves less alpha for the next ones.
    AWAIT(kept, recall(planned));
    if (!kept) {
      AWAIT_DONE(runtime::wait_for(std::chrono::milliseconds(k_haste)));
    }
  }
  Result<std::shared_ptr<const WatchExam>> exam = planned;
  std::vector<WatchedSubject> subjects;
  if (kept) {
    subjects = std::move(*kept);
  } else {
    if (!planned->was_told_to
        && static_cast<std::int64_t>(m_burst.count(steady_ms())) <= planned->ask_above) {
      AWAIT_DONE(come_to_rest(*planned));
    }
    bool asks = false;
    {
      runtime::Turns::Ticket reading(m_reading);
      AWAIT_DONE(reading.called());
      AWAIT(exam, prepare(planned));
      asks = exam && (*exam)->settings.mode == regression::WatchMode::automatic;
      if (exam && !asks && is_newest(skill, number)) {
        AWAIT(subjects, examine(*exam, number)); // asks nobody, so others may go on beside it
      }
    }
    if (asks) {
      runtime::Turns::Ticket turn(m_turns);
      AWAIT_DONE(turn.called());
      AWAIT(exam, prepare(std::move(planned))); // as it is now, when its turn has come
      if (exam && is_newest(skill, number)) {
        m_skills[skill].is_asking =
            !(*exam)->was_told_to && (*exam)->settings.mode == regression::WatchMode::automatic;
        AWAIT(subjects, examine(*exam, number));
      }
    }
  }
  if (!is_newest(skill, number)) {
    co_return;
  }
  Watched& watched = m_skills[skill];
  watched.test.reset();
  watched.told.subjects = std::move(subjects);
  if (exam) {
    put_verdict(watched.told, **exam);
  } else {
    watched.told.state = WatchState::idle;
    watched.told.reason = WatchReason::errors;
    watched.told.why = exam.error().message;
  }
  m_room.library.service().context().log.info(
      "`{}`: {} {}", skill.second, enum_name(watched.told.verdict), watched.told.why);
  tell(skill);
}

asio::awaitable<std::vector<WatchedSubject>>
WatchDesk::examine(std::shared_ptr<const WatchExam> exam, std::uint64_t number) {
  std::vector<WatchedSubject> subjects(exam->record.subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto progress = [&](const WatchedSubject& so_far) {
      if (is_newest(exam->skill, number)) {
        subjects[i] = so_far;
        m_skills[exam->skill].told.subjects.assign(
            subjects.begin(), subjects.begin() + static_cast<std::ptrdiff_t>(i + 1));
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
  co_return subjects;
}

asio::awaitable<std::optional<std::vector<WatchedSubject>>>
WatchDesk::recall(std::shared_ptr<const WatchExam> exam) {
  std::vector<WatchedSubject> subjects(exam->record.subjects.size());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    AWAIT(Result<std::optional<WatchedSubject>> kept, recall_subject(m_room, exam, i));
    if (!kept || !*kept) {
      co_return std::nullopt; // what is wrong, the test will tell
    }
    subjects[i] = std::move(**kept);
  }
  co_return subjects;
}

} // namespace upskill::daemon
