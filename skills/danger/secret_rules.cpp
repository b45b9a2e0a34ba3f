#include "skills/danger/secret_rules.h"

namespace upskill::danger {

const Result<redact::RuleSet>& secret_rules() {
  static const Result<redact::RuleSet> k_rules = redact::RuleSet::built_in();
  return k_rules;
}

} // namespace upskill::danger
