#include "daemon/await.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/time_slice.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/inspect.h"
#include "skills/document/reference_folder.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <fcntl.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_paths = 1000;
constexpr std::size_t k_max_validated = 5000; // skills of one call

// The folders of skills that a path stands for: itself, unless it is none and holds some.
void collect(const std::string& asked, std::vector<std::string>& folders) {
  std::string_view last = base_name(asked);
  std::string path = last == "SKILL.md" || last == "skill.md" ? parent_path(asked) : asked;
  UniqueFd folder = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<std::string> children;
  if (folder && document_name(folder.get()).empty()) {
    library::for_each_name(folder.get(), [&](const library::FolderEntry& entry) {
      std::string child = join_path(path, entry.name);
      if (!library::ignored_name(entry.name) && document::find_skill_file(child)) {
        children.push_back(std::move(child));
      }
      return children.size() <= k_max_validated;
    });
  }
  if (children.empty()) {
    children.push_back(std::move(path));
  }
  std::ranges::sort(children);
  std::ranges::move(children, std::back_inserter(folders));
}

Result<std::vector<std::string>>
folders_of(const Catalogue& catalogue, const SkillValidateParams& params, const std::string& cwd) {
  std::vector<std::string> folders;
  for (const std::string& asked : params.paths) {
    TRY_ASSIGN(std::string path, named_folder(catalogue, asked, cwd));
    collect(path, folders);
    if (folders.size() > k_max_validated) {
      return fail(ErrorCode::too_large,
                  "`" + asked + "` makes more than " + std::to_string(k_max_validated)
                      + " skills of one call",
                  "validate them folder by folder");
    }
  }
  return folders;
}

SkillValidation failed(SkillValidation validation, std::string message) {
  validation.valid = false;
  validation.errors.push_back(std::move(message));
  return validation;
}

SkillValidation validate(const std::string& path) {
  SkillValidation nothing;
  nothing.skill = to_valid_utf8(base_name(path));
  nothing.path = to_valid_utf8(path);
  UniqueFd folder = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string name = folder ? document_name(folder.get()) : std::string();
  if (name.empty()) {
    nothing.valid = false;
    nothing.errors = document::validate_folder(path);
    return nothing;
  }
  Result<FilePart> part = read_part(folder.get(), name, 0, k_max_skill_file);
  if (!part) {
    return failed(std::move(nothing), std::move(part.error().message));
  }
  if (part->size > static_cast<std::int64_t>(k_max_skill_file)) {
    return failed(std::move(nothing), "`" + name + "` is larger than 64 MiB");
  }
  FileList files = list_files(folder.get());
  document::SkillFolder about;
  about.name = nothing.skill;
  about.files = files.files.size();
  about.bytes = files.bytes;
  about.exists = [&folder](std::string_view relative) {
    return open_inside(folder.get(), std::string(relative), O_PATH).has_value();
  };
  SkillValidation validation = document::inspect(part->bytes, about);
  validation.path = nothing.path;
  if (!files.complete) {
    validation.warnings.push_back("not all of its files could be looked at");
  }
  return validation;
}

} // namespace

Awaitable<SkillValidateResult>
validate_skills(SkillLibrary& library, SkillValidateParams params, RequestContext context) {
  if (params.paths.empty() || params.paths.size() > k_max_paths) {
    co_return fail(ErrorCode::invalid_argument, "params.paths: must hold from 1 to 1000 paths");
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto resolve = [&] { return folders_of(**catalogue, params, context.caller.cwd); };
  AWAIT(Result<std::vector<std::string>> folders,
        runtime::offload(library.pool(context), std::move(resolve)));
  CO_TRY(folders);
  SkillValidateResult result;
  auto validate_next = [&] {
    result.skills.push_back(validate((*folders)[result.skills.size()]));
    return result.skills.size() < folders->size() && !context.stopping.stop_requested();
  };
  bool is_left = true;
  while (is_left) {
    AWAIT(is_left, runtime::offload_slice(library.pool(context), validate_next));
    if (context.stopping.stop_requested()) {
      co_return fail(ErrorCode::cancelled, "the call was cancelled");
    }
    context.progress(static_cast<double>(result.skills.size()),
                     static_cast<double>(folders->size()),
                     "validating skills");
  }
  result.valid = std::ranges::all_of(result.skills, &SkillValidation::valid);
  if (is_for_model(context)) {
    shorten(result);
  }
  co_return result;
}

} // namespace upskill::daemon
