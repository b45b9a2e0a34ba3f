#pragma once
#include "skills/eval/grade.h"

#include <string>
#include <string_view>

namespace upskill::eval {

// What one check says before its negation, and why.
struct Finding {
  CheckVerdict verdict = CheckVerdict::unknown;
  std::string evidence = {};
};

Finding passes(std::string_view evidence);
Finding fails(std::string_view evidence);
Finding cannot_say(std::string_view reason);

// A text that checks look into, case-folded once for all of them.
class GradedText {
public:
  GradedText() = default;
  explicit GradedText(std::string_view text);

  const std::string& text() const { return m_text; }

  const std::string& folded() const { return m_folded; }

private:
  std::string m_text;
  std::string m_folded;
};

// Kinds that look into a text: contains, icontains, their `_any`, file_contains, regex, equals,
// starts_with, is_json, json_schema. `where` ends the evidence: "the answer".
Finding look_into(const Check& check, const GradedText& text, std::string_view where);

} // namespace upskill::eval
