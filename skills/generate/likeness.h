#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generate {

// The words of a text in their order, without case and punctuation.
using Words = std::vector<std::string>;

Words words_of(std::string_view text);

// Whether a text is another one, stands in it as it is, or has nearly the words of it: four of five
// of all that either has.
bool is_like(const Words& text, const Words& other);

} // namespace upskill::generate
