#include "skills/danger/checks.h"
#include "skills/danger/compiled_rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace upskill::danger {
namespace {

constexpr std::size_t k_most_matches = 64; // of one rule in one passage
constexpr std::size_t k_clause = 80;       // bytes before a match in which it may be forbidden

struct Match {
  std::uint16_t rule = 0;
  Severity severity = Severity::note;
  std::size_t begin = 0; // bytes in the file
  std::size_t end = 0;
  std::size_t line = 0;
};

Severity one_less(Severity severity) {
  return severity == Severity::severe ? Severity::warning : Severity::note;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

bool has_all(std::string_view text, const std::vector<Pattern>& patterns) {
  return std::ranges::all_of(patterns, [&](const Pattern& one) { return found_in(text, one); });
}

bool has_any(std::string_view text, const std::vector<Pattern>& patterns) {
  return std::ranges::any_of(patterns, [&](const Pattern& one) { return found_in(text, one); });
}

bool is_comment(std::string_view unit) {
  std::size_t begin = unit.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return false;
  }
  std::string_view text = unit.substr(begin);
  return (text.starts_with('#') && !text.starts_with("#!")) || text.starts_with("//")
         || text.starts_with("* ") || text.starts_with("REM ");
}

// A match within back-ticks, or right behind the beginning of quotes.
bool is_quoted(std::string_view unit, std::size_t begin, std::size_t end) {
  std::string_view before = unit.substr(0, begin);
  bool is_open = std::ranges::count(before, '`') % 2 == 1;
  if (is_open && unit.find('`', end) != std::string_view::npos) {
    return true;
  }
  while (before.ends_with(' ') || before.ends_with('*') || before.ends_with('(')) {
    before.remove_suffix(1);
  }
  return before.ends_with('"') || before.ends_with('\'') || before.ends_with('`')
         || before.ends_with("\xE2\x80\x9C") || before.ends_with("\xE2\x80\x98") // “ and ‘
         || before.ends_with("\xC2\xAB") || before.ends_with("\xE3\x80\x8C");    // « and 「
}

// Tries the rules on one file.
class Search {
public:
  Search(const FileView& view, const CompiledRules& rules, Findings& findings)
      : m_view(view)
      , m_rules(rules)
      , m_findings(findings)
      , m_counts(rules.rules().size())
      , m_seen(rules.rules().size(), 0)
      , m_talks(view.passages().size()) {}

  void run() {
    const std::vector<Passage>& passages = m_view.passages();
    std::vector<std::uint16_t> met;
    for (std::uint32_t i = 0; i < passages.size(); ++i) {
      met.clear();
      m_rules.prefilter().scan(unit(i), [&](std::uint32_t keyword, std::size_t, std::size_t) {
        for (std::uint16_t rule : m_rules.rules_of(keyword)) {
          if (m_seen[rule] != i + 1) {
            m_seen[rule] = i + 1;
            met.push_back(rule);
          }
        }
      });
      for (std::uint16_t rule : met) {
        auto place = static_cast<std::size_t>(passages[i].place);
        if (m_rules.rules()[rule].looks_at[place]) {
          search(rule, i, *m_rules.rules()[rule].looks_at[place]);
        }
      }
    }
    tell();
  }

private:
  std::string_view unit(std::uint32_t passage) const {
    const Passage& one = m_view.passages()[passage];
    return m_view.text().substr(one.begin, one.end - one.begin);
  }

  void search(std::uint16_t rule, std::uint32_t passage, Severity severity) {
    std::string_view text = unit(passage);
    const CompiledRule& compiled = m_rules.compiled(rule);
    bool is_wanted = has_all(text, compiled.unit_has) && !has_any(text, compiled.unit_lacks);
    std::size_t at = 0;
    for (std::size_t i = 0; i < k_most_matches && is_wanted && at < text.size(); ++i) {
      re2::StringPiece found;
      if (!compiled.regex->Match(piece(text), at, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
        return;
      }
      auto begin = static_cast<std::size_t>(found.data() - text.data());
      at = std::max(begin + found.size(), at + 1);
      take(rule, passage, severity, begin, begin + found.size());
    }
  }

  void take(std::uint16_t rule,
            std::uint32_t passage,
            Severity severity,
            std::size_t begin,
            std::size_t end) {
    std::string_view text = unit(passage);
    std::string_view match = text.substr(begin, end - begin);
    const CompiledRule& compiled = m_rules.compiled(rule);
    const Passage& one = m_view.passages()[passage];
    if (!has_all(match, compiled.match_has) || has_any(match, compiled.match_lacks)
        || !is_accompanied(rule, one.begin + begin, one.begin + end)) {
      return;
    }
    if (!m_rules.rules()[rule].mention_counts && is_mention(rule, passage, begin, end)) {
      severity = one_less(severity);
    }
    std::size_t& count = m_counts[rule][static_cast<std::size_t>(severity)];
    if (++count > k_most_of_a_kind) {
      m_findings.leave_out(1);
      return;
    }
    std::size_t from = one.begin + begin;
    while (from < one.begin + end && m_view.text()[from] == '\n') {
      ++from; // of the line where it stands, and not of the one before
    }
    m_matches.push_back({rule, severity, from, one.begin + end, m_view.place_of(from).line});
  }

  // Whether what `with` says is in the file, near enough.
  bool is_accompanied(std::uint16_t rule, std::size_t begin, std::size_t end) {
    if (!m_rules.compiled(rule).with) {
      return true;
    }
    const std::vector<std::size_t>& places = places_of(rule, m_rules.compiled(rule));
    std::optional<std::size_t> within = m_rules.rules()[rule].within;
    if (!within) {
      return !places.empty();
    }
    auto near = std::ranges::lower_bound(places, begin - std::min(begin, *within));
    return near != places.end() && *near <= end + *within;
  }

  // Where it begins, all over the file; looked for once.
  const std::vector<std::size_t>& places_of(std::uint16_t rule, const CompiledRule& compiled) {
    auto [at, is_new] = m_places.try_emplace(rule);
    for (std::uint32_t i = 0; is_new && i < m_view.passages().size(); ++i) {
      std::string_view text = unit(i);
      std::size_t from = 0;
      re2::StringPiece found;
      while (from < text.size()
             && compiled.with->Match(
                 piece(text), from, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
        auto begin = static_cast<std::size_t>(found.data() - text.data());
        if (!has_any({found.data(), found.size()}, compiled.with_lacks)) {
          at->second.push_back(m_view.passages()[i].begin + begin);
        }
        from = std::max(begin + found.size(), from + 1);
      }
    }
    if (is_new) {
      std::ranges::sort(at->second);
    }
    return at->second;
  }

  bool talks_of_attacks(std::uint32_t passage) {
    if (passage == k_no_passage) {
      return false;
    }
    std::optional<bool>& talks = m_talks[passage];
    if (!talks) {
      talks = found_in(unit(passage), m_rules.attack_words());
    }
    return *talks;
  }

  // Whether the text talks about it: what is hidden or runs by itself never does.
  bool is_mention(std::uint16_t rule, std::uint32_t passage, std::size_t begin, std::size_t end) {
    const Passage& one = m_view.passages()[passage];
    std::string_view text = unit(passage);
    switch (one.place) {
    case Place::hidden:
    case Place::load:
      return false;
    case Place::script:
    case Place::data:
      return is_comment(text);
    case Place::prose:
    case Place::front_matter:
    case Place::code:
      break;
    }
    std::size_t from = begin - std::min(begin, k_clause);
    return talks_of_attacks(passage) || talks_of_attacks(one.heading)
           || talks_of_attacks(one.before)
           || found_in(text.substr(from, begin - from), m_rules.forbidding())
           || (m_rules.rules()[rule].is_speech && is_quoted(text, begin, end));
  }

  // Of a group only the most severe on a line.
  void tell() {
    auto group = [&](const Match& one) -> const std::string& {
      return m_rules.rules()[one.rule].group;
    };
    std::ranges::sort(m_matches, {}, [&](const Match& one) {
      return std::tuple(one.line, group(one), one.severity, one.rule, one.begin);
    });
    const Match* last = nullptr;
    for (const Match& one : m_matches) {
      if (last == nullptr || last->line != one.line || group(*last) != group(one)) {
        const Rule& rule = m_rules.rules()[one.rule];
        m_findings.add(
            m_view, {rule.id, one.severity, rule.message, rule.hint}, one.begin, one.end);
      }
      last = &one;
    }
  }

  const FileView& m_view;
  const CompiledRules& m_rules;
  Findings& m_findings;
  std::vector<std::array<std::size_t, 3>> m_counts; // by rule and severity
  std::vector<std::uint32_t> m_seen;                // the last passage, from 1, of each rule
  std::vector<std::optional<bool>> m_talks;         // whether a passage talks of attacks
  std::map<std::uint16_t, std::vector<std::size_t>> m_places = {};
  std::vector<Match> m_matches = {};
};

} // namespace

void check_patterns(const FileView& view, const CompiledRules& rules, Findings& findings) {
  Search(view, rules, findings).run();
}

} // namespace upskill::danger
