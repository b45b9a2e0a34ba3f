#include "daemon/runtime/deadlines.h"

#include "daemon/runtime/timers.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace upskill::runtime {
namespace {

constexpr Clock::time_point k_never = Clock::time_point::max();

int make_timer() {
  int fd = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (fd < 0) {
    throw boost::system::system_error(errno, boost::system::system_category(), "timerfd_create");
  }
  return fd;
}

// steady_clock counts from where CLOCK_MONOTONIC does. Zero would disarm.
itimerspec spec_of(Clock::time_point when) {
  itimerspec spec{};
  if (when != k_never) {
    std::int64_t ns = std::max<std::int64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count(), 1);
    spec.it_value.tv_sec = ns / 1'000'000'000;
    spec.it_value.tv_nsec = ns % 1'000'000'000;
  }
  return spec;
}

} // namespace

asio::execution_context::id Deadlines::id;

Deadlines::Deadlines(asio::execution_context& context)
    : service(context)
    , m_timer(static_cast<asio::io_context&>(context), make_timer()) {}

Deadlines& Deadlines::of(const asio::any_io_executor& executor) {
  return asio::use_service<Deadlines>(asio::query(executor, asio::execution::context));
}

Deadlines::Place Deadlines::add(Clock::time_point when, Alarm& alarm) {
  Place place = m_alarms.emplace(when, &alarm);
  update();
  return place;
}

void Deadlines::remove(Place place) {
  m_alarms.erase(place);
  update();
}

void Deadlines::shutdown() noexcept {
  boost::system::error_code ignored; // the loop has ended: there is nobody to tell
  m_timer.close(ignored);
}

void Deadlines::update() {
  if (!m_timer.is_open()) {
    return; // shut down, and the alarms of what still waited go one by one
  }
  Clock::time_point earliest = m_alarms.empty() ? k_never : m_alarms.begin()->first;
  if (earliest != m_armed) {
    itimerspec spec = spec_of(earliest);
    ::timerfd_settime(m_timer.native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr);
    m_armed = earliest;
  }
  if (m_alarms.empty() && m_is_waiting) {
    m_timer.cancel();
  }
  if (m_alarms.empty() || m_is_waiting) {
    return;
  }
  m_is_waiting = true;
  m_timer.async_wait(asio::posix::descriptor_base::wait_read, [this](boost::system::error_code) {
    m_is_waiting = false;
    ring_due(); // also after a cancellation: another alarm may have been set since
    update();
  });
}

void Deadlines::ring_due() {
  std::uint64_t expirations = 0;
  if (::read(m_timer.native_handle(), &expirations, sizeof expirations) > 0) {
    m_armed = k_never; // it fires once
  }
  Clock::time_point now = Clock::now();
  // Counted first: an alarm that sets itself again has its turn at the loop's next one.
  auto due = std::distance(m_alarms.begin(), m_alarms.upper_bound(now));
  for (; due > 0 && !m_alarms.empty() && m_alarms.begin()->first <= now; --due) {
    Alarm& alarm = *m_alarms.begin()->second;
    m_alarms.erase(m_alarms.begin());
    alarm.ring();
  }
}

} // namespace upskill::runtime
