#include "skills/danger/compiled_rules.h"

#include "skills/danger/rule_reader.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace upskill::danger {

// rules.json, put into the program by the build.
extern const std::string_view k_embedded_rules;

namespace {

constexpr std::int64_t k_max_pattern_memory = 8 << 20; // bytes, as RE2 counts them

// Words of the trade, and none that an attacker needs to make a step look important: `warning`,
// `security` and `do not` are in every lure.
constexpr std::string_view k_attack_words =
    R"(\b(?:malicious(?:ly)?|malware|attack(?:s|er|ers|ing)?|exploit(?:s|ation)?|injections?|jailbreaks?)"
    R"(|adversarial|detect(?:s|ed|ion|ing)?|suspicious|red\s+flags?|vulnerab\w+|payloads?)"
    R"(|anti-?patterns?|dangerous|destructive|harmful|catastrophic|unsafe|untrusted|insecure)"
    R"(|pentest\w*|penetration\s+test\w*|red[- ]team\w*|forensics?|ctf|scanners?|threats?|indicators?\s+of|IOCs?)"
    R"(|blocklist|denylist|guard(?:rail)?s?|blocked\s+commands?|prompt\s+hacking|phishing)\b)";
constexpr std::string_view k_forbidding =
    R"(\b(?:never|don'?t|do\s+not|must\s+not|should\s+not|cannot|avoid|refuse|reject|block|deny|prevent)"
    R"(|prohibit(?:ed)?|forbid(?:den)?|instead\s+of|rather\s+than|without)\b[^.!?;]*$)";

Pattern pattern_of(const std::string& text) {
  return {text, {.max_memory = k_max_pattern_memory, .ignores_case = true, .dot_is_any = true}};
}

std::vector<Pattern> patterns_of(const std::vector<std::string>& texts) {
  std::vector<Pattern> patterns;
  std::ranges::transform(texts, std::back_inserter(patterns), pattern_of);
  return patterns;
}

CompiledRule compile_rule(const Rule& rule) {
  CompiledRule compiled;
  compiled.regex = pattern_of(rule.regex);
  compiled.match_has = patterns_of(rule.match_has);
  compiled.match_lacks = patterns_of(rule.match_lacks);
  compiled.unit_has = patterns_of(rule.unit_has);
  compiled.unit_lacks = patterns_of(rule.unit_lacks);
  compiled.with_lacks = patterns_of(rule.with_lacks);
  if (!rule.with.empty()) {
    compiled.with = pattern_of(rule.with);
  }
  return compiled;
}

Result<void> check_rule(const CompiledRule& rule) {
  TRY(rule.regex.check());
  if (rule.with) {
    TRY(rule.with.check());
  }
  for (const std::vector<Pattern>* patterns :
       {&rule.match_has, &rule.match_lacks, &rule.unit_has, &rule.unit_lacks, &rule.with_lacks}) {
    for (const Pattern& pattern : *patterns) {
      TRY(pattern.check());
    }
  }
  return {};
}

} // namespace

bool found_in(std::string_view text, const Pattern& pattern) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
}

CompiledRules CompiledRules::compile(std::vector<Rule> rules) {
  CompiledRules made;
  std::map<std::string, std::vector<std::uint16_t>> by_keyword;
  for (const Rule& rule : rules) {
    auto number = static_cast<std::uint16_t>(made.m_compiled.size());
    for (const std::string& keyword : rule.keywords) {
      by_keyword[keyword].push_back(number);
    }
    made.m_compiled.push_back(compile_rule(rule));
  }
  std::vector<std::string> keywords;
  for (auto& [keyword, of] : by_keyword) {
    keywords.push_back(keyword);
    made.m_rules_of.push_back(std::move(of));
  }
  made.m_prefilter = redact::Prefilter(keywords);
  made.m_rules = std::move(rules);
  made.m_attack_words = pattern_of(std::string(k_attack_words));
  made.m_forbidding = pattern_of(std::string(k_forbidding));
  return made;
}

Result<void> CompiledRules::check() const {
  for (std::size_t i = 0; i < m_rules.size(); ++i) {
    Result<void> checked = check_rule(m_compiled[i]);
    if (!checked) {
      checked.error().message =
          "rule `" + m_rules[i].id
          + "` has a pattern that RE2 does not read: " + checked.error().message;
      return checked;
    }
  }
  TRY(m_attack_words.check());
  return m_forbidding.check();
}

const Result<CompiledRules>& CompiledRules::built_in() {
  static const Result<CompiledRules> k_rules = [] {
    auto rules = read_rules(k_embedded_rules);
    return rules ? Result<CompiledRules>(compile(std::move(*rules)))
                 : Result<CompiledRules>(fail(rules.error()));
  }();
  return k_rules;
}

} // namespace upskill::danger
