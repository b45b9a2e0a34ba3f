#pragma once
#include "skills/trace/text.h"
#include "skills/trace/text_filter.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::trace {

// How much is kept of a text, in bytes: its first and its last ones.
struct Cut {
  std::size_t head = 0;
  std::size_t tail = 0;
};

// Cleaned beside what is kept: a secret is whole before the cut goes through it.
inline constexpr std::size_t k_cut_margin = 4096;

// What is kept of a text: decoded, without what programs put in, cleaned, without blanks around it,
// and then cut at code points, with `[… 1,234 bytes …]` for what is missing in its middle or at its
// end. Only what is needed is decoded.
std::string excerpt(const Text& text, Cut cut, TextFilter* filter);
// The same of a text that is decoded.
std::string excerpt(std::string text, Cut cut, TextFilter* filter);

// 1234567 -> `1,234,567`.
std::string grouped(std::uint64_t number);

} // namespace upskill::trace
