#include "skills/config/watch.h"

#include <algorithm>

namespace upskill::config {
namespace {

using regression::WatchSettings;

WatchSettings said_of(std::string_view skill, const Watch& watch, WatchSettings all) {
  auto own = watch.skills.find(skill);
  return own == watch.skills.end() ? std::move(all)
                                   : regression::overridden(std::move(all), own->second);
}

} // namespace

WatchSettings settings_of(std::string_view skill,
                          const Watch& person,
                          const Watch& project,
                          const WatchSettings& file,
                          regression::FileTrust trust,
                          std::vector<std::string>& warnings) {
  WatchSettings settings;
  if (trust == regression::FileTrust::trusted) {
    settings = said_of(skill, person, regression::combined(person.all, file, trust, warnings));
  } else {
    settings = regression::combined(said_of(skill, person, person.all), file, trust, warnings);
  }
  return regression::narrowed(settings,
                              said_of(skill, project, project.all),
                              "`watch` of the project's configuration",
                              warnings);
}

regression::WatchBudget total_budget(const Watch& person, const Watch& project) {
  return regression::smaller_budget(person.all.budget, project.all.budget);
}

std::int64_t ask_above(const Watch& person, const Watch& project) {
  std::int64_t own = person.ask_above.value_or(k_ask_above);
  return std::min(own, project.ask_above.value_or(own));
}

} // namespace upskill::config
