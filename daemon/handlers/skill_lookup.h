#pragma once
#include "daemon/handlers/catalogue.h"
#include "protocol/base/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>

// Which skill somebody means. Both functions look at the disk, so they run on the pool.
namespace upskill::daemon {

// The copy of a skill that is read.
struct SkillPlace {
  std::string name;
  std::string folder;                    // as an agent names it
  std::string real_parent;               // the folder that holds it, without links
  std::optional<std::uint32_t> row = {}; // in the catalogue
};

// A skill by its name, or by the path of its folder (or SKILL.md) in one of the catalogue's roots;
// a path may be relative to `cwd`. Of several scopes the project that `cwd` lies in comes first,
// then the user's, then other projects by path; of several copies the newest complete one. Errors:
// not_found with names that may have been meant.
Result<SkillPlace>
find_skill(const Catalogue& catalogue, const std::string& asked, const std::string& cwd);

// The skill of that row. Errors: refused where all there is are links out of the known roots.
Result<SkillPlace> place_of(const Catalogue& catalogue, std::uint32_t row);

// As find_skill(), and a folder with a SKILL.md anywhere: for a person who names it.
Result<SkillPlace>
find_skill_anywhere(const Catalogue& catalogue, const std::string& asked, const std::string& cwd);

// A path as it was asked for, where something is, else the folder of the known skill of that name.
// Errors: not_found with names that may have been meant; invalid_argument.
Result<std::string>
named_folder(const Catalogue& catalogue, const std::string& asked, const std::string& cwd);

// The skill's folder, opened. Never through a link at its last part.
Result<UniqueFd> open_skill(const SkillPlace& place);

// That there is no skill of this name, with the names that may have been meant.
Error unknown_skill(const Catalogue& catalogue, const std::string& asked);

// `path` without links; empty where it does not exist.
std::string real_path(const std::string& path);

} // namespace upskill::daemon
