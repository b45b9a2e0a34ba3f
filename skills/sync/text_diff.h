#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace upskill::sync {

// Lines with their ends, so that joining them gives the text back byte for byte. Only LF ends a
// line: CR LF and a missing final newline are content (sync facts, rule 12).
std::vector<std::string_view> split_lines(std::string_view text);

// Lines [a_begin, a_end) of the old text became lines [b_begin, b_end) of the new one.
struct LineChange {
  std::size_t a_begin = 0;
  std::size_t a_end = 0;
  std::size_t b_begin = 0;
  std::size_t b_end = 0;

  friend bool operator==(const LineChange&, const LineChange&) = default;
};

// Steps of comparison before the diff turns coarse: about 10 ms.
inline constexpr std::size_t k_diff_work = 4'000'000;

// The changes that make `a` into `b`, in order; at least one equal line lies between two of them.
// The shortest such list (Myers 1986, linear space) within `work` steps; where those run out, the
// rest is cut at lines that occur once on each side. So time is O(work + n log n) and memory O(n)
// for every input. A pure insertion or deletion lies as late as it can, so that the same edit is
// the same change in most cases, whatever else was edited.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& a,
                                   const std::vector<std::string_view>& b,
                                   std::size_t work = k_diff_work);

} // namespace upskill::sync
