#include "daemon/runtime/task_group.h"

#include <vector>

namespace upskill::runtime {

TaskGroup::TaskGroup(asio::any_io_executor executor, OnFailure on_failure)
    : m_executor(executor)
    , m_idle(executor)
    , m_on_failure(std::move(on_failure)) {}

TaskGroup::~TaskGroup() {
  if (!m_tasks.empty()) {
    std::terminate();
  }
}

TaskId TaskGroup::start(asio::awaitable<void> task) {
  std::uint64_t id = ++m_last_id;
  asio::cancellation_slot slot = m_tasks[id].signal.slot();
  auto done = [this, id](std::exception_ptr failure) { finish(id, std::move(failure)); };
  asio::co_spawn(m_executor, std::move(task), asio::bind_cancellation_slot(slot, std::move(done)));
  return TaskId{id};
}

void TaskGroup::finish(std::uint64_t id, std::exception_ptr failure) {
  auto found = m_tasks.find(id);
  bool cancelled = found->second.cancelled;
  m_tasks.erase(found);
  if (m_tasks.empty()) {
    m_idle.notify_all();
  }
  if (failure && !(cancelled && is_cancellation(failure))) {
    m_on_failure(std::move(failure));
  }
}

bool TaskGroup::cancel(TaskId task) {
  auto found = m_tasks.find(static_cast<std::uint64_t>(task));
  if (found == m_tasks.end()) {
    return false;
  }
  found->second.cancelled = true;
  found->second.signal.emit(asio::cancellation_type::terminal);
  return true;
}

void TaskGroup::cancel_all() {
  // A task may end others while it is told, so no iterator is held over an emit.
  std::vector<std::uint64_t> ids;
  ids.reserve(m_tasks.size());
  for (const auto& [id, task] : m_tasks) {
    ids.push_back(id);
  }
  for (std::uint64_t id : ids) {
    cancel(TaskId{id});
  }
}

asio::awaitable<void> TaskGroup::join() {
  bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  while (!m_tasks.empty()) {
    co_await m_idle.wait();
  }
  co_await asio::this_coro::throw_if_cancelled(throws);
}

asio::awaitable<bool> TaskGroup::join_within(Clock::duration limit) {
  auto none_left = m_idle.wait_until([this] { return m_tasks.empty(); }, limit);
  bool ended = co_await std::move(none_left);
  co_return ended;
}

asio::awaitable<void> TaskGroup::see_through() {
  std::exception_ptr cut_short;
  try {
    while (!m_tasks.empty()) {
      auto none_left = join_within(std::chrono::hours(1));
      co_await std::move(none_left);
    }
  } catch (...) {
    cut_short = std::current_exception();
  }
  if (cut_short) {
    co_await asio::this_coro::throw_if_cancelled(false);
    cancel_all();
    co_await join();
    std::rethrow_exception(cut_short);
  }
}

bool is_cancellation(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

} // namespace upskill::runtime
