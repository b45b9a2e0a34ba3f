#pragma once
#include "protocol/base/result.h"
#include "skills/danger/rule.h"
#include "skills/redact/prefilter.h"

#include <re2/re2.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

// Only .cpp files include this: re2.h is large.
namespace upskill::danger {

using Pattern = std::unique_ptr<re2::RE2>;

// Over bytes, since a file may hold anything. The error is the end of a sentence.
Result<Pattern> compile_pattern(const std::string& pattern);

bool found_in(std::string_view text, const Pattern& pattern);

struct CompiledRule {
  Pattern regex;
  std::vector<Pattern> match_has;
  std::vector<Pattern> match_lacks;
  std::vector<Pattern> unit_has;
  std::vector<Pattern> unit_lacks;
  std::vector<Pattern> with_lacks;
  Pattern with; // null where the rule has none
};

// The rules ready for use.
// Owner: built_in(). Thread: any, it does not change, and RE2 guards what it learns.
class CompiledRules {
public:
  static Result<CompiledRules> compile(std::vector<Rule> rules);

  // rules.json, compiled at the first call (about 30 ms). Its failure is a bug that a test catches.
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
