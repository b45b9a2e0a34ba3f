#pragma once
#include "protocol/base/result.h"
#include "skills/redact/late_pattern.h"
#include "skills/redact/prefilter.h"
#include "skills/redact/rule.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Only .cpp files of this folder include this: re2.h is large.
namespace upskill::redact {

// A rule and its patterns.
struct CompiledRule {
  LatePattern regex;
  std::vector<LatePattern> allowed; // in the secret
  std::vector<LatePattern> before;  // at the end of what comes before it
};

// Owner: RuleSet. Thread: any, what changes guards itself.
class CompiledRules {
public:
  // Patterns are not looked at before they are needed.
  static Result<std::shared_ptr<const CompiledRules>> compile(std::vector<Rule> rules,
                                                              std::string_view what);
  // Compiles every pattern: those of a person, and in a test our own. `what` is the rules' file.
  Result<void> check(std::string_view what) const;

  std::span<const Rule> rules() const { return m_rules; }

  const CompiledRule& compiled(std::size_t rule) const { return m_compiled[rule]; }

  const Prefilter& prefilter() const { return m_prefilter; }

  // By number.
  std::span<const std::uint16_t> rules_of(std::uint32_t keyword) const {
    return m_rules_of[keyword];
  }

  const std::string& version() const { return m_version; }

  // Where the mark ends that begins at the start of `text`; 0 where none does.
  std::size_t mark_at(std::string_view text) const;

private:
  void index_keywords();
  void digest();

  std::vector<Rule> m_rules = {};
  std::vector<CompiledRule> m_compiled = {};
  std::vector<std::vector<std::uint16_t>> m_rules_of = {};
  std::vector<std::string> m_ids = {}; // sorted
  Prefilter m_prefilter = {};
  std::string m_version = {};
};

} // namespace upskill::redact
