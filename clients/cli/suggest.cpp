#include "clients/cli/suggest.h"

#include <algorithm>
#include <vector>

namespace upskill::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    cost[i][0] = i;
  }
  for (std::size_t j = 0; j <= b.size(); ++j) {
    cost[0][j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string suggestion(std::string_view written, std::span<const std::string> candidates) {
  // Longer words are no slips of the finger, and would cost time.
  if (written.size() > 40) {
    return {};
  }
  std::string best;
  std::size_t nearest = std::max<std::size_t>(1, written.size() / 3) + 1;
  std::string start;
  std::size_t starts = 0;
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(written, candidate);
    if (distance < nearest) {
      nearest = distance;
      best = candidate;
    }
    if (written.size() >= 2 && candidate.starts_with(written)) {
      start = candidate;
      ++starts;
    }
  }
  return best.empty() && starts == 1 ? start : best;
}

} // namespace upskill::cli
