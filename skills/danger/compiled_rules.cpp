#include "skills/danger/compiled_rules.h"

#include "protocol/base/utf8.h"
#include "skills/danger/rule_reader.h"

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

Result<std::vector<Pattern>> compile_patterns(const std::vector<std::string>& patterns) {
  std::vector<Pattern> compiled;
  for (const std::string& pattern : patterns) {
    TRY_ASSIGN(Pattern one, compile_pattern(pattern));
    compiled.push_back(std::move(one));
  }
  return compiled;
}

Result<CompiledRule> compile_rule(const Rule& rule) {
  CompiledRule compiled;
  TRY_ASSIGN(compiled.regex, compile_pattern(rule.regex));
  TRY_ASSIGN(compiled.match_has, compile_patterns(rule.match_has));
  TRY_ASSIGN(compiled.match_lacks, compile_patterns(rule.match_lacks));
  TRY_ASSIGN(compiled.unit_has, compile_patterns(rule.unit_has));
  TRY_ASSIGN(compiled.unit_lacks, compile_patterns(rule.unit_lacks));
  TRY_ASSIGN(compiled.with_lacks, compile_patterns(rule.with_lacks));
  if (!rule.with.empty()) {
    TRY_ASSIGN(compiled.with, compile_pattern(rule.with));
  }
  return compiled;
}

} // namespace

Result<Pattern> compile_pattern(const std::string& pattern) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false); // they would go to stderr
  options.set_case_sensitive(false);
  options.set_dot_nl(true);
  options.set_max_mem(k_max_pattern_memory);
  auto compiled = std::make_unique<re2::RE2>(pattern, options);
  if (!compiled->ok()) {
    return fail(ErrorCode::invalid_argument,
                "has a pattern that RE2 does not read: " + to_valid_utf8(compiled->error()),
                "see https://github.com/google/re2/wiki/Syntax");
  }
  return compiled;
}

bool found_in(std::string_view text, const Pattern& pattern) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
}

Result<CompiledRules> CompiledRules::compile(std::vector<Rule> rules) {
  CompiledRules made;
  std::map<std::string, std::vector<std::uint16_t>> by_keyword;
  for (const Rule& rule : rules) {
    Result<CompiledRule> compiled = compile_rule(rule);
    if (!compiled) {
      compiled.error().message = "rule `" + rule.id + "` " + compiled.error().message;
    }
    TRY(compiled);
    auto number = static_cast<std::uint16_t>(made.m_compiled.size());
    for (const std::string& keyword : rule.keywords) {
      by_keyword[keyword].push_back(number);
    }
    made.m_compiled.push_back(std::move(*compiled));
  }
  std::vector<std::string> keywords;
  for (auto& [keyword, of] : by_keyword) {
    keywords.push_back(keyword);
    made.m_rules_of.push_back(std::move(of));
  }
  made.m_prefilter = redact::Prefilter(keywords);
  made.m_rules = std::move(rules);
  TRY_ASSIGN(made.m_attack_words, compile_pattern(std::string(k_attack_words)));
  TRY_ASSIGN(made.m_forbidding, compile_pattern(std::string(k_forbidding)));
  return made;
}

const Result<CompiledRules>& CompiledRules::built_in() {
  static const Result<CompiledRules> k_rules = [] {
    auto rules = read_rules(k_embedded_rules);
    return rules ? compile(std::move(*rules)) : Result<CompiledRules>(fail(rules.error()));
  }();
  return k_rules;
}

} // namespace upskill::danger
