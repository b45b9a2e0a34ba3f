#include "skills/redact/rule_set.h"

#include "skills/redact/compiled_rules.h"
#include "skills/redact/rule_reader.h"

namespace upskill::redact {

// rules.json, put into the program by the build.
extern const std::string_view k_embedded_rules;

RuleSet::RuleSet(std::shared_ptr<const CompiledRules> compiled)
    : m_compiled(std::move(compiled)) {}

Result<RuleSet> RuleSet::built_in() {
  std::vector<Rule> rules;
  TRY(lay_over(rules, k_embedded_rules, "rules.json"));
  TRY_ASSIGN(auto compiled, CompiledRules::compile(std::move(rules), "rules.json"));
  return RuleSet(std::move(compiled));
}

Result<RuleSet> RuleSet::with(std::string_view user_json, std::string_view what) const {
  std::vector<Rule> laid(rules().begin(), rules().end());
  TRY(lay_over(laid, user_json, what));
  TRY_ASSIGN(auto compiled, CompiledRules::compile(std::move(laid), what));
  TRY(compiled->check(what));
  return RuleSet(std::move(compiled));
}

std::span<const Rule> RuleSet::rules() const {
  return m_compiled->rules();
}

const std::string& RuleSet::version() const {
  return m_compiled->version();
}

} // namespace upskill::redact
