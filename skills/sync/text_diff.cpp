#include "skills/sync/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace upskill::sync {
namespace {

using Lines = std::vector<std::string_view>;
using Numbers = std::vector<std::int32_t>;

struct Box {
  std::size_t a_begin, a_end, b_begin, b_end;
};

// Gives equal lines equal numbers, from 0. By sorting, because the hash of the standard library has
// no key and hostile lines could all collide.
std::size_t number_lines(const Lines& a, const Lines& b, Numbers& a_numbers, Numbers& b_numbers) {
  auto line = [&](std::size_t i) { return i < a.size() ? a[i] : b[i - a.size()]; };
  std::vector<std::size_t> order(a.size() + b.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, line);
  a_numbers.resize(a.size());
  b_numbers.resize(b.size());
  std::int32_t number = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && line(order[i]) != line(order[i - 1])) {
      ++number;
    }
    std::size_t at = order[i];
    (at < a.size() ? a_numbers[at] : b_numbers[at - a.size()]) = number;
  }
  return order.empty() ? 0 : static_cast<std::size_t>(number) + 1;
}

// Marks the lines of two texts that have no partner in the other.
class Comparison {
public:
  Comparison(const Lines& a, const Lines& b, std::size_t work)
      : m_a_gone(a.size())
      , m_b_new(b.size())
      , m_work(work) {
    std::size_t numbers = number_lines(a, b, m_a, m_b);
    m_seen_in_a.resize(numbers);
    m_seen_in_b.resize(numbers);
    compare({0, a.size(), 0, b.size()});
  }

  std::vector<LineChange> changes() const;

  // Comparing one line with another costs one; false when nothing is left.
  bool spend(std::size_t steps) {
    m_work = steps < m_work ? m_work - steps : 0;
    return m_work > 0;
  }

  bool same(std::size_t a, std::size_t b) const { return m_a[a] == m_b[b]; }

  bool same_a(std::size_t i, std::size_t j) const { return m_a[i] == m_a[j]; }

  bool same_b(std::size_t i, std::size_t j) const { return m_b[i] == m_b[j]; }

private:
  void compare(Box box);
  void trim(Box& box) const;
  void mark(const Box& box);
  std::optional<std::pair<std::size_t, std::size_t>> middle(const Box& box);
  void compare_coarsely(const Box& box);
  std::vector<std::pair<std::size_t, std::size_t>> anchors(const Box& box);

  Numbers m_a;
  Numbers m_b;
  std::vector<bool> m_a_gone;
  std::vector<bool> m_b_new;
  std::size_t m_work;
  Numbers m_forward;
  Numbers m_backward;
  std::vector<std::uint8_t> m_seen_in_a; // by number: how often, 2 for more
  std::vector<std::uint8_t> m_seen_in_b;
};

void Comparison::trim(Box& box) const {
  while (box.a_begin < box.a_end && box.b_begin < box.b_end && same(box.a_begin, box.b_begin)) {
    ++box.a_begin;
    ++box.b_begin;
  }
  while (box.a_begin < box.a_end && box.b_begin < box.b_end && same(box.a_end - 1, box.b_end - 1)) {
    --box.a_end;
    --box.b_end;
  }
}

void Comparison::mark(const Box& box) {
  std::fill(m_a_gone.begin() + static_cast<std::ptrdiff_t>(box.a_begin),
            m_a_gone.begin() + static_cast<std::ptrdiff_t>(box.a_end),
            true);
  std::fill(m_b_new.begin() + static_cast<std::ptrdiff_t>(box.b_begin),
            m_b_new.begin() + static_cast<std::ptrdiff_t>(box.b_end),
            true);
}

// Recursion is as deep as the logarithm of the number of edits, because middle() halves them.
void Comparison::compare(Box box) {
  trim(box);
  if (box.a_begin == box.a_end || box.b_begin == box.b_end) {
    mark(box);
  } else if (auto point = middle(box)) {
    compare({box.a_begin, point->first, box.b_begin, point->second});
    compare({point->first, box.a_end, point->second, box.b_end});
  } else {
    compare_coarsely(box);
  }
}

// A point on a shortest path through the edit graph, where the searches from both corners meet
// (Myers 1986, section 4b); nothing when the work runs out. The box is trimmed and not empty, so at
// least two edits are needed and the point is no corner. The search from the end is the same search
// in mirrored coordinates: diagonal k there is diagonal n - m - k here.
std::optional<std::pair<std::size_t, std::size_t>> Comparison::middle(const Box& box) {
  const auto n = static_cast<std::int32_t>(box.a_end - box.a_begin);
  const auto m = static_cast<std::int32_t>(box.b_end - box.b_begin);
  const std::int32_t delta = n - m;
  constexpr std::int32_t k_unreached = -1;
  const auto size = static_cast<std::size_t>(n) + static_cast<std::size_t>(m) + 3;
  if (m_forward.size() < size) {
    m_forward.resize(size);
    m_backward.resize(size);
  }
  auto at = [m](Numbers& reach, std::int32_t diagonal) -> std::int32_t& {
    return reach[static_cast<std::size_t>(diagonal + m + 1)];
  };
  // How far the path along `diagonal` goes with `edits` edits, or k_unreached.
  auto extend = [&](Numbers& reach, std::int32_t diagonal, std::int32_t edits, bool mirrored) {
    std::int32_t x = edits == 0 ? 0 : k_unreached;
    if (edits > 0) {
      std::int32_t inserted = at(reach, diagonal + 1);
      std::int32_t deleted = at(reach, diagonal - 1);
      if (inserted != k_unreached && inserted - diagonal <= m) {
        x = inserted;
      }
      if (deleted != k_unreached && deleted < n) {
        x = std::max(x, deleted + 1);
      }
    }
    std::int32_t start = x;
    auto equal = [&](std::int32_t i, std::int32_t j) {
      return mirrored ? same(box.a_end - 1 - static_cast<std::size_t>(i),
                             box.b_end - 1 - static_cast<std::size_t>(j))
                      : same(box.a_begin + static_cast<std::size_t>(i),
                             box.b_begin + static_cast<std::size_t>(j));
    };
    while (x != k_unreached && x < n && x - diagonal < m && equal(x, x - diagonal)) {
      ++x;
    }
    at(reach, diagonal) = x;
    spend(static_cast<std::size_t>(x - start) + 1);
    return x;
  };

  for (Numbers* reach : {&m_forward, &m_backward}) {
    at(*reach, -m - 1) = k_unreached;
    at(*reach, n + 1) = k_unreached;
  }
  for (std::int32_t edits = 0; m_work > 0; ++edits) {
    for (bool mirrored : {false, true}) {
      Numbers& reach = mirrored ? m_backward : m_forward;
      Numbers& other = mirrored ? m_forward : m_backward;
      const std::int32_t other_edits = mirrored ? edits : edits - 1;
      const bool may_meet = (delta % 2 == 0) == mirrored;
      if (edits < m) {
        at(reach, -edits - 1) = k_unreached;
      }
      if (edits < n) {
        at(reach, edits + 1) = k_unreached;
      }
      std::int32_t lowest = edits <= m ? -edits : -m + (edits - m) % 2;
      std::int32_t highest = edits <= n ? edits : n - (edits - n) % 2;
      for (std::int32_t diagonal = lowest; diagonal <= highest; diagonal += 2) {
        std::int32_t x = extend(reach, diagonal, edits, mirrored);
        std::int32_t facing = delta - diagonal;
        if (!may_meet || x == k_unreached || facing < -other_edits || facing > other_edits
            || facing < -m || facing > n) {
          continue;
        }
        std::int32_t other_x = at(other, facing);
        if (other_x != k_unreached && x + other_x >= n) {
          std::int32_t a = mirrored ? n - x : x;
          std::int32_t b = mirrored ? m - (x - diagonal) : x - diagonal;
          return std::pair(box.a_begin + static_cast<std::size_t>(a),
                           box.b_begin + static_cast<std::size_t>(b));
        }
      }
    }
  }
  return std::nullopt;
}

// Pairs of lines that occur once in each side of the box, in increasing order on both (the longest
// such sequence, by patience sorting).
std::vector<std::pair<std::size_t, std::size_t>> Comparison::anchors(const Box& box) {
  auto count = [](std::uint8_t& seen) { seen = static_cast<std::uint8_t>(std::min(seen + 1, 2)); };
  std::vector<std::pair<std::int32_t, std::size_t>> unique_in_b;
  for (std::size_t i = box.a_begin; i < box.a_end; ++i) {
    count(m_seen_in_a[static_cast<std::size_t>(m_a[i])]);
  }
  for (std::size_t j = box.b_begin; j < box.b_end; ++j) {
    count(m_seen_in_b[static_cast<std::size_t>(m_b[j])]);
  }
  for (std::size_t j = box.b_begin; j < box.b_end; ++j) {
    if (m_seen_in_b[static_cast<std::size_t>(m_b[j])] == 1) {
      unique_in_b.emplace_back(m_b[j], j);
    }
  }
  std::ranges::sort(unique_in_b);

  struct Card {
    std::size_t a, b, below; // `below`: index of the card before it, or its own
  };

  std::vector<Card> cards;
  std::vector<std::size_t> piles; // index of each pile's top card
  for (std::size_t i = box.a_begin; i < box.a_end; ++i) {
    auto number = static_cast<std::size_t>(m_a[i]);
    if (m_seen_in_a[number] != 1 || m_seen_in_b[number] != 1) {
      continue;
    }
    auto partner = std::ranges::lower_bound(
        unique_in_b, m_a[i], {}, &std::pair<std::int32_t, std::size_t>::first);
    auto pile = std::ranges::lower_bound(
        piles, partner->second, {}, [&](std::size_t card) { return cards[card].b; });
    std::size_t below = pile == piles.begin() ? cards.size() : *(pile - 1);
    if (pile == piles.end()) {
      piles.push_back(cards.size());
    } else {
      *pile = cards.size();
    }
    cards.push_back({i, partner->second, below});
  }
  for (std::size_t i = box.a_begin; i < box.a_end; ++i) {
    m_seen_in_a[static_cast<std::size_t>(m_a[i])] = 0;
  }
  for (std::size_t j = box.b_begin; j < box.b_end; ++j) {
    m_seen_in_b[static_cast<std::size_t>(m_b[j])] = 0;
  }
  std::vector<std::pair<std::size_t, std::size_t>> found(piles.size());
  std::size_t card = piles.empty() ? 0 : piles.back();
  for (std::size_t i = found.size(); i-- > 0; card = cards[card].below) {
    found[i] = {cards[card].a, cards[card].b};
  }
  return found;
}

void Comparison::compare_coarsely(const Box& box) {
  Box rest = box;
  for (auto [a, b] : anchors(box)) {
    Box gap{rest.a_begin, a, rest.b_begin, b};
    trim(gap);
    mark(gap);
    rest.a_begin = a + 1;
    rest.b_begin = b + 1;
  }
  trim(rest);
  mark(rest);
}

std::vector<LineChange> Comparison::changes() const {
  std::vector<LineChange> found;
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < m_a.size() || b < m_b.size()) {
    LineChange change{a, a, b, b};
    while (change.a_end < m_a.size() && m_a_gone[change.a_end]) {
      ++change.a_end;
    }
    while (change.b_end < m_b.size() && m_b_new[change.b_end]) {
      ++change.b_end;
    }
    if (change.a_begin != change.a_end || change.b_begin != change.b_end) {
      found.push_back(change);
    }
    a = change.a_end + 1;
    b = change.b_end + 1;
  }
  return found;
}

// Moves pure insertions and deletions to the latest place where they mean the same, joining those
// that meet. From the last to the first, `settled` holds what is done, last first.
std::vector<LineChange> settle_late(Comparison& lines,
                                    std::vector<LineChange> changes,
                                    std::size_t a_size,
                                    std::size_t b_size) {
  std::vector<LineChange> settled;
  for (; !changes.empty(); changes.pop_back()) {
    LineChange change = changes.back();
    for (;;) {
      if (!settled.empty() && settled.back().a_begin == change.a_end
          && settled.back().b_begin == change.b_end) {
        change.a_end = settled.back().a_end;
        change.b_end = settled.back().b_end;
        settled.pop_back();
      }
      bool inserts = change.a_begin == change.a_end;
      bool deletes = change.b_begin == change.b_end;
      bool at_end = change.a_end == a_size || change.b_end == b_size;
      if (at_end || inserts == deletes || !lines.spend(1)
          || !(inserts ? lines.same_b(change.b_begin, change.b_end)
                       : lines.same_a(change.a_begin, change.a_end))) {
        break;
      }
      ++change.a_begin;
      ++change.a_end;
      ++change.b_begin;
      ++change.b_end;
    }
    settled.push_back(change);
  }
  std::ranges::reverse(settled);
  return settled;
}

} // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<LineChange> diff_lines(const Lines& a, const Lines& b, std::size_t work) {
  auto [a_at, b_at] = std::ranges::mismatch(a, b);
  if (a_at == a.end() && b_at == b.end()) {
    return {};
  }
  Comparison comparison(a, b, work);
  return settle_late(comparison, comparison.changes(), a.size(), b.size());
}

} // namespace upskill::sync
