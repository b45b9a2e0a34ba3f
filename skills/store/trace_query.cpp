#include "skills/store/trace_query.h"

#include "protocol/base/utf8.h"
#include "skills/store/trace_words.h"

#include <algorithm>
#include <optional>

namespace upskill::store {
namespace {

// As typed, without its quotes and signs.
struct Typed {
  std::string_view text;
  bool is_excluded = false;
  bool is_prefix = false;
};

bool is_space(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
}

bool begins_with_word(std::string_view text) {
  constexpr std::size_t k_code_point = 4; // bytes at most
  std::optional<Word> word = next_word(text.substr(0, k_code_point), 0);
  return word && word->begin == 0;
}

// Takes the next of them from `left`; false at the end.
bool take_typed(std::string_view& left, Typed& typed) {
  while (!left.empty() && is_space(left.front())) {
    left.remove_prefix(1);
  }
  if (left.empty()) {
    return false;
  }
  typed = {};
  // `--flag` and `-->` are things to look for, and a lone `-` is nothing.
  if (left.size() > 1 && left[0] == '-' && (left[1] == '"' || begins_with_word(left.substr(1)))) {
    typed.is_excluded = true;
    left.remove_prefix(1);
  }
  std::size_t end = 0;
  if (left.front() == '"') {
    left.remove_prefix(1);
    end = std::min(left.find('"'), left.size());
    typed.text = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (left.starts_with('*')) {
      typed.is_prefix = true;
      left.remove_prefix(1);
    }
    return true;
  }
  while (end < left.size() && !is_space(left[end])) {
    ++end;
  }
  typed.text = left.substr(0, end);
  typed.is_prefix = typed.text.ends_with('*');
  left.remove_prefix(end);
  return true;
}

// Its words, of which only the first `most` are taken; `typed` becomes as short.
QueryTerm term_of(Typed& typed, std::size_t most) {
  QueryTerm term{.is_prefix = typed.is_prefix};
  std::size_t last_end = 0;
  for (auto word = next_word(typed.text, 0); word; word = next_word(typed.text, word->end)) {
    if (term.words.size() == most) {
      typed.text = typed.text.substr(0, last_end);
      term.is_prefix = false;
      break;
    }
    term.words.push_back(folded_word(typed.text.substr(word->begin, word->end - word->begin)));
    last_end = word->end;
  }
  // The beginning of one letter would be that of half of all words, and `foo.*` is no beginning.
  bool is_word_cut = last_end == typed.text.size() || typed.text.substr(last_end) == "*";
  term.is_prefix =
      term.is_prefix && is_word_cut && !term.words.empty() && code_points(term.words.back()) > 1;
  if (term.is_prefix && term.words.size() + k_words_of_beginning > most) {
    term.words.clear(); // as a whole word, it would find nothing
  }
  return term;
}

// In quotes, with no quote and no sign of FTS5's language in it but what separates words.
std::string quoted(const Typed& typed, const QueryTerm& term) {
  std::string text = index_form(typed.text);
  for (char& c : text) {
    c = c == '"' ? ' ' : c;
  }
  return "\"" + text + "\"" + (term.is_prefix ? "*" : "");
}

void join(std::string& all, std::string_view by, std::string_view one) {
  all.append(all.empty() ? std::string_view() : by).append(one);
}

} // namespace

TextQuery parse_query(std::string_view text) {
  TextQuery query;
  std::string valid = to_valid_utf8(utf8_prefix(text, k_max_query));
  std::string_view left = valid;
  std::size_t left_words = k_max_query_words;
  for (Typed typed; left_words > 0 && take_typed(left, typed);) {
    query.is_empty = false;
    QueryTerm term = term_of(typed, left_words);
    if (term.words.empty()) {
      continue;
    }
    left_words -= term.words.size() + (term.is_prefix ? k_words_of_beginning : 0);
    if (typed.is_excluded) {
      join(query.exclude, " OR ", quoted(typed, term));
    } else {
      join(query.match, " AND ", quoted(typed, term));
      query.terms.push_back(std::move(term));
    }
  }
  if (!query.match.empty() && !query.exclude.empty()) {
    query.match = "(" + query.match + ") NOT (" + query.exclude + ")";
    query.exclude.clear();
  }
  return query;
}

} // namespace upskill::store
