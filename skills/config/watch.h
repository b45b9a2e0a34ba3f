#pragma once
#include "skills/config/config.h"
#include "skills/regression/settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::config {

// What counts for one skill: `person` is the user's own `watch`, `project` what the configuration
// of the project says in which the skill lies (Config::project_watch), `file` the skill's
// `evals/watch.yaml`. A trusted file goes before what the person says of all skills, what the
// person says of this one before the file; a file that is not trusted narrows all of it, and a
// project everything. Budgets are those of the skill; all skills together have total_budget().
// Without models where nobody who may has named one: then it is the person's `eval_model`. What was
// left out is told in `warnings`.
regression::WatchSettings settings_of(std::string_view skill,
                                      const Watch& person,
                                      const Watch& project,
                                      const regression::WatchSettings& file,
                                      regression::FileTrust trust,
                                      std::vector<std::string>& warnings);

// What all skills together may spend.
regression::WatchBudget total_budget(const Watch& person, const Watch& project);

// More skills than that at once are planned, and wait for a person.
std::int64_t ask_above(const Watch& person, const Watch& project);

} // namespace upskill::config
