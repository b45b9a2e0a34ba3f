#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace upskill::sync_test {

// Leaves out what a failure does not need: halves, then quarters, ... then single ones, until
// nothing can be left out any more or `budget` runs are spent. `fails` says whether a list fails.
template <class T, class Fails>
std::vector<T> shrunk(std::vector<T> list, const Fails& fails, int budget = 400) {
  for (std::size_t piece = std::max<std::size_t>(list.size() / 2, 1);; piece /= 2) {
    bool shorter = true;
    while (shorter && budget > 0) {
      shorter = false;
      for (std::size_t at = 0; at < list.size() && budget > 0; --budget) {
        std::vector<T> rest(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(at));
        rest.insert(rest.end(),
                    list.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, list.size())),
                    list.end());
        if (fails(rest)) {
          list = std::move(rest);
          shorter = true;
        } else {
          at += piece;
        }
      }
    }
    if (piece <= 1) {
      return list;
    }
  }
}

} // namespace upskill::sync_test
