#include "skills/distill/failures.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace upskill::distill {
namespace {

constexpr std::size_t k_open = 64;
// A call and what it gave, for each time.
constexpr std::size_t k_items_kept = 8;
constexpr int k_followed = 3;

} // namespace

bool Attempt::is_again(const Attempt& earlier) const {
  if (is_test && earlier.is_test) {
    return true;
  }
  bool is_command = !signature.empty() || !earlier.signature.empty();
  return tool == earlier.tool
         && (is_command ? signature == earlier.signature : argument == earlier.argument);
}

bool Attempt::may_replace(const Attempt& earlier) const {
  return tool == earlier.tool && signature.empty() && earlier.signature.empty()
         && beat == earlier.beat;
}

std::optional<Unit> OpenFailures::fail(Attempt attempt, Unit unit, std::uint64_t& repeated) {
  auto same = std::find_if(m_open.rbegin(), m_open.rend(), [&](const Open& open) {
    return attempt.is_again(open.attempt);
  });
  if (same == m_open.rend()) {
    m_open.push_back({std::move(attempt), std::move(unit)});
  } else {
    std::vector<Item>& items = same->unit.items;
    std::move(unit.items.begin(), unit.items.end(), std::back_inserter(items));
    while (items.size() > k_items_kept) {
      // The first shows how it began, the last ones what was left in the end.
      repeated += items[2].events;
      items.erase(items.begin() + 2);
    }
    same->attempt = std::move(attempt);
    Open newest = std::move(*same);
    newest.followed = 0;
    m_open.erase(std::next(same).base());
    m_open.push_back(std::move(newest));
  }
  if (m_open.size() <= k_open) {
    return std::nullopt;
  }
  Unit oldest = std::move(m_open.front().unit);
  m_open.pop_front();
  return oldest;
}

std::optional<Unit> OpenFailures::recover(const Attempt& attempt) {
  auto found = std::find_if(m_open.rbegin(), m_open.rend(), [&](const Open& open) {
    return attempt.is_again(open.attempt);
  });
  if (found == m_open.rend()) {
    found = std::find_if(m_open.rbegin(), m_open.rend(), [&](const Open& open) {
      return attempt.may_replace(open.attempt);
    });
  }
  if (found == m_open.rend()) {
    return std::nullopt;
  }
  Unit unit = std::move(found->unit);
  m_open.erase(std::next(found).base());
  return unit;
}

bool OpenFailures::follow(std::uint32_t beat, std::vector<Item>& items) {
  if (m_open.empty() || m_open.back().attempt.beat != beat
      || m_open.back().followed >= k_followed) {
    return false;
  }
  ++m_open.back().followed;
  std::ranges::move(items, std::back_inserter(m_open.back().unit.items));
  return true;
}

} // namespace upskill::distill
