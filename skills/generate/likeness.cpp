#include "skills/generate/likeness.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"

#include <algorithm>
#include <set>

namespace upskill::generate {
namespace {

constexpr std::size_t k_least_words = 4; // of a text that is looked for in another
constexpr double k_least_share = 0.8;    // of words that two texts have in common

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

} // namespace

Words words_of(std::string_view text) {
  Words words;
  bool is_inside = false;
  for (char c : document::fold_case(to_valid_utf8(text))) {
    if (is_word_part(c) && !is_inside) {
      words.emplace_back();
    }
    is_inside = is_word_part(c);
    if (is_inside) {
      words.back() += c;
    }
  }
  return words;
}

bool is_like(const Words& text, const Words& other) {
  if (text == other) {
    return true;
  }
  if (text.size() < k_least_words) {
    return false;
  }
  if (std::ranges::search(other, text).begin() != other.end()) {
    return true;
  }
  std::set<std::string_view> mine(text.begin(), text.end());
  std::set<std::string_view> all(other.begin(), other.end());
  auto common = static_cast<double>(
      std::ranges::count_if(mine, [&](std::string_view word) { return all.contains(word); }));
  all.insert(mine.begin(), mine.end());
  return common >= k_least_share * static_cast<double>(all.size());
}

} // namespace upskill::generate
