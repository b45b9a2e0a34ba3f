#include "skills/install/starter.h"

#include "protocol/base/utf8.h"
#include "skills/document/reference.h"
#include "skills/generate/draft.h"
#include "skills/library/names.h"

#include <algorithm>

namespace upskill::install {
namespace {

constexpr std::string_view k_description =
    "Says what this skill does, and when it is to be used. Replace this with both, in the words "
    "in which people ask for it.";

constexpr std::string_view k_body = R"(
Write here what an agent does not know by itself: the steps, the commands, the mistakes to avoid.

## Steps

1. First step.
2. Second step.

## Example

Show one input and the output that is right.
)";

// The name needs no escapes in it: it has letters, digits and hyphens.
std::string evals_of(std::string_view name) {
  return R"({
  "skill_name": ")"
         + std::string(name) + R"(",
  "evals": [
    {
      "id": "first",
      "prompt": "A task as somebody would ask for it. Replace this.",
      "expected_output": "What a good answer says or does. Replace this.",
      "assertions": ["The answer does what the first step of the skill says"]
    }
  ]
}
)";
}

std::string title_of(std::string_view name) {
  std::string title(name);
  std::ranges::replace(title, '-', ' ');
  title.front() = title.front() >= 'a' && title.front() <= 'z'
                      ? static_cast<char>(title.front() - 'a' + 'A')
                      : title.front();
  return title;
}

} // namespace

Result<sync::NewFiles> starter(std::string_view name, std::string_view description) {
  if (std::optional<std::string> why = library::refused_name(name)) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(name) + " cannot be the name of a skill: it " + *why);
  }
  generate::Draft draft{.name = std::string(name),
                        .description =
                            std::string(description.empty() ? k_description : description),
                        .body = "# " + title_of(name) + "\n" + std::string(k_body)};
  std::string document = generate::write_document(draft);
  std::vector<std::string> findings = document::validate_as_reference(document, name);
  if (!findings.empty()) {
    return fail(ErrorCode::invalid_argument,
                "this would be no valid skill: " + findings.front(),
                "a name has up to 64 lower-case letters, digits and single hyphens, a description "
                "up to 1,024 characters");
  }
  sync::NewFiles files;
  files["SKILL.md"].bytes = std::move(document);
  files["evals/evals.json"].bytes = evals_of(name);
  return files;
}

} // namespace upskill::install
