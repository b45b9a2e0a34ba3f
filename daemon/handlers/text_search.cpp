#include "daemon/handlers/text_search.h"

#include "skills/library/names.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_block = 32;

bool is_lower(char byte) {
  return byte >= 'a' && byte <= 'z';
}

char to_lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

// One byte of the word and the bit that a letter's case is in.
struct Probe {
  explicit Probe(char wanted)
      : byte(static_cast<unsigned char>(wanted))
      , bit(is_lower(wanted) ? 0x20 : 0) {}

  unsigned char byte;
  unsigned char bit;
};

// Whether the word can begin at one of k_block places, by its first and its last byte.
bool may_begin(const char* at, const char* end_of_word, Probe first, Probe last) {
  unsigned char found = 0;
  for (std::size_t i = 0; i < k_block; ++i) {
    auto a = static_cast<unsigned char>(static_cast<unsigned char>(at[i]) | first.bit);
    auto b = static_cast<unsigned char>(static_cast<unsigned char>(end_of_word[i]) | last.bit);
    found =
        static_cast<unsigned char>(found | ((a == first.byte ? 1 : 0) & (b == last.byte ? 1 : 0)));
  }
  return found != 0;
}

bool is_here(const char* at, std::string_view word) {
  return std::equal(word.begin(), word.end(), at, [](char wanted, char found) {
    return wanted == to_lower(found);
  });
}

} // namespace

bool contains_folded(std::string_view text, std::string_view word) {
  if (word.empty() || word.size() > text.size()) {
    return word.empty();
  }
  const Probe first(word.front());
  const Probe last(word.back());
  const std::size_t places = text.size() - word.size() + 1;
  const char* begin = text.data();
  std::size_t i = 0;
  for (; i + k_block <= places; i += k_block) {
    if (may_begin(begin + i, begin + i + word.size() - 1, first, last)) {
      for (std::size_t k = i; k < i + k_block; ++k) {
        if (is_here(begin + k, word)) {
          return true;
        }
      }
    }
  }
  for (; i < places; ++i) {
    if (is_here(begin + i, word)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> query_words(std::string_view query) {
  constexpr std::string_view k_blank = " \t\r\n\f\v";
  std::vector<std::string> words;
  while (words.size() < k_max_query_words) {
    std::size_t begin = query.find_first_not_of(k_blank);
    if (begin == std::string_view::npos) {
      break;
    }
    query.remove_prefix(begin);
    std::string_view word = query.substr(0, query.find_first_of(k_blank));
    words.push_back(library::folded_key(word));
    query.remove_prefix(word.size());
  }
  return words;
}

bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (char byte : text) {
    all = static_cast<unsigned char>(all | static_cast<unsigned char>(byte));
  }
  return all < 0x80;
}

} // namespace upskill::daemon
