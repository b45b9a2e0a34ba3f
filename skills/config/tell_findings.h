#pragma once
#include "skills/config/config.h"
#include "skills/regression/yaml_fields.h"

#include <string>
#include <utility>
#include <vector>

namespace upskill::config {

// What was found while a mapping was read: its problem is the error, its warnings are told as far
// as there is room.
inline Result<void> tell_findings(eval::Findings findings, std::vector<std::string>& warnings) {
  if (findings.problem) {
    return fail(std::move(*findings.problem));
  }
  for (std::string& warning : findings.warnings) {
    if (warnings.size() < k_max_warnings) {
      warnings.push_back(std::move(warning));
    }
  }
  return {};
}

} // namespace upskill::config
