#include "skills/store/trace_snippet.h"

#include "protocol/base/utf8.h"
#include "skills/store/trace_words.h"

#include <algorithm>
#include <optional>

namespace upskill::store {
namespace {

constexpr std::size_t k_before =
    60; // bytes before what was found, so that one sees where it stands

// Where the term stands, if it begins with this word.
std::optional<Word>
match_at(std::string_view text, Word word, const std::string& folded, const QueryTerm& term) {
  Word whole = word;
  for (std::size_t i = 0; i < term.words.size(); ++i) {
    if (i > 0) {
      std::optional<Word> next = next_word(text, whole.end);
      if (!next) {
        return std::nullopt;
      }
      word = *next;
    }
    const std::string& wanted = term.words[i];
    std::string_view bytes = text.substr(word.begin, word.end - word.begin);
    std::string found = i == 0 ? folded : folded_word(bytes);
    bool is_last = i + 1 == term.words.size();
    if (is_last && term.is_prefix ? !found.starts_with(wanted) : found != wanted) {
      return std::nullopt;
    }
    whole.end = word.end;
  }
  return whole;
}

// The first of the terms at `from` or behind it, before `end`; the longest where several begin.
std::optional<Word> next_match(std::string_view text,
                               std::span<const QueryTerm> terms,
                               std::size_t from,
                               std::size_t end) {
  for (auto word = next_word(text, from); word && word->begin < end;
       word = next_word(text, word->end)) {
    std::string folded = folded_word(text.substr(word->begin, word->end - word->begin));
    std::optional<Word> longest;
    for (const QueryTerm& term : terms) {
      std::optional<Word> match = match_at(text, *word, folded, term);
      if (match && (!longest || match->end > longest->end)) {
        longest = match;
      }
    }
    if (longest) {
      return longest;
    }
  }
  return std::nullopt;
}

bool is_within(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// From a word's beginning, where one begins soon.
std::size_t begin_of_window(std::string_view text, std::size_t found) {
  if (found <= k_before) {
    return 0;
  }
  std::size_t begin = found - k_before;
  std::size_t space = text.find_first_of(" \n\t", begin);
  begin = space < found ? space + 1 : begin;
  while (is_within(text, begin)) {
    ++begin;
  }
  return begin;
}

Snippet cut_window(std::string_view text,
                   IndexField field,
                   std::size_t begin,
                   std::span<const QueryTerm> terms) {
  std::string_view window = utf8_prefix(text.substr(begin), k_snippet);
  Snippet snippet{.field = field,
                  .text = std::string(window),
                  .begins_within = begin > 0,
                  .ends_within = begin + window.size() < text.size()};
  for (char& c : snippet.text) {
    c = static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? ' ' : c;
  }
  std::size_t end = begin + window.size();
  for (auto match = next_match(text, terms, begin, end); match && match->begin < end;
       match = next_match(text, terms, match->end, end)) {
    snippet.marks.push_back({match->begin - begin, std::min(match->end, end) - match->begin});
  }
  return snippet;
}

} // namespace

Snippet make_snippet(const IndexText& text, std::span<const QueryTerm> terms) {
  const std::pair<IndexField, std::string_view> fields[] = {{IndexField::prompts, text.prompts},
                                                            {IndexField::work, text.work},
                                                            {IndexField::answers, text.answers}};
  for (const auto& [field, words] : fields) {
    if (auto match = next_match(words, terms, 0, words.size())) {
      return cut_window(words, field, begin_of_window(words, match->begin), terms);
    }
  }
  return cut_window(text.prompts, IndexField::prompts, 0, {});
}

} // namespace upskill::store
