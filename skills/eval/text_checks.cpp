#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/eval/finding.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/pattern.h"

#include <utility>

namespace upskill::eval {
namespace {

constexpr std::size_t k_shown = 80; // bytes of a text in evidence

std::string shown(std::string_view text) {
  return in_backticks(utf8_prefix(text, k_shown));
}

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) {
    out += (out.empty() ? "" : ", ") + shown(text);
  }
  return out;
}

Finding all_found(const std::vector<std::string>& found,
                  const std::vector<std::string>& missing,
                  std::string_view where) {
  if (missing.empty()) {
    return passes(std::string(where) + " has " + list(found));
  }
  return fails(std::string(where) + " does not have " + list(missing));
}

Finding find_values(const Check& check, const GradedText& text, std::string_view where) {
  std::vector<std::string> found;
  std::vector<std::string> missing;
  for (const std::string& value : check.values) {
    std::string folded = document::fold_case(to_valid_utf8(value));
    bool there = text.folded().find(folded) != std::string::npos;
    (there ? found : missing).push_back(value);
  }
  return all_found(found, missing, where);
}

Finding find_any_value(const Check& check, const GradedText& text, std::string_view where) {
  std::vector<std::string> found;
  for (const std::string& value : check.values) {
    if (text.folded().find(document::fold_case(to_valid_utf8(value))) != std::string::npos) {
      found.push_back(value);
    }
  }
  return found.empty() ? fails(std::string(where) + " has none of " + list(check.values))
                       : passes(std::string(where) + " has " + list(found));
}

Finding find_patterns(const Check& check, const GradedText& text, std::string_view where) {
  std::vector<std::string> found;
  std::vector<std::string> missing;
  for (const std::string& value : check.values) {
    Result<Pattern> pattern = Pattern::compile(value);
    if (!pattern) {
      return cannot_say(shown(value) + " " + pattern.error().message);
    }
    (pattern->found_in(text.text()) ? found : missing).push_back(value);
  }
  return all_found(found, missing, where);
}

Finding compare(const Check& check, const GradedText& text, std::string_view where) {
  std::string_view wanted;
  if (!check.values.empty()) {
    wanted = document::strip(check.values.front());
  }
  std::string_view given = document::strip(text.text());
  bool equal = check.kind == CheckKind::equals ? given == wanted : given.starts_with(wanted);
  std::string evidence = std::string(where)
                         + (check.kind == CheckKind::equals ? " is " : " starts with ")
                         + shown(given);
  return equal ? passes(evidence) : fails(evidence);
}

Finding match(const Check& check, const GradedText& text, std::string_view where) {
  Result<SchemaVerdict> verdict = match_schema(check.schema, text.text());
  if (!verdict) {
    return cannot_say("the schema: " + verdict.error().message);
  }
  return verdict->valid ? passes(std::string(where) + " is as the schema says")
                        : fails(verdict->problem);
}

Finding say(CheckVerdict verdict, std::string_view evidence) {
  return {verdict, std::string(utf8_prefix(evidence, k_max_evidence))};
}

} // namespace

Finding passes(std::string_view evidence) {
  return say(CheckVerdict::passed, evidence);
}

Finding fails(std::string_view evidence) {
  return say(CheckVerdict::failed, evidence);
}

Finding cannot_say(std::string_view reason) {
  return say(CheckVerdict::unknown, reason);
}

GradedText::GradedText(std::string_view text)
    : m_text(to_valid_utf8(text))
    , m_folded(document::fold_case(m_text)) {}

Finding look_into(const Check& check, const GradedText& text, std::string_view where) {
  switch (check.kind) {
  case CheckKind::contains:
  case CheckKind::icontains:
  case CheckKind::file_contains:
    return find_values(check, text, where);
  case CheckKind::contains_any:
  case CheckKind::icontains_any:
    return find_any_value(check, text, where);
  case CheckKind::regex:
    return find_patterns(check, text, where);
  case CheckKind::equals:
  case CheckKind::starts_with:
    return compare(check, text, where);
  case CheckKind::is_json:
    return is_json_text(text.text()) ? passes(std::string(where) + " is JSON")
                                     : fails(std::string(where) + " is not JSON");
  case CheckKind::json_schema:
    return match(check, text, where);
  default:
    return cannot_say("it does not look into a text");
  }
}

} // namespace upskill::eval
