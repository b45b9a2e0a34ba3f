#include "skills/document/inspect.h"

#include "skills/document/document.h"
#include "skills/document/loaders.h"
#include "skills/document/reference.h"
#include "skills/document/tokens.h"
#include "skills/document/warnings.h"

namespace upskill::document {

SkillValidation inspect(std::string_view bytes, const SkillFolder& folder) {
  SkillValidation validation;
  validation.skill = folder.name;
  validation.errors = validate_as_reference(bytes, folder.name);
  validation.valid = validation.errors.empty();
  validation.warnings = find_warnings(bytes, read_document(bytes), folder);
  validation.loaders = report_loaders(bytes, folder.name);
  validation.tokens = estimate_tokens(bytes);
  return validation;
}

} // namespace upskill::document
