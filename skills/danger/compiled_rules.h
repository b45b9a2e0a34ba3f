#pragma once
#include "protocol/base/result.h"
#include "skills/danger/rule.h"
#include "skills/redact/late_pattern.h"
#include "skills/redact/prefilter.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

// Only .cpp files include this: re2.h is large.
namespace upskill::danger {

using Pattern = redact::LatePattern;

bool found_in(std::string_view text, const Pattern& pattern);

struct CompiledRule {
  Pattern regex;
  std::vector<Pattern> match_has;
  std::vector<Pattern> match_lacks;
  std::vector<Pattern> unit_has;
  std::vector<Pattern> unit_lacks;
  std::vector<Pattern> with_lacks;
  Pattern with; // none where the rule has none
};

// The rules ready for use.
// Owner: built_in(). Thread: any, what changes guards itself.
class CompiledRules {
public:
  // Patterns are not looked at before they are needed.
  static CompiledRules compile(std::vector<Rule> rules);
  // Compiles every pattern.
  Result<void> check() const;

  // rules.json, read at the first call. Its failure is a bug that a test catches.
  static const Result<CompiledRules>& built_in();

  std::span<const Rule> rules() const { return m_rules; }

  const CompiledRule& compiled(std::size_t rule) const { return m_compiled[rule]; }

  const redact::Prefilter& prefilter() const { return m_prefilter; }

  // The rules that have the keyword, by number.
  std::span<const std::uint16_t> rules_of(std::uint32_t keyword) const {
    return m_rules_of[keyword];
  }

  // What a text says that talks about attacks, and does not make one.
  const Pattern& attack_words() const { return m_attack_words; }

  // What stands before something that is forbidden, in the same clause.
  const Pattern& forbidding() const { return m_forbidding; }

private:
  std::vector<Rule> m_rules = {};
  std::vector<CompiledRule> m_compiled = {};
  std::vector<std::vector<std::uint16_t>> m_rules_of = {};
  redact::Prefilter m_prefilter = {};
  Pattern m_attack_words = {};
  Pattern m_forbidding = {};
};

} // namespace upskill::danger
