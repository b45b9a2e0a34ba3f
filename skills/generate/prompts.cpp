#include "skills/generate/prompts.h"

#include "skills/document/unicode.h"
#include "skills/generate/failure_texts.h"
#include "skills/generate/other_texts.h"
#include "skills/generate/prompt_file.h"

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_lessons = 100;
constexpr std::size_t k_lessons_room = 300'000; // bytes of them all

void add_brief(OtherTexts& texts, const Brief& brief) {
  add_task(texts, brief.task);
  add_examples(texts, brief.examples);
  add_tools(texts, brief.tools);
}

bool teaches(std::string_view lesson) {
  lesson = document::strip(lesson);
  return !lesson.empty() && !lesson.starts_with(k_no_skill);
}

} // namespace

Prompt draft_prompt(const Brief& brief) {
  OtherTexts texts;
  add_brief(texts, brief);
  add_evidence(texts, "evidence", brief.evidence);
  return make_draft_prompt(!brief.evidence.empty()   ? "draft_from_evidence"
                           : !brief.examples.empty() ? "draft_from_examples"
                                                     : "draft",
                           texts);
}

Prompt improve_prompt(const Brief& brief, const Draft& current) {
  OtherTexts texts;
  add_brief(texts, brief);
  add_draft(texts, current);
  add_evidence(texts, "evidence", brief.evidence);
  return make_draft_prompt("improve", texts);
}

Prompt refine_prompt(const Brief& brief, const Draft& draft, const std::vector<Failure>& failures) {
  constexpr std::size_t k_bytes_of_token = 4;
  OtherTexts texts;
  add_brief(texts, brief);
  add_evidence(texts, "evidence", brief.evidence);
  add_draft(texts, draft);
  add_failures(texts, failures, k_failure_tokens * k_bytes_of_token);
  return make_draft_prompt("refine", texts);
}

Prompt lesson_prompt(const Brief& brief) {
  OtherTexts texts;
  add_brief(texts, brief);
  add_evidence(texts, "evidence", brief.evidence);
  return make_prompt("lesson", texts);
}

Prompt merge_prompt(const Brief& brief, const std::vector<std::string>& lessons) {
  OtherTexts texts;
  add_brief(texts, brief);
  std::vector<std::string> shown;
  for (const std::string& lesson : lessons) {
    if (teaches(lesson)) {
      shown.push_back(lesson);
    }
  }
  texts.add_each("lesson", shown, k_most_lessons, k_lessons_room);
  return make_draft_prompt("merge", texts);
}

} // namespace upskill::generate
