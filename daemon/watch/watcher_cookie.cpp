// Watcher: synchronise(). The queue of one inotify instance is in order, so an event that is made
// now comes after those of all that happened before (as watchman's cookies do). Ours is the end of
// a watch on a file that has no name: nothing is written for it, nobody else can make it, and each
// has a number of its own.
#include "daemon/runtime/timeout.h"
#include "daemon/watch/inotify.h"
#include "daemon/watch/watcher.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace upskill::watch {

Result<void> Watcher::watch_cookie() {
  if (!m_cookie) {
    m_cookie.reset(::memfd_create("upskill-cookie", MFD_CLOEXEC));
  }
  m_cookie_wd = m_cookie ? add_watch(m_stream.native_handle(), m_cookie.get(), IN_DELETE_SELF) : -1;
  if (m_cookie_wd < 0) {
    return fail(system_error(errno, "cannot watch for the end of the queue of file events"));
  }
  return {};
}

Result<void> Watcher::send_cookie(std::uint64_t number) {
  if (m_cookie_wd < 0) {
    TRY(watch_cookie());
  }
  int wd = std::exchange(m_cookie_wd, -1);
  if (::inotify_rm_watch(m_stream.native_handle(), wd) != 0) {
    return fail(system_error(errno, "cannot mark the end of the queue of file events"));
  }
  m_cookies.push_back({wd, number});
  (void)watch_cookie(); // now that there is room for it; a failure shows at the next use
  return {};
}

// Whether the event is of the oldest cookie that is under way; its number then is `seen`.
bool Watcher::take_cookie(const RawEvent& event, std::uint64_t& seen) {
  if (m_cookies.empty() || event.wd != m_cookies.front().wd || (event.mask & IN_IGNORED) == 0) {
    return false;
  }
  seen = m_cookies.front().number;
  m_cookies.pop_front();
  return true;
}

asio::awaitable<Result<void>> Watcher::await_cookie() {
  std::uint64_t number = ++m_cookie_sent;
  CO_TRY(send_cookie(number));
  while (m_cookie_seen < number && !m_stopping) {
    co_await m_cookie_came.wait();
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> Watcher::synchronise() {
  if (!polling()) {
    std::string what = "the queue of file events";
    asio::awaitable<Result<void>> cookie = await_cookie();
    Result<void> came = co_await runtime::with_timeout(
        m_options.synchronise_limit, std::move(cookie), std::move(what));
    CO_TRY(came);
  }
  if (m_stopping) {
    co_return fail(ErrorCode::unavailable, "the watcher has stopped");
  }
  if (!polled_roots().empty()) {
    co_await poll_and_deliver();
  }
  co_return Result<void>();
}

} // namespace upskill::watch
