#include "skills/generate/other_texts.h"
#include "skills/generate/prompt_file.h"
#include "skills/generate/prompts.h"
#include "skills/generate/reply_schemas.h"
#include "skills/generate/test_cases.h"

#include <algorithm>

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_known = 200;     // inputs of cases that exist
constexpr std::size_t k_known_room = 100'000; // bytes of them all
constexpr std::size_t k_most_name = 1000;
constexpr std::size_t k_most_about = 10'000;

std::string counted(std::size_t count, std::string_view word) {
  count = std::clamp<std::size_t>(count, 1, k_most_cases);
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

} // namespace

Prompt case_prompt(const CaseRequest& request) {
  OtherTexts texts;
  texts.add("name", request.name, k_most_name);
  texts.add("description", request.description, k_most_about);
  texts.add("skill", request.body, k_max_skill_text);
  return make_prompt(
      "test_cases", texts, {{"cases", counted(request.count, "test case")}}, k_cases_schema);
}

Prompt task_cases_prompt(const CasesWanted& wanted) {
  OtherTexts texts;
  add_task(texts, wanted.task);
  texts.add("about", wanted.about, k_most_about);
  add_examples(texts, wanted.examples);
  add_tools(texts, wanted.tools);
  add_evidence(texts, "held_out", wanted.held_out);
  texts.add_each("known", wanted.known, k_most_known, k_known_room);
  return make_prompt(
      "task_cases", texts, {{"cases", counted(wanted.count, "test case")}}, k_cases_schema);
}

Prompt counterexample_prompt(const Brief& brief, const Draft& draft, std::size_t count) {
  OtherTexts texts;
  add_task(texts, brief.task);
  add_examples(texts, brief.examples);
  add_draft(texts, draft);
  return make_prompt(
      "counterexamples", texts, {{"cases", counted(count, "test case")}}, k_cases_schema);
}

} // namespace upskill::generate
