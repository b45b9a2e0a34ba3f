#include "skills/document/reference_folder.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"

#include <sys/stat.h>

#include <cstdlib>
#include <memory>

namespace upskill::document {
namespace {

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

// The path with links resolved; as it is where that fails.
std::string resolved(const std::string& path) {
  std::unique_ptr<char, FreeText> real(::realpath(path.c_str(), nullptr));
  return real ? std::string(real.get()) : path;
}

std::string without_final_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

} // namespace

std::optional<std::string> find_skill_file(const std::string& folder) {
  for (std::string_view name : {"SKILL.md", "skill.md"}) {
    std::string path = join_path(folder, name);

    struct stat status {};

    if (::stat(path.c_str(), &status) == 0) {
      return path;
    }
  }
  return std::nullopt;
}

std::vector<std::string> validate_folder(const std::string& path) {
  std::string folder = without_final_slashes(path);

  struct stat status {};

  if (::stat(folder.c_str(), &status) != 0) {
    return {"Path does not exist: " + folder};
  }
  if (!S_ISDIR(status.st_mode)) {
    return {"Not a directory: " + folder};
  }
  auto file = find_skill_file(folder);
  if (!file) {
    return {"Missing required file: SKILL.md"};
  }
  auto bytes = read_file(*file, k_max_skill_file);
  if (!bytes) {
    return {bytes.error().message};
  }
  return validate_as_reference(*bytes, base_name(folder));
}

Result<SkillProperties> read_folder_properties(const std::string& path) {
  std::string folder = without_final_slashes(path);
  auto file = find_skill_file(folder);
  if (!file) {
    return fail(ErrorCode::not_found, "SKILL.md not found in " + folder);
  }
  TRY_ASSIGN(std::string bytes, read_file(*file, k_max_skill_file));
  return read_properties(bytes);
}

Result<std::string> folders_to_prompt(const std::vector<std::string>& paths) {
  std::vector<PromptSkill> skills;
  for (const std::string& path : paths) {
    std::string folder = resolved(path);
    TRY_ASSIGN(SkillProperties properties, read_folder_properties(folder));
    skills.push_back(PromptSkill{std::move(properties.name),
                                 std::move(properties.description),
                                 resolved(find_skill_file(folder).value_or(folder))});
  }
  return to_prompt(skills);
}

} // namespace upskill::document
