#include "daemon/setup/own_skill.h"

#include <string_view>

namespace upskill::setup {

extern const std::string_view k_own_skill;
extern const std::string_view k_own_evals;
extern const std::string_view k_own_triggers;

sync::NewFiles own_skill() {
  sync::NewFiles files;
  files["SKILL.md"].bytes = k_own_skill;
  files["evals/evals.json"].bytes = k_own_evals;
  files["evals/trigger_evals.json"].bytes = k_own_triggers;
  return files;
}

} // namespace upskill::setup
