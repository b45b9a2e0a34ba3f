#include "skills/redact/redactor.h"

#include "skills/redact/compiled_rules.h"
#include "skills/redact/key_block.h"
#include "skills/redact/mark.h"
#include "skills/redact/placeholder.h"

#include <algorithm>

namespace upskill::redact {
namespace {

constexpr int k_max_rounds = 32;                   // of redacting what redacting brought to light
constexpr std::size_t k_max_extension = 64u << 10; // bytes of a token that goes on and on
constexpr std::size_t k_context = 64; // bytes before a secret that may make it harmless

bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-' || c == '+' || c == '/' || c == '=' || c == '.' || c == '~' || c == ':';
}

bool is_inner(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool is_behind_escape(std::string_view text, std::size_t at) {
  return at >= 2 && text[at - 2] == '\\'
         && std::string_view("nrtbf").find(text[at - 1]) != std::string_view::npos;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view view(re2::StringPiece text) {
  return {text.data(), text.size()};
}

} // namespace

void Counts::add(std::uint16_t rule, Confidence confidence) {
  (confidence == Confidence::definite ? definite : candidates) += 1;
  auto at = std::ranges::lower_bound(by_rule, rule, {}, &OfRule::rule);
  if (at == by_rule.end() || at->rule != rule) {
    at = by_rule.insert(at, {rule, 0});
  }
  ++at->count;
}

Counts& Counts::operator+=(const Counts& other) {
  definite += other.definite;
  candidates += other.candidates;
  for (const OfRule& one : other.by_rule) {
    auto at = std::ranges::lower_bound(by_rule, one.rule, {}, &OfRule::rule);
    if (at == by_rule.end() || at->rule != one.rule) {
      at = by_rule.insert(at, {one.rule, 0});
    }
    at->count += one.count;
  }
  return *this;
}

Redactor::Redactor(RuleSet rules)
    : m_rules(std::move(rules))
    , m_progress(m_rules.rules().size()) {}

void Redactor::scan(std::string_view text, std::vector<Finding>& findings, Wanted wanted) {
  findings.clear();
  m_text = text;
  m_wanted = wanted;
  m_findings = &findings;
  m_met_behind_escape = false;
  const CompiledRules& compiled = m_rules.compiled();
  compiled.prefilter().scan(text, [&](std::uint32_t keyword, std::size_t begin, std::size_t end) {
    m_met_behind_escape = m_met_behind_escape || is_behind_escape(text, begin);
    for (std::uint16_t rule : compiled.rules_of(keyword)) {
      meet(rule, begin, end);
    }
  });
  for (std::uint16_t rule : m_touched) {
    search_window(rule);
    m_progress[rule] = {};
  }
  m_touched.clear();
  settle(findings);
}

Redactor::Progress& Redactor::progress_of(std::uint16_t rule) {
  Progress& progress = m_progress[rule];
  if (!progress.is_touched) {
    progress.is_touched = true;
    m_touched.push_back(rule);
  }
  return progress;
}

void Redactor::meet(std::uint16_t rule, std::size_t begin, std::size_t end) {
  const Rule& of = m_rules.rules()[rule];
  if (m_wanted == Wanted::definite && of.confidence != Confidence::definite) {
    return;
  }
  // Most keywords are met in words; what follows tells sooner than a regex does.
  for (std::size_t i = 0; i < of.follow; ++i) {
    if (end + i >= m_text.size() || !is_token(m_text[end + i])) {
      return;
    }
  }
  if (of.before == 0) {
    match_at(rule, begin, end);
  } else {
    widen_window(rule, begin, end);
  }
}

void Redactor::match_at(std::uint16_t rule, std::size_t begin, std::size_t end) {
  if (m_progress[rule].is_touched && begin < m_progress[rule].done) {
    return;
  }
  const Rule& of = m_rules.rules()[rule];
  const re2::RE2& regex = *m_rules.compiled().compiled(rule).regex;
  std::size_t stop = std::min(m_text.size(), end + of.longest);
  re2::StringPiece groups[17];
  int wanted = of.secret_group + 1;
  if (!regex.Match(piece(m_text), begin, stop, re2::RE2::ANCHOR_START, groups, wanted)) {
    return;
  }
  take_match(rule, view(groups[0]), view(groups[wanted - 1]), end, stop);
}

void Redactor::widen_window(std::uint16_t rule, std::size_t begin, std::size_t end) {
  const Rule& of = m_rules.rules()[rule];
  std::size_t from = begin - std::min(begin, of.before + 2);
  std::size_t to = std::min(m_text.size(), end + of.longest);
  m_met_behind_escape =
      m_met_behind_escape || m_text.substr(from, begin - from).find('\\') != std::string_view::npos;
  Progress& progress = progress_of(rule);
  if (from > progress.window_end) {
    search_window(rule);
    progress.window_begin = from;
  }
  progress.window_end = std::max(progress.window_end, to);
}

void Redactor::search_window(std::uint16_t rule) {
  Progress& progress = m_progress[rule];
  const Rule& of = m_rules.rules()[rule];
  const re2::RE2& regex = *m_rules.compiled().compiled(rule).regex;
  re2::StringPiece groups[17];
  int wanted = of.secret_group + 1;
  std::size_t at = std::max(progress.window_begin, progress.done);
  std::size_t stop = progress.window_end;
  while (at < stop && regex.Match(piece(m_text), at, stop, re2::RE2::UNANCHORED, groups, wanted)) {
    std::size_t begin = static_cast<std::size_t>(groups[0].data() - m_text.data());
    take_match(rule, view(groups[0]), view(groups[wanted - 1]), begin, stop);
    at = std::max({begin + groups[0].size(), at + 1, progress.done});
  }
  progress.window_begin = stop;
}

// `keyword_end`: where the part ends that all secrets of the kind have in common; `stop`: where the
// window ends that the regex was shown.
void Redactor::take_match(std::uint16_t rule,
                          std::string_view match,
                          std::string_view secret,
                          std::size_t keyword_end,
                          std::size_t stop) {
  const Rule& of = m_rules.rules()[rule];
  if (of.is_block) {
    take_block(rule, match);
    return;
  }
  if (secret.empty()) {
    return;
  }
  std::size_t begin = static_cast<std::size_t>(secret.data() - m_text.data());
  std::size_t end = begin + secret.size();
  if (is_harmless(rule, secret, keyword_end > begin ? keyword_end - begin : 0)) {
    return;
  }
  // Of a token that is longer than the window, or than its kind was yesterday, nothing is left.
  if (end == stop) {
    std::size_t most = std::min(m_text.size(), end + k_max_extension);
    while (end < most && is_token(m_text[end])) {
      ++end;
    }
  }
  progress_of(rule).done = std::max(end, begin + 1);
  add_outside_marks({rule, begin, end}, of.confidence == Confidence::definite);
}

void Redactor::take_block(std::uint16_t rule, std::string_view match) {
  std::size_t begin = static_cast<std::size_t>(match.data() - m_text.data());
  std::size_t end = begin + match.size();
  bool is_definite = m_rules.rules()[rule].confidence == Confidence::definite;
  if (contains_lower(match, "end ")) {
    std::size_t done = progress_of(rule).done;
    BlockPart part = block_before(m_text.substr(done, begin - done));
    if (part.size != 0) {
      add_outside_marks({rule, begin - part.size, end}, is_definite);
    }
    progress_of(rule).done = end;
    return;
  }
  BlockPart part = block_behind(m_text.substr(end));
  if (part.size != 0) {
    progress_of(rule).done = end + part.size;
    add_outside_marks({rule, begin, end + part.size, part.is_open}, is_definite);
  }
}

bool Redactor::is_harmless(std::uint16_t rule, std::string_view secret, std::size_t prefix) const {
  const Rule& of = m_rules.rules()[rule];
  // A rule that asks for no entropy means what it says, words too.
  if (of.entropy > 0
      && (entropy(secret) < of.entropy
          || is_placeholder(secret.substr(std::min(prefix, secret.size()))))) {
    return true;
  }
  for (const std::string& word : of.allowlist.stopwords) {
    if (contains_lower(secret, word)) {
      return true;
    }
  }
  const CompiledRule& compiled = m_rules.compiled().compiled(rule);
  for (const auto& allowed : compiled.allowed) {
    if (re2::RE2::PartialMatch(piece(secret), *allowed)) {
      return true;
    }
  }
  std::size_t begin = static_cast<std::size_t>(secret.data() - m_text.data());
  std::size_t context = std::min(begin, k_context);
  for (const auto& before : compiled.before) {
    if (re2::RE2::PartialMatch(piece(m_text.substr(begin - context, context)), *before)) {
      return true;
    }
  }
  return false;
}

void Redactor::add_outside_marks(Finding finding, bool is_definite) {
  while (finding.begin > 0 && is_inner(m_text[finding.begin])) {
    --finding.begin;
  }
  while (finding.end < m_text.size() && is_inner(m_text[finding.end])) {
    ++finding.end;
  }
  constexpr std::size_t k_longest_mark = k_mark_begin.size() + 65;
  std::size_t at = finding.begin - std::min(finding.begin, k_longest_mark);
  std::size_t begin = finding.begin;
  bool is_marked = false;
  std::string_view until =
      m_text.substr(0, finding.end); // a text without marks is not searched again
  while ((at = until.find(k_mark_begin[0], at)) < finding.end) {
    std::size_t size = m_rules.compiled().mark_at(m_text.substr(at));
    if (size != 0 && at + size > begin) {
      if (at > begin && is_definite) {
        m_findings->push_back({finding.rule, begin, at});
      }
      begin = at + size;
      is_marked = true;
    }
    at += std::max<std::size_t>(size, 1);
  }
  if (begin < finding.end && (is_definite || !is_marked)) {
    m_findings->push_back({finding.rule, begin, finding.end, finding.is_open});
  }
}

void Redactor::settle(std::vector<Finding>& findings) {
  if (findings.size() < 2) {
    return;
  }
  auto rules = m_rules.rules();
  std::ranges::sort(
      findings, {}, [](const Finding& one) { return std::tuple(one.begin, ~one.end, one.rule); });
  // Joined, and not one dropped for the other: no byte of a secret may come out of it.
  auto join = [](std::vector<Finding>& out, const Finding& one, std::size_t& longest) {
    std::size_t size = one.end - one.begin;
    if (out.empty() || one.begin >= out.back().end) {
      out.push_back(one);
      longest = size;
      return;
    }
    Finding& last = out.back();
    if (size > longest) {
      last.rule = one.rule;
      longest = size;
    }
    last.is_open =
        one.end > last.end ? one.is_open : last.is_open || (one.end == last.end && one.is_open);
    last.end = std::max(last.end, one.end);
  };
  m_kept.clear();
  m_candidates.clear();
  std::size_t longest = 0;
  for (const Finding& one : findings) {
    if (rules[one.rule].confidence == Confidence::definite) {
      join(m_kept, one, longest);
    }
  }
  std::size_t next = 0;
  for (const Finding& one : findings) {
    while (next < m_kept.size() && m_kept[next].end <= one.begin) {
      ++next;
    }
    bool is_over = next < m_kept.size() && m_kept[next].begin < one.end;
    if (rules[one.rule].confidence != Confidence::definite && !is_over) {
      join(m_candidates, one, longest);
    }
  }
  findings.resize(m_kept.size() + m_candidates.size());
  std::ranges::merge(m_kept, m_candidates, findings.begin(), {}, &Finding::begin, &Finding::begin);
}

Counts Redactor::redact(std::string& text) {
  Counts counts;
  std::vector<Finding> findings;
  for (int round = 0; round < k_max_rounds; ++round) {
    scan(text, findings);
    auto is_candidate = [&](const Finding& one) {
      return m_rules.rules()[one.rule].confidence != Confidence::definite;
    };
    if (std::ranges::all_of(findings, is_candidate)) {
      for (const Finding& one : findings) {
        counts.add(one.rule, Confidence::candidate);
      }
      break;
    }
    std::erase_if(findings, is_candidate);
    for (const Finding& one : findings) {
      counts.add(one.rule, Confidence::definite);
    }
    put_marks(text, findings, m_rules);
  }
  return counts;
}

void put_marks(std::string& text, const std::vector<Finding>& findings, const RuleSet& rules) {
  std::string marked;
  marked.reserve(text.size() + 16 * findings.size());
  std::size_t plain = 0;
  for (const Finding& one : findings) {
    marked.append(text, plain, one.begin - plain);
    marked += mark_of(rules.rules()[one.rule].id);
    plain = one.end;
  }
  marked.append(text, plain);
  text = std::move(marked);
}

} // namespace upskill::redact
