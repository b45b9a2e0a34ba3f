#include "daemon/handlers/watch_teller.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/plain_line.h"
#include "daemon/runtime/offload.h"
#include "daemon/telemetry/redact.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "skills/danger/secret_rules.h"
#include "skills/redact/redactor.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_hooks = 1000;      // that wait
constexpr std::size_t k_max_file = 16u << 20;   // bytes of what was told
constexpr std::size_t k_max_output = 16u << 10; // bytes of a program's, of which a line is logged
constexpr std::size_t k_max_line = 1024;        // bytes
constexpr auto k_show_limit = std::chrono::seconds(5);
constexpr auto k_grace = std::chrono::milliseconds(200); // the daemon's own end takes 300

// Of the daemon's own, what a program needs to be found, to write and to reach the screen.
constexpr std::array<std::string_view, 11> k_passed_on{"PATH",
                                                       "HOME",
                                                       "USER",
                                                       "LANG",
                                                       "LC_ALL",
                                                       "TMPDIR",
                                                       "DISPLAY",
                                                       "XAUTHORITY",
                                                       "WAYLAND_DISPLAY",
                                                       "DBUS_SESSION_BUS_ADDRESS",
                                                       "XDG_RUNTIME_DIR"};

std::string told_path(const Places& places) {
  return places.state + "/watch_told.json";
}

// The first line of what it said, as it may be logged. For the pool: rules are compiled once.
std::string first_line(const runtime::ChildEnd& end) {
  std::string_view text = end.errors.empty() ? end.output : end.errors;
  std::string line = to_valid_utf8(text.substr(0, text.find('\n')));
  const Result<redact::RuleSet>& rules = danger::secret_rules();
  if (line.empty() || !rules) {
    return {};
  }
  redact::Redactor(*rules).redact(line);
  return ": " + plain_line(telemetry::loggable(line), k_max_line);
}

std::string how_it_ended(const runtime::ChildEnd& end) {
  if (end.timed_out) {
    return "was ended, since it took too long";
  }
  if (end.signal) {
    return "was ended by signal " + std::to_string(*end.signal);
  }
  return "ended with exit code " + std::to_string(end.exit_code.value_or(0));
}

} // namespace

WatchTeller::WatchTeller(const EngineContext& context,
                         Environment environment,
                         runtime::Clock::duration hook_limit)
    : m_context(context)
    , m_environment(std::move(environment))
    , m_hook_limit(hook_limit)
    , m_tasks(context.io.get_executor(), [this](std::exception_ptr) {
      m_context.log.error("news of a watched skill could not be told");
    }) {}

void WatchTeller::take(const WatchedSkill& skill, std::size_t errors) {
  if (m_is_stopping) {
    return;
  }
  m_taken[{skill.project, skill.skill}] = {skill, errors};
  if (!m_is_working) {
    m_is_working = true;
    m_tasks.start(work());
  }
}

asio::awaitable<void> WatchTeller::stop() {
  m_is_stopping = true;
  m_tasks.cancel_all();
  co_await m_tasks.join();
}

// Decides what is news, and shows it; hooks run beside that, since they may take their time.
asio::awaitable<void> WatchTeller::work() {
  if (!m_is_read) {
    AWAIT_DONE(read_file());
    m_is_read = true;
  }
  while (!m_taken.empty() || (m_is_changed && !m_is_running_hooks)) {
    std::vector<Popup> popups = bundled(sort());
    if (!m_hooks.empty() && !m_is_running_hooks && !m_is_stopping) {
      m_is_running_hooks = true;
      m_tasks.start(run_hooks());
    }
    if (!popups.empty()) {
      AWAIT_DONE(show(std::move(popups)));
    }
    // Once all of it was told: what an end of the daemon interrupts is told anew.
    if (m_taken.empty() && m_is_changed && !m_is_running_hooks) {
      AWAIT_DONE(write_file());
    }
  }
  m_is_working = false;
}

std::vector<Popup> WatchTeller::sort() {
  std::vector<Popup> popups;
  for (auto& [key, taken] : std::exchange(m_taken, {})) {
    if (taken.skill.state == WatchState::gone) {
      m_is_changed = m_told.erase(key) > 0 || m_is_changed;
      continue;
    }
    auto found = m_told.find(key);
    const ToldSkill before = found == m_told.end() ? ToldSkill{} : found->second;
    ToldSkill told = before;
    WatchNews news = news_of(told, taken.skill, taken.errors);
    if (news.none() && (found == m_told.end() || told == before)) {
      continue;
    }
    m_told[key] = std::move(told);
    m_is_changed = true;
    std::ranges::move(news.popups, std::back_inserter(popups));
    if (news.is_verdict) {
      put_hook(key, std::move(taken.skill));
    }
  }
  return popups;
}

// A newer verdict of a skill takes the place of the one that waits.
void WatchTeller::put_hook(const SkillKey& key, WatchedSkill skill) {
  auto waiting = std::ranges::find(m_hooks, key, &std::pair<SkillKey, WatchedSkill>::first);
  if (waiting != m_hooks.end()) {
    waiting->second = std::move(skill);
    return;
  }
  if (m_hooks.size() == k_most_hooks) {
    m_context.log.warning("`watch.hook` is not run for {}: too many verdicts wait for it",
                          in_backticks(m_hooks.front().second.skill));
    m_hooks.pop_front();
  }
  m_hooks.emplace_back(key, std::move(skill));
}

asio::awaitable<void> WatchTeller::run_hooks() {
  while (!m_hooks.empty()) {
    AWAIT(Result<Means> means, this->means());
    WatchedSkill skill = std::move(m_hooks.front().second);
    m_hooks.pop_front();
    if (!means) {
      set_problem(means.error().message);
    } else if (means->watch.hook.empty()) {
      m_problem.reset();
    } else {
      AWAIT_DONE(run_hook(std::move(skill), std::move(means->watch.hook)));
    }
  }
  m_is_running_hooks = false;
  if (!m_is_working && !m_is_stopping) { // it has left writing to us
    m_is_working = true;
    m_tasks.start(work());
  }
}

asio::awaitable<void> WatchTeller::run_hook(WatchedSkill skill, std::vector<std::string> words) {
  runtime::ChildProgram program;
  program.argv = std::move(words);
  program.argv.front() = expand_home(program.argv.front(), m_context.places.home);
  program.environment = environment_of_child();
  program.environment.push_back("UPSKILL_SKILL=" + skill.skill);
  program.environment.push_back("UPSKILL_VERDICT=" + std::string(enum_name(skill.verdict)));
  program.environment.push_back("UPSKILL_HASH=" + skill.hash);
  program.folder = m_context.places.home;
  program.input = encode(skill);
  program.max_output = k_max_output;
  program.max_errors = k_max_output;
  program.limit = m_hook_limit;
  program.grace = k_grace;
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
  if (!end) {
    set_problem("`watch.hook` cannot be run: " + end.error().message);
  } else if (!end->is_success()) {
    AWAIT(std::string said, said_first(*end));
    set_problem("`watch.hook` " + how_it_ended(*end) + said);
  } else {
    m_problem.reset();
  }
}

asio::awaitable<void> WatchTeller::show(std::vector<Popup> popups) {
  AWAIT(Result<Means> means, this->means());
  if (!means || means->watch.notify == false) {
    co_return;
  }
  if (means->notify_send.empty() || !means->has_session) {
    tell_once(means->notify_send.empty() ? "there is no `notify-send`"
                                         : "the daemon has no session bus");
    co_return;
  }
  for (const Popup& popup : popups) {
    runtime::ChildProgram program;
    program.argv = notify_words(popup);
    program.argv.insert(program.argv.begin(), means->notify_send);
    program.environment = environment_of_child();
    program.max_output = k_max_output;
    program.max_errors = k_max_output;
    program.limit = k_show_limit;
    program.grace = k_grace;
    AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
    if (!end) {
      tell_once(end.error().message);
    } else if (!end->is_success()) {
      AWAIT(std::string said, said_first(*end));
      tell_once("`notify-send` fails" + said);
    }
  }
}

asio::awaitable<std::string> WatchTeller::said_first(runtime::ChildEnd end) {
  auto read = [&end] { return first_line(end); };
  AWAIT(std::string line, runtime::offload(m_context.pool().of(0), std::move(read)));
  co_return line;
}

asio::awaitable<Result<WatchTeller::Means>> WatchTeller::means() {
  auto read = [this]() -> Result<Means> {
    Means means;
    TRY_ASSIGN(FoundConfig found, find_config({}, m_context.places)); // nobody's call: the user's
    means.watch = std::move(found.config.watch);
    means.notify_send =
        runtime::find_program("notify-send", m_environment("PATH").value_or("")).value_or("");
    std::string runtime_folder = m_environment("XDG_RUNTIME_DIR").value_or("");
    means.has_session =
        !m_environment("DBUS_SESSION_BUS_ADDRESS").value_or("").empty()
        || (!runtime_folder.empty() && ::access((runtime_folder + "/bus").c_str(), F_OK) == 0);
    return means;
  };
  AWAIT(Result<Means> means, runtime::offload(m_context.pool().of(0), std::move(read)));
  co_return means;
}

std::vector<std::string> WatchTeller::environment_of_child() const {
  std::vector<std::string> environment;
  for (std::string_view name : k_passed_on) {
    if (std::optional<std::string> value = m_environment(name)) {
      environment.push_back(std::string(name) + "=" + *value);
    }
  }
  return environment;
}

asio::awaitable<void> WatchTeller::read_file() {
  auto read = [path = told_path(m_context.places)]() -> Result<std::vector<ToldSkill>> {
    TRY_ASSIGN(std::string text, upskill::read_file(path, k_max_file));
    return read_told(text);
  };
  AWAIT(Result<std::vector<ToldSkill>> skills,
        runtime::offload(m_context.pool().of(0), std::move(read)));
  if (!skills) {
    if (skills.error().code != ErrorCode::not_found) {
      m_context.log.warning("what was told of watched skills is not known: {}",
                            skills.error().message);
    }
    co_return;
  }
  for (ToldSkill& told : *skills) {
    SkillKey key{told.project, told.skill};
    m_told.insert_or_assign(std::move(key), std::move(told));
  }
}

asio::awaitable<void> WatchTeller::write_file() {
  m_is_changed = false;
  std::vector<ToldSkill> skills;
  for (const auto& [key, told] : m_told) {
    skills.push_back(told);
  }
  auto write = [path = told_path(m_context.places), skills = std::move(skills)] {
    return write_file_atomically(path, write_told(skills), 0600, Durability::process_crash);
  };
  AWAIT(Result<void> done, runtime::offload(m_context.pool().of(0), std::move(write)));
  if (!done) {
    m_context.log.warning("what was told of watched skills is not kept: {}", done.error().message);
  }
}

// In the log once, until it is another one.
void WatchTeller::set_problem(std::string problem) {
  if (m_problem != problem) {
    m_context.log.warning("{}", problem);
  }
  m_problem = std::move(problem);
}

void WatchTeller::tell_once(std::string why) {
  if (m_why_silent != why) {
    m_context.log.info("verdicts are not shown on the screen: {}", why);
  }
  m_why_silent = std::move(why);
}

} // namespace upskill::daemon
