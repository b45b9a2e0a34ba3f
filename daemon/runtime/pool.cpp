#include "daemon/runtime/pool.h"

#include <algorithm>
#include <exception>

namespace upskill::runtime {

Pool::Pool(std::size_t threads, std::optional<AtRest> at_rest)
    : m_most(threads)
    , m_at_rest(std::move(at_rest)) {
  m_threads.reserve(threads);
  m_threads.emplace_back([this] { work(); });
}

Pool::~Pool() {
  join();
}

void Pool::join() {
  {
    std::lock_guard lock(m_mutex);
    m_is_ending = true; // and nobody starts threads any more
  }
  m_changed.notify_all();
  for (std::thread& thread : m_threads) {
    thread.join();
  }
  m_threads.clear();
}

void Pool::put(Client client, std::unique_ptr<Job> job) {
  std::lock_guard lock(m_mutex);
  Line& line = m_lines[client];
  line.waiting.push_back(std::move(job));
  if (line.waiting.size() == 1) {
    m_turns.push_back(client);
  }
  wake_another();
}

void Pool::work() {
  std::unique_lock lock(m_mutex);
  for (;;) {
    auto turn = next();
    if (turn == m_turns.end()) {
      if (m_is_ending) {
        return; // what waits still is taken by a thread that runs its client's work now
      }
      wait_for_work(lock);
      continue;
    }
    Client client = *turn;
    std::unique_ptr<Job> job = take(turn);
    wake_another();
    lock.unlock();
    job->run();
    job.reset();
    lock.lock();
    ended(client);
  }
}

// Returns also for nothing. Only one thread waits with an end, so that rest wakes one only; while
// it does what is done then, it is not idle, and others take what comes.
void Pool::wait_for_work(std::unique_lock<std::mutex>& lock) {
  ++m_idle;
  if (!m_rest_at || m_awaits_rest) {
    m_changed.wait(lock);
    --m_idle;
    return;
  }
  m_awaits_rest = true;
  const auto until = *m_rest_at; // which may be put off meanwhile
  m_changed.wait_until(lock, until);
  m_awaits_rest = false;
  --m_idle;
  bool is_due = m_rest_at && *m_rest_at <= std::chrono::steady_clock::now();
  if (is_due && m_lines.empty() && !m_is_ending) {
    m_rest_at.reset();
    lock.unlock();
    m_at_rest->work();
    lock.lock();
  }
}

// The first that may have a thread: one that has none yet, or that leaves one to the others.
std::deque<Pool::Client>::iterator Pool::next() {
  bool is_last = m_most - m_running == 1;
  if (m_running == m_most) {
    return m_turns.end();
  }
  return std::ranges::find_if(m_turns, [&](Client client) {
    return !is_last || m_lines.find(client)->second.running == 0;
  });
}

std::unique_ptr<Pool::Job> Pool::take(std::deque<Client>::iterator at) {
  Client client = *at;
  m_turns.erase(at);
  Line& line = m_lines.find(client)->second;
  std::unique_ptr<Job> job = std::move(line.waiting.front());
  line.waiting.pop_front();
  if (!line.waiting.empty()) {
    m_turns.push_back(client);
  }
  ++line.running;
  ++m_running;
  m_rest_at.reset();
  return job;
}

void Pool::ended(Client client) {
  --m_running;
  auto line = m_lines.find(client);
  if (--line->second.running == 0 && line->second.waiting.empty()) {
    m_lines.erase(line);
  }
  if (m_at_rest && m_lines.empty()) {
    m_rest_at = std::chrono::steady_clock::now() + m_at_rest->after;
  }
}

// One is enough: it does the same once it has taken something.
void Pool::wake_another() {
  if (next() == m_turns.end()) {
    return;
  }
  if (m_idle > 0) {
    m_changed.notify_one();
  } else if (m_threads.size() < m_most && !m_is_ending) {
    try {
      m_threads.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      return; // with fewer threads it takes longer
    }
  }
}

} // namespace upskill::runtime
