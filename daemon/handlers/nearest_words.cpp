#include "daemon/handlers/nearest_words.h"

#include "daemon/handlers/text_search.h"
#include "skills/library/names.h"

#include <algorithm>
#include <numeric>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_longest =
    64; // longer words are no slips of the finger, and would cost time

// How many letters must be changed, added, left out or swapped with their neighbour to get from one
// word to the other (optimal string alignment). Its memory is used again.
class Distance {
public:
  std::size_t operator()(std::string_view a, std::string_view b) {
    m_row.resize(b.size() + 1);
    std::iota(m_row.begin(), m_row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
      m_before.swap(m_above);
      m_above = m_row;
      m_row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        std::size_t change = m_above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
        m_row[j] = std::min({change, m_above[j] + 1, m_row[j - 1] + 1});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
          m_row[j] = std::min(m_row[j], m_before[j - 2] + 1);
        }
      }
    }
    return m_row[b.size()];
  }

private:
  std::vector<std::size_t> m_row;
  std::vector<std::size_t> m_above;
  std::vector<std::size_t> m_before;
};

} // namespace

std::vector<std::string> nearest_words(std::string_view written,
                                       std::span<const std::string_view> candidates,
                                       std::size_t limit) {
  if (written.empty() || written.size() > k_longest) {
    return {};
  }
  const std::string wanted = library::folded_key(written);
  const std::size_t far = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  std::vector<std::pair<std::size_t, std::string_view>> near;
  Distance distance;
  for (std::string_view candidate : candidates) {
    std::size_t apart = candidate.size() > wanted.size() ? candidate.size() - wanted.size()
                                                         : wanted.size() - candidate.size();
    std::size_t rank = apart < far ? distance(wanted, library::folded_key(candidate)) : far;
    if (rank >= far && wanted.size() >= 3 && contains_folded(candidate, wanted)) {
      near.emplace_back(far, candidate);
    } else if (rank < far) {
      near.emplace_back(rank, candidate);
    }
  }
  std::ranges::sort(near);
  auto same = std::ranges::unique(near, {}, [](const auto& one) { return one.second; });
  near.erase(same.begin(), same.end());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(limit, near.size()); ++i) {
    words.emplace_back(near[i].second);
  }
  return words;
}

} // namespace upskill::daemon
