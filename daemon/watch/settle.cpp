#include "daemon/watch/settle.h"

#include "protocol/base/bounds.h"

#include <algorithm>

namespace upskill::watch {

void Settle::note(Waiting& waiting, const Change& change) {
  Shape next = Shape::busy;
  bool same = change.entry == waiting.entry;
  switch (waiting.shape) {
  case Shape::fresh:
    if (change.kind == ChangeKind::closed || change.kind == ChangeKind::arrived) {
      next = Shape::lone;
    } else if (change.kind == ChangeKind::created) {
      next = Shape::temporary;
    }
    break;
  case Shape::temporary:
    if (same && change.kind == ChangeKind::closed) {
      next = Shape::temporary;
    } else if (same && change.kind == ChangeKind::left) {
      next = Shape::leaving;
    }
    break;
  case Shape::leaving:
    if (change.kind == ChangeKind::arrived && change.cookie == waiting.cookie) {
      next = Shape::lone;
    }
    break;
  case Shape::lone:
    if (same && change.kind == ChangeKind::closed) {
      next = Shape::lone;
    }
    break;
  case Shape::busy:
    break;
  }
  waiting.shape = next;
  waiting.entry = change.entry;
  waiting.cookie = change.cookie;
  waiting.order = std::max(waiting.order, change.order);
}

bool Settle::add(std::span<const Change> changes, Time now) {
  for (const Change& change : changes) {
    auto [place, fresh] = m_waiting.try_emplace({change.root, change.skill});
    if (fresh) {
      if (m_waiting.size() > k_max_skills_per_root) {
        m_waiting.clear();
        return false;
      }
      place->second.first = now;
    } else if (place->second.shape == Shape::lone && place->second.last != now) {
      // It was ready before this batch and nobody has taken it yet.
      place->second.shape = Shape::busy;
    }
    place->second.last = now;
    note(place->second, change);
  }
  return true;
}

Settle::Time Settle::due(const Waiting& waiting) const {
  if (waiting.shape == Shape::lone) {
    return waiting.last;
  }
  return std::min(waiting.last + m_options.quiet, waiting.first + m_options.most);
}

std::optional<Settle::Time> Settle::deadline() const {
  std::optional<Time> next;
  for (const auto& [key, waiting] : m_waiting) {
    next = next ? std::min(*next, due(waiting)) : due(waiting);
  }
  return next;
}

void Settle::renumber(
    const std::function<std::optional<std::uint32_t>(std::uint32_t root)>& number_of) {
  std::map<std::pair<std::uint32_t, std::string>, Waiting> renumbered;
  for (const auto& [key, waiting] : m_waiting) {
    if (std::optional<std::uint32_t> number = number_of(key.first)) {
      renumbered.try_emplace({*number, key.second}, waiting);
    }
  }
  m_waiting = std::move(renumbered);
}

std::vector<Settle::Ready> Settle::take_ready(Time now) {
  std::vector<Ready> ready;
  for (auto it = m_waiting.begin(); it != m_waiting.end();) {
    const Waiting& waiting = it->second;
    if (due(waiting) > now) {
      ++it;
      continue;
    }
    ready.push_back(
        {it->first.first, it->first.second, waiting.order, waiting.shape == Shape::lone});
    it = m_waiting.erase(it);
  }
  std::sort(
      ready.begin(), ready.end(), [](const Ready& a, const Ready& b) { return a.order < b.order; });
  return ready;
}

std::vector<Settle::Ready> Settle::waiting() const {
  std::vector<Ready> all;
  for (const auto& [key, waiting] : m_waiting) {
    all.push_back({key.first, key.second, waiting.order, waiting.shape == Shape::lone});
  }
  return all;
}

} // namespace upskill::watch
