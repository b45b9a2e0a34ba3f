#include "skills/danger/checks.h"

#include <string>

namespace upskill::danger {
namespace {

constexpr std::string_view k_definite_hint =
    "take it out and replace it where it is used; whoever has the skill has the secret";
constexpr std::string_view k_candidate_hint = "see whether it is one; if so, take it out";

} // namespace

void check_secrets(const FileView& view, const redact::RuleSet& rules, Findings& findings) {
  for (const redact::Finding& one : view.secrets()) {
    const redact::Rule& rule = rules.rules()[one.rule];
    bool is_definite = rule.confidence == redact::Confidence::definite;
    std::string message = (is_definite ? "holds a secret: " : "holds what may be a secret: ")
                          + (rule.description.empty() ? rule.id : rule.description);
    findings.add(view,
                 {is_definite ? "secret" : "secret-candidate",
                  is_definite ? Severity::severe : Severity::note,
                  message,
                  is_definite ? k_definite_hint : k_candidate_hint},
                 one.begin,
                 one.end);
  }
}

} // namespace upskill::danger
