#pragma once
#include "protocol/base/result.h"
#include "skills/redact/rule.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace upskill::redact {

class CompiledRules;

// Rules ready for use. A copy is a handle of the same rules.
// Owner: anyone. Thread: any, it does not change. Lifetime: as long as its last copy.
class RuleSet {
public:
  // The rules this program was built with (rules.json); its failure is a bug that a test catches.
  static Result<RuleSet> built_in();

  // These with a person's rules over them: a known id replaces the keys it has, or goes with
  // `"enabled": false`; another one is added. All are taken or none; an error names `what`, the
  // rule and the key. The text is not trusted: 1 MiB, 1,024 rules, patterns of 4 KiB.
  Result<RuleSet> with(std::string_view user_json, std::string_view what) const;

  std::span<const Rule> rules() const;

  // A digest (64 hexadecimal digits) of all that decides what is found: the rules, and the version
  // of the engine. What was scanned with another one has to be scanned again.
  const std::string& version() const;

  // For the other classes of this folder.
  const CompiledRules& compiled() const { return *m_compiled; }

private:
  explicit RuleSet(std::shared_ptr<const CompiledRules> compiled);

  std::shared_ptr<const CompiledRules> m_compiled;
};

} // namespace upskill::redact
