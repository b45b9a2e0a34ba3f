// Watcher: roots that are looked at now and then.
#include "daemon/runtime/offload.h"
#include "daemon/watch/watcher.h"

namespace upskill::watch {

std::vector<WatchRoot> Watcher::polled_roots() const {
  std::vector<WatchRoot> roots = polling() ? m_roots : m_state.limited_roots();
  std::erase_if(roots, [](const WatchRoot& root) { return root.sign; });
  return roots;
}

void Watcher::set_poll_alarm() {
  if (m_stopping || polled_roots().empty()) {
    m_poll_alarm.clear();
  } else if (!m_poll_alarm.is_set()) {
    m_poll_alarm.set(runtime::Clock::now() + m_options.poll_interval);
  }
}

asio::awaitable<void> Watcher::poll_and_deliver() {
  Turn turn = co_await take_turn();
  co_await poll();
  deliver();
  set_poll_alarm();
}

// One look at each polled root. The first look at one reports nothing: it is what later ones are
// compared with.
asio::awaitable<void> Watcher::poll() {
  std::map<std::string, PolledRoot> seen;
  for (const WatchRoot& root : polled_roots()) {
    if (m_stopping || seen.contains(root.path)) {
      continue;
    }
    auto look = [&] { return look_at(root.path, m_options.ignored); };
    PolledRoot now = co_await runtime::offload(m_pool, look);
    auto before = m_polled.find(root.path);
    if (before != m_polled.end()) {
      note_difference(root.path, compare(before->second, now));
    }
    seen.emplace(root.path, std::move(now));
  }
  if (!m_stopping) {
    m_polled = std::move(seen);
  }
}

void Watcher::note_difference(const std::string& path, const PollDifference& difference) {
  for (std::uint32_t place = 0; place < m_roots.size(); ++place) {
    if (m_roots[place].path != path) {
      continue;
    }
    if (difference.root) {
      m_polled_report.rescans.push_back({place, *difference.root});
    }
    for (const std::string& skill : difference.skills) {
      Change change;
      change.root = place;
      change.skill = skill;
      change.order = m_state.next_order();
      m_polled_report.changes.push_back(std::move(change));
    }
  }
}

} // namespace upskill::watch
