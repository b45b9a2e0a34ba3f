#include "skills/eval/grade.h"

namespace upskill::eval {
namespace {

void add_needs(Needs& needs, const Case& one, const Check& check, const CheckPosition& position) {
  switch (check.kind) {
  case CheckKind::file_exists:
  case CheckKind::file_contains:
    needs.files.insert(check.path);
    break;
  case CheckKind::command:
    needs.commands.push_back({position, check.argv, check.limit});
    break;
  case CheckKind::judge:
    needs.opinions.push_back({position, check.rubric, {}});
    break;
  case CheckKind::at_least_as_good:
    needs.opinions.push_back(
        {position, check.rubric, check.reference.empty() ? one.expected_output : check.reference});
    break;
  default:
    break;
  }
  for (std::size_t i = 0; i < check.parts.size(); ++i) {
    add_needs(needs, one, check.parts[i], position + "." + std::to_string(i + 1));
  }
}

} // namespace

Needs external_needs(const Case& one) {
  Needs needs;
  if (!one.output_file.empty()) {
    needs.files.insert(one.output_file);
  }
  for (std::size_t i = 0; i < one.checks.size(); ++i) {
    add_needs(needs, one, one.checks[i], std::to_string(i + 1));
  }
  return needs;
}

} // namespace upskill::eval
