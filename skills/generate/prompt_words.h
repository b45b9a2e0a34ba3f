#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generate {

inline constexpr std::size_t k_most_prompt_words = 48;     // of one prompt
inline constexpr std::size_t k_max_prompt_text = 4u << 10; // bytes of it that are looked at

// One word of a prompt, in the form that other forms of it have as well.
struct PromptWord {
  std::string text = {};
  bool is_part = false; // two characters of a script that writes no spaces: half a word

  friend bool operator==(const PromptWord&, const PromptWord&) = default;
  friend auto operator<=>(const PromptWord&, const PromptWord&) = default;
};

// What a prompt is about, whatever its language: letters without case, words by how they begin (5
// characters), so that `release`, `Releases` and `released` are one; pairs of characters where a
// script has no spaces. Code, paths, addresses, options, numbers and names with digits are left
// out: they differ each time. Each word once, in the order in which they first occur.
std::vector<PromptWord> words_of_prompt(std::string_view text);

// Whether it is one of those that say nothing about what somebody is after: function words,
// greetings, yes and no, and what is asked of every agent all day (`fix`, `continue`, `weiter`).
bool is_common_word(const PromptWord& word);

} // namespace upskill::generate
