#pragma once
#include "daemon/handlers/catalogue.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

// From a `skill://` address to the skill behind it. Looks at the catalogue only.
namespace upskill::daemon {

// What an address means inside a skill of the catalogue.
struct SkillAddress {
  std::uint32_t row = 0;
  std::string path = {}; // of a file or a folder in it; empty: the skill's own folder
};

// Errors: not_found.
Result<SkillAddress> find_file_address(const Catalogue& catalogue, std::string_view uri);
// The same for the address of a folder, which has no slash at its end.
Result<SkillAddress> find_folder_address(const Catalogue& catalogue, std::string_view uri);

// The row's SKILL.md.
std::string document_uri(const Catalogue& catalogue, const Catalogue::Row& row);

// Whether addresses below the row's skill could be read as those of a project's skill: one of the
// user's is called like a project's id, and a project comes first.
bool is_taken_for_project(const Catalogue& catalogue, const Catalogue::Row& row);

// That there is none at that address.
Error no_resource(std::string_view uri);

} // namespace upskill::daemon
