#pragma once
#include "protocol/types/skills.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::document {

// What each loader whose behaviour we know does with the bytes of a SKILL.md in a folder of that
// name (skills facts, section 5): `valid`, `repaired` or `skipped`, with the reason. In the order
// of the table in loaders.cpp. Behaviour was read in code and documents of the loaders, not
// observed live; a loader we know nothing of (Cursor's, for one) has no row rather than a guess.
std::vector<LoaderReport> report_loaders(std::string_view bytes, std::string_view folder_name);

// The same with the name under which the loader then shows the skill; empty: its folder's.
struct LoaderReading : LoaderReport {
  LoaderReading(LoaderReport report, std::string name_shown = {})
      : LoaderReport(std::move(report))
      , name(std::move(name_shown)) {}

  std::string name;
};

std::vector<LoaderReading> read_as_loaders(std::string_view bytes, std::string_view folder_name);

// What an agent shows that takes the skill as it can, as the client guide asks (skills facts,
// section 2): all that we know nothing else of. Empty: its folder's name.
std::string usual_name(std::string_view bytes);

} // namespace upskill::document
