// Watcher: synchronise(). The queue of one inotify instance is in order, so the event of a file
// made now comes after those of all that happened before (as watchman's cookies do).
#include "daemon/runtime/timeout.h"
#include "daemon/watch/inotify.h"
#include "daemon/watch/watcher.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace upskill::watch {
namespace {

// Another daemon may use the same folder.
std::string cookie_prefix() {
  return fmt::format("cookie-{}-", ::getpid());
}

} // namespace

Result<void> Watcher::watch_cookies() {
  TRY(make_directories(m_options.cookie_folder, 0700));
  m_cookie_wd = add_watch(m_stream.native_handle(), m_options.cookie_folder.c_str(), IN_CREATE);
  if (m_cookie_wd < 0) {
    return fail(system_error(errno, fmt::format("cannot watch `{}`", m_options.cookie_folder)));
  }
  return {};
}

// 0 for a file that is none of ours.
std::uint64_t Watcher::cookie_number(std::string_view name) const {
  std::string prefix = cookie_prefix();
  std::uint64_t number = 0;
  if (name.starts_with(prefix)) {
    name.remove_prefix(prefix.size());
    std::from_chars(name.data(), name.data() + name.size(), number);
  }
  return number <= m_cookie_sent ? number : 0;
}

Result<void> Watcher::send_cookie(std::uint64_t number) {
  std::string path = join_path(m_options.cookie_folder, cookie_prefix() + std::to_string(number));
  auto create = [&] {
    ::unlink(path.c_str()); // left by a process that had our number
    return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  };
  UniqueFd file = create();
  if (!file && errno == ENOENT) {
    TRY(watch_cookies()); // somebody removed the folder
    file = create();
  }
  if (!file) {
    return fail(system_error(errno, fmt::format("cannot create `{}`", path)));
  }
  ::unlink(path.c_str());
  return {};
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
