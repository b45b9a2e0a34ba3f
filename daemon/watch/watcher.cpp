#include "daemon/watch/watcher.h"

#include "daemon/runtime/offload.h"
#include "daemon/watch/inotify.h"
#include "daemon/watch/resolve.h"
#include "daemon/watch/walker.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <utility>

namespace upskill::watch {
namespace {

constexpr std::size_t k_read_bytes = 64 * 1024;
constexpr int k_reads_per_report = 4;
// Folders that are walked at once on the reactor's own thread: about half a millisecond.
constexpr std::size_t k_folders_at_once = 64;
constexpr std::size_t k_folders_per_piece = 8192;
// Events that were followed by walks, until others have their turn on the reactor's thread.
constexpr int k_walks_at_once = 64;
constexpr auto k_longest_rest = std::chrono::milliseconds(500);
// The kernel keeps 16,384 events by default, each of 16 bytes and a name. Folders are put in place
// at some 20 for each ms, so that less than the other half comes until it is looked at again.
constexpr int k_most_left_bytes = 8192 * 16;
constexpr auto k_look_at_rest = std::chrono::milliseconds(50);

} // namespace

Watcher::Turn::Turn(Watcher* watcher)
    : m_watcher(watcher) {
  m_watcher->m_taken = true;
}

Watcher::Turn::Turn(Turn&& other) noexcept
    : m_watcher(std::exchange(other.m_watcher, nullptr)) {}

Watcher::Turn::~Turn() {
  if (m_watcher != nullptr) {
    m_watcher->m_taken = false;
    m_watcher->m_turn_free.notify_all(); // all: the one that is told may have been cancelled
  }
}

Watcher::Rest::Rest(Watcher* watcher)
    : m_watcher(watcher) {
  if (m_watcher != nullptr) {
    ++m_watcher->m_resting;
  }
}

Watcher::Rest::~Rest() {
  if (m_watcher != nullptr && --m_watcher->m_resting == 0) {
    m_watcher->m_rest_over.notify_all();
  }
}

Watcher::Watcher(asio::any_io_executor executor,
                 runtime::Pool& pool,
                 WatcherOptions options,
                 OnReport on_report)
    : m_executor(executor)
    , m_pool(pool)
    , m_options(std::move(options))
    , m_on_report(std::move(on_report))
    , m_state(m_options.ignored)
    , m_readable(executor)
    , m_mark_came(executor)
    , m_poll_alarm(executor, [this] { m_tasks.start(poll_and_deliver()); })
    , m_rest_over(executor)
    , m_turn_free(executor)
    , m_tasks(executor, [](std::exception_ptr failure) { std::rethrow_exception(failure); }) {}

std::unique_ptr<Watcher> Watcher::open(asio::any_io_executor executor,
                                       runtime::Pool& pool,
                                       WatcherOptions options,
                                       OnReport on_report) {
  std::unique_ptr<Watcher> watcher(
      new Watcher(executor, pool, std::move(options), std::move(on_report)));
  if (watcher->m_options.mode == WatchMode::automatic) {
    watcher->start_inotify();
  }
  if (!watcher->polling()) {
    watcher->m_tasks.start(watcher->read_loop());
  }
  return watcher;
}

// Leaves the watcher polling, with a warning, where the system has no inotify to give.
void Watcher::start_inotify() {
  close_inotify();
  Result<void> opened = try_inotify();
  if (!opened) {
    m_no_inotify = {opened.error().message + ": looking at folders now and then instead",
                    opened.error().hint};
    close_inotify();
  }
}

Result<void> Watcher::try_inotify() {
  TRY_ASSIGN(m_inotify, open_inotify());
  UniqueFd readable(::fcntl(m_inotify.get(), F_DUPFD_CLOEXEC, 0));
  if (!readable) {
    return fail(system_error(errno, "cannot wait for changes in folders"));
  }
  m_readable.assign(readable.release());
  TRY_ASSIGN(m_queue_end, QueueEnd::watch(m_inotify.get()));
  return {};
}

void Watcher::close_inotify() {
  m_queue_end.reset();
  if (m_readable.is_open()) {
    m_readable.close();
  }
  m_inotify.reset();
}

asio::awaitable<Watcher::Turn> Watcher::take_turn() {
  while (m_taken) {
    co_await m_turn_free.wait();
  }
  co_return Turn(this);
}

asio::awaitable<void> Watcher::read_loop() {
  while (!m_stopping && !polling()) {
    co_await m_readable.async_wait(asio::posix::descriptor_base::wait_read, asio::use_awaitable);
    ++m_counters.wake_ups;
    co_await rest();
    Turn turn = co_await take_turn();
    co_await drain();
  }
}

asio::awaitable<void> Watcher::rest() {
  auto is_over = [this] { return m_resting == 0 || m_marked > m_marks_seen || m_stopping; };
  if (is_over()) {
    co_return;
  }
  UniqueFd apart(m_readable.release());
  const runtime::Clock::time_point end = runtime::Clock::now() + k_longest_rest;
  int bytes = 0;
  while (!is_over() && bytes < k_most_left_bytes && runtime::Clock::now() < end) {
    co_await m_rest_over.wait_until(is_over, k_look_at_rest);
    bytes = ::ioctl(m_inotify.get(), FIONREAD, &bytes) == 0 ? bytes : k_most_left_bytes;
  }
  m_readable.assign(apart.release());
}

asio::awaitable<void> Watcher::drain() {
  // On the heap for the time of one wake-up: the idle daemon does not keep it.
  auto buffer = std::make_unique_for_overwrite<char[]>(k_read_bytes);
  std::uint64_t marks_seen = m_marks_seen;
  bool overflow = false;
  int walks = 0;
  for (int reads = 0; reads < k_reads_per_report && !overflow; ++reads) {
    ssize_t bytes = ::read(m_inotify.get(), buffer.get(), k_read_bytes);
    if (bytes <= 0) {
      break;
    }
    EventReader events({buffer.get(), static_cast<std::size_t>(bytes)});
    while (std::optional<RawEvent> event = events.next()) {
      ++m_counters.events;
      overflow = overflow || (event->mask & IN_Q_OVERFLOW) != 0;
      if (m_queue_end->take(*event)) {
        ++marks_seen;
        continue;
      }
      m_state.handle(*event);
      if (m_state.has_commands()) {
        co_await carry_out();
        if (++walks % k_walks_at_once == 0) {
          co_await asio::post(m_executor, asio::use_awaitable);
        }
      }
    }
  }
  if (overflow) {
    ++m_counters.overflows;
    // Who waits for a mark is told of everything by the rescan.
    marks_seen = m_marked;
    co_await start_over();
  }
  deliver();
  if (marks_seen > m_marks_seen) {
    m_marks_seen = marks_seen;
    m_mark_came.notify_all();
  }
}

// With a new instance, because removing thousands of watches from the old one would fill its queue
// with as many events.
asio::awaitable<void> Watcher::start_over() {
  start_inotify();
  if (polling()) {
    m_state.set_roots({});
  }
  m_state.restart(RescanReason::overflow);
  co_await carry_out();
}

asio::awaitable<Walk> Watcher::walk(std::string path, int depth) {
  std::optional<Walker> walker;
  bool done = false;
  if (depth > 0) {
    walker.emplace(m_inotify.get(), m_options.ignored, path, depth);
    done = walker->run(k_folders_at_once);
  }
  auto piece = [&] {
    if (!walker) {
      walker.emplace(m_inotify.get(), m_options.ignored, path, depth);
    }
    return walker->run(k_folders_per_piece);
  };
  while (!done && !m_stopping) {
    done = co_await runtime::offload(m_pool, piece);
  }
  co_return walker ? walker->take() : Walk();
}

// Not to be left half done, so a cancellation waits; stop() shortens the walks.
asio::awaitable<void> Watcher::carry_out() {
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  while (std::optional<Command> command = m_state.next_command()) {
    switch (command->kind) {
    case Command::Kind::remove_watch:
      if (!polling()) {
        ::inotify_rm_watch(m_inotify.get(), command->wd);
      }
      break;
    case Command::Kind::walk: {
      Walk found = co_await walk(std::move(command->path), command->depth);
      m_state.walked(command->parent, found);
      break;
    }
    case Command::Kind::locate: {
      Location location = locate(m_inotify.get(), m_state.root(command->slot));
      if (location.root.outcome == Walk::Outcome::found && !m_state.root(command->slot).sign) {
        Walk found = co_await walk(std::move(command->path), 0);
        location.root = std::move(found);
      }
      m_state.located(command->slot, location);
      break;
    }
    }
  }
  // The first look at a root that is not fully watched comes before its rescan is asked for, so
  // that no change falls between the two.
  std::vector<WatchRoot> roots = polled_roots();
  bool unseen = std::any_of(roots.begin(), roots.end(), [this](const WatchRoot& root) {
    return !m_polled.contains(root.path);
  });
  if (unseen) {
    co_await poll();
  }
  set_poll_alarm();
  co_await asio::this_coro::throw_if_cancelled(throws);
}

void Watcher::deliver() {
  Report report = m_state.take_report();
  std::move(m_polled_report.changes.begin(),
            m_polled_report.changes.end(),
            std::back_inserter(report.changes));
  std::move(m_polled_report.rescans.begin(),
            m_polled_report.rescans.end(),
            std::back_inserter(report.rescans));
  m_polled_report = {};
  if (!report.empty() && !m_stopping) {
    m_on_report(std::move(report));
  }
}

asio::awaitable<Result<void>> Watcher::watch(std::vector<WatchRoot> roots,
                                             std::function<void()> taken_on) {
  if (roots.size() > k_max_roots) {
    co_return fail(ErrorCode::too_large,
                   fmt::format("{} skill folders are too many to watch", roots.size()),
                   fmt::format("at most {} can be watched", k_max_roots));
  }
  Turn turn = co_await take_turn();
  if (m_stopping) {
    co_return fail(ErrorCode::unavailable, "the watcher has stopped");
  }
  m_roots.clear();
  for (const WatchRoot& root : roots) {
    m_roots.push_back(resolved_root(root));
  }
  m_polled.clear();
  if (!polling()) {
    m_state.set_roots(m_roots);
  }
  if (taken_on) {
    taken_on();
  }
  co_await carry_out();
  deliver();
  co_return Result<void>();
}

asio::awaitable<void> Watcher::stop() {
  m_stopping = true;
  m_poll_alarm.clear();
  m_tasks.cancel_all();
  m_mark_came.notify_all();
  co_await m_tasks.join();
  Turn turn = co_await take_turn(); // a watch() of somebody else's may be at it still
  close_inotify();
}

std::vector<Warning> Watcher::warnings() const {
  std::vector<Warning> warnings;
  if (!m_no_inotify.message.empty()) {
    warnings.push_back(m_no_inotify);
  }
  if (auto limited = m_state.limited_roots(); !limited.empty()) {
    std::string others =
        limited.size() == 1 ? "" : fmt::format(" and {} other roots", limited.size() - 1);
    warnings.push_back(
        {fmt::format("`{}`{} cannot be watched fully: looking at all of it now and then instead",
                     limited.front().path,
                     others),
         "raise `fs.inotify.max_user_watches` with sysctl, or keep fewer folders in it"});
  }
  return warnings;
}

Watcher::Counters Watcher::counters() const {
  Counters counters = m_counters;
  counters.folders = m_state.size();
  counters.bytes = m_state.bytes();
  return counters;
}

} // namespace upskill::watch
