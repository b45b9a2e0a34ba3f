#include "skills/redact/split_guard.h"

#include "skills/redact/key_block.h"

#include <algorithm>

namespace upskill::redact {
namespace {

constexpr std::size_t k_context = 128;         // bytes before a token that may name it
constexpr std::size_t k_words = 3;             // of the later text: a name, a sign, a value
constexpr std::size_t k_max_known = 16u << 10; // bytes of a secret that is known and goes on

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-' || c == '+' || c == '/' || c == '=' || c == '.' || c == '~';
}

// Whether a text goes on with words, or a number, and not with the rest of something random.
bool starts_with_words(std::string_view text) {
  bool has_digit = false;
  bool has_letter = false;
  for (char c : text.substr(0, k_max_overlap)) {
    bool is_upper = c >= 'A' && c <= 'Z';
    if (!is_token(c)) {
      break;
    }
    if (is_upper && has_letter) {
      return false;
    }
    bool is_lower = c >= 'a' && c <= 'z';
    has_digit = has_digit || (c >= '0' && c <= '9');
    // A sign begins another word.
    has_letter = is_upper || is_lower;
    if (has_digit && has_letter) {
      return false;
    }
  }
  return true;
}

// Where the end of a text begins that matters: its last word with some context, and the whole of a
// secret that goes to its end.
std::size_t end_of(std::string_view text, const std::optional<Finding>& last) {
  std::size_t begin = text.size() - std::min(text.size(), k_max_overlap);
  std::size_t word = text.size();
  while (word > begin && !is_blank(text[word - 1])) {
    --word;
  }
  std::size_t context = text.size() - std::min(text.size(), k_context);
  begin = std::max(begin, std::min(word, context));
  if (last && text.size() - last->begin <= k_max_known) {
    begin = std::min(begin, last->begin - std::min<std::size_t>(last->begin, k_context));
  }
  return begin;
}

std::string_view start_of(std::string_view text) {
  std::string_view start = text.substr(0, k_max_overlap);
  std::size_t at = 0;
  for (std::size_t word = 0; word < k_words && at < start.size(); ++word) {
    while (at < start.size() && is_blank(start[at])) {
      ++at;
    }
    while (at < start.size() && !is_blank(start[at])) {
      ++at;
    }
  }
  return start.substr(0, at);
}

} // namespace

SplitGuard::SplitGuard(RuleSet rules)
    : m_redactor(std::move(rules)) {}

void SplitGuard::continue_block(std::string_view later, std::size_t from, std::uint16_t rule) {
  BlockPart part = block_continued(later.substr(from));
  std::size_t end = from + part.size;
  if (end > 0) {
    m_split.later.push_back({rule, 0, end, part.is_open || end == later.size()});
  }
}

const Split& SplitGuard::between(std::string_view earlier,
                                 std::string_view later,
                                 const std::optional<Finding>& last) {
  m_split.earlier.clear();
  m_split.later.clear();
  if (earlier.empty() || later.empty()) {
    return m_split;
  }
  if (last && last->is_open) {
    continue_block(later, 0, last->rule);
    return m_split;
  }
  std::size_t begin = end_of(earlier, last);
  std::string_view end = earlier.substr(begin);
  std::string_view start = start_of(later);
  // The lines of a key's block are all that goes over the end of a line.
  if (end.find("---") != std::string_view::npos) {
    start = later.substr(0, 2 * k_max_overlap);
  } else if (end.back() == '\n' || start.front() == '\n') {
    return m_split;
  }
  m_joined.assign(end);
  m_joined += start;
  m_redactor.scan(m_joined, m_findings, Wanted::definite);
  for (const Finding& one : m_findings) {
    bool is_known = last && begin + one.begin == last->begin;
    if (one.end <= end.size() || (is_known && starts_with_words(later))) {
      continue;
    }
    if (one.begin < end.size()) {
      m_split.earlier.push_back({one.rule, begin + one.begin, earlier.size()});
    }
    std::size_t from = std::max(one.begin, end.size()) - end.size();
    std::size_t to = one.end - end.size();
    if (one.is_open) {
      continue_block(later, to, one.rule);
      continue;
    }
    while (one.end == m_joined.size() && to < later.size() && is_token(later[to])) {
      ++to;
    }
    m_split.later.push_back({one.rule, from, to});
  }
  return m_split;
}

} // namespace upskill::redact
