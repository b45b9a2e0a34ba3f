#include "daemon/handlers/skill_address.h"

#include "protocol/base/utf8.h"
#include "skills/library/skill_uri.h"

#include <algorithm>
#include <vector>

namespace upskill::daemon {
namespace {

std::vector<std::string> project_ids(const Catalogue& catalogue) {
  std::vector<std::string> ids;
  for (const std::string& project : catalogue.projects()) {
    ids.push_back(library::project_id(project));
  }
  return ids;
}

Result<SkillAddress>
find_address(const Catalogue& catalogue, library::SkillUri address, std::string_view uri) {
  auto [first, last] = catalogue.find(address.skill);
  for (std::uint32_t i = first; i < last; ++i) {
    if (library::project_id(catalogue.project(catalogue.row(i))) == address.project) {
      return SkillAddress{i, std::move(address.file)};
    }
  }
  return fail(no_resource(uri));
}

} // namespace

Result<SkillAddress> find_file_address(const Catalogue& catalogue, std::string_view uri) {
  TRY_ASSIGN(library::SkillUri address, library::parse_skill_uri(uri, project_ids(catalogue)));
  return find_address(catalogue, std::move(address), uri);
}

Result<SkillAddress> find_folder_address(const Catalogue& catalogue, std::string_view uri) {
  TRY_ASSIGN(library::SkillUri address, library::parse_folder_uri(uri, project_ids(catalogue)));
  return find_address(catalogue, std::move(address), uri);
}

std::string document_uri(const Catalogue& catalogue, const Catalogue::Row& row) {
  return library::skill_uri(catalogue.project(row), catalogue.name(row), "SKILL.md");
}

bool is_taken_for_project(const Catalogue& catalogue, const Catalogue::Row& row) {
  return catalogue.project(row).empty()
         && std::ranges::any_of(catalogue.projects(), [&](const std::string& project) {
              return library::project_id(project) == catalogue.name(row);
            });
}

Error no_resource(std::string_view uri) {
  return {ErrorCode::not_found,
          "there is no resource `" + to_valid_utf8(utf8_prefix(uri, 256)) + "`",
          "`resources/list` has them"};
}

} // namespace upskill::daemon
