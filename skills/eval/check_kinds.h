#pragma once
#include "skills/eval/case.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::eval {

// `file_exists` of CheckKind::file_exists, as files and reports write it.
std::string_view kind_name(CheckKind kind);

// A kind as a file names it, `not_` in front or not; `-` counts as `_`, as others write it.
struct NamedKind {
  CheckKind kind = CheckKind::contains;
  bool negated = false;
};

std::optional<NamedKind> find_kind(std::string_view name);
std::vector<std::string> kind_names();

// Whether the check looks for values.
bool has_values(CheckKind kind);

// One line for reports: the check's name, or what it looks for: "not contains `x`, `y`".
std::string describe(const Check& check);

} // namespace upskill::eval
