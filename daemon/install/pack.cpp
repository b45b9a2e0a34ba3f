// InstallDesk: a skill as a file, and a new one.
#include "skills/install/pack.h"

#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/install/starter.h"
#include "skills/sync/put_skill.h"

#include <sys/stat.h>

#include <utility>

namespace upskill::daemon {
namespace {

Result<std::string>
absolute(const std::string& path, const std::string& cwd, const std::string& home) {
  std::string expanded = expand_home(path, home);
  if (!expanded.starts_with('/') && cwd.empty()) {
    return fail(ErrorCode::invalid_argument, "params.output: must be an absolute path");
  }
  return normalized_path(expanded, cwd);
}

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<std::string> output_of(const PackParams& params,
                              const std::string& name,
                              const std::string& cwd,
                              const std::string& home) {
  TRY_ASSIGN(std::string output, absolute(params.output.empty() ? "." : params.output, cwd, home));
  return is_folder(output) ? join_path(output, name + ".skill") : output;
}

Result<PackResult> pack_folder(const PackParams& params,
                               const std::string& folder,
                               const std::string& cwd,
                               const std::string& home) {
  PackResult result;
  result.skill = base_name(folder);
  result.dry_run = params.dry_run;
  TRY_ASSIGN(result.output, output_of(params, result.skill, cwd, home));
  Result<ReadVersion> version = read_version(folder);
  if (!version) {
    Error error = std::move(version).error();
    error.message = in_backticks(folder) + " cannot be packed: " + error.message;
    return fail(std::move(error));
  }
  TRY_ASSIGN(install::Packed packed, install::pack(result.skill, version->files));
  result.digest = "sha256:" + sha256(packed.bytes).hex();
  result.bytes = static_cast<std::int64_t>(packed.bytes.size());
  for (const std::string& file : packed.files) {
    result.files.push_back(to_valid_utf8(file));
  }
  for (const std::string& file : packed.left_out) {
    result.left_out.push_back(to_valid_utf8(file));
  }
  if (!params.dry_run) {
    TRY(write_file_atomically(result.output, packed.bytes));
  }
  return result;
}

Result<InitResult> begin(const InitParams& params,
                         const std::string& skills_folder,
                         const std::string& cwd,
                         const Places& places,
                         std::int64_t now_ms) {
  InitResult result;
  result.skill = params.name;
  result.dry_run = params.dry_run;
  TRY_ASSIGN(sync::NewFiles files, install::starter(params.name, params.description));
  for (const auto& [path, file] : files) {
    result.files.push_back(path);
  }
  if (!params.output.empty()) {
    TRY_ASSIGN(result.folder, absolute(params.output, cwd, places.home));
    if (base_name(result.folder) != params.name) { // else it is no skill that every agent reads
      return fail(ErrorCode::invalid_argument,
                  "params.output: the folder of " + in_backticks(params.name)
                      + " must have its name",
                  "`--output " + join_path(result.folder, params.name) + "`");
    }
  } else if (skills_folder.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.output: no folder is named",
                "name one, or say an absolute `skills_dir` in the configuration");
  } else {
    result.folder = join_path(skills_folder, params.name);
  }
  TRY_ASSIGN(std::optional<sync::PlacedSkill> placed, sync::read_placed(result.folder));
  if (placed) {
    return fail(ErrorCode::already_exists,
                in_backticks(result.folder) + " holds a skill already",
                "`--output FOLDER` names another place");
  }
  if (!params.dry_run) {
    sync::Filesystem disk;
    store::Trash trash(join_path(places.data, "trash"));
    TRY(sync::put_skill(disk, trash, result.folder, files, std::nullopt, now_ms));
  }
  return result;
}

} // namespace

Awaitable<PackResult> InstallDesk::pack(PackParams params, FolderOf folder_of, InstallCall call) {
  auto work = [&]() -> Result<PackResult> {
    TRY_ASSIGN(std::string folder, folder_of(params.skill));
    return pack_folder(params, folder, call.cwd, places().home);
  };
  AWAIT(Result<PackResult> result, runtime::offload(call.pool, std::move(work)));
  co_return result;
}

Awaitable<InitResult>
InstallDesk::init(InitParams params, std::string skills_folder, InstallCall call) {
  auto work = [&] {
    return begin(params, skills_folder, call.cwd, places(), m_service.now().wall_ms);
  };
  AWAIT(Result<InitResult> result, runtime::offload(call.pool, std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
