#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

inline constexpr std::size_t k_max_query = 1024;       // bytes of what a person searches for
inline constexpr std::size_t k_max_query_words = 32;   // in all of it
inline constexpr std::size_t k_words_of_beginning = 8; // that a beginning costs as much as

// Words that stand one behind the other, as they are compared (folded_word).
struct QueryTerm {
  std::vector<std::string> words = {};
  bool is_prefix = false; // of its last word only the beginning is said

  friend bool operator==(const QueryTerm&, const QueryTerm&) = default;
};

// What a person searches for, as MATCH of FTS5 takes it. It is never wrong, whatever the person
// typed: every word is quoted, what is no word is left out, and what is over the bounds is too.
struct TextQuery {
  std::string match = {};   // all that must be there, without what must not; empty: nothing must
  std::string exclude = {}; // what must not be there, where nothing must: else it is in `match`
  std::vector<QueryTerm> terms = {}; // what must be there, for marking it
  bool is_empty = true;              // the person typed nothing but spaces

  // Something was typed, and none of it is a word: nothing can be found.
  bool finds_nothing() const { return !is_empty && match.empty() && exclude.empty(); }
};

// The language: SessionFilter::text.
TextQuery parse_query(std::string_view text);

} // namespace upskill::store
