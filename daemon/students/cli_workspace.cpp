#include "daemon/students/cli_workspace.h"

#include "daemon/sandbox/confined_files.h"
#include "daemon/sandbox/skill_copy.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

namespace upskill::students {
namespace {

constexpr std::string_view k_git_settings =
    "[user]\n\tname = student\n\temail = student@localhost\n[init]\n\tdefaultBranch = main\n";

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Copied beside the workspace and moved in: nobody but us has been here yet.
Result<void>
place_skill(const OfferedSkill& skill, const std::string& root, const std::string& folder) {
  UniqueFd from = open_folder(skill.folder);
  if (!from) {
    return fail(system_error(errno, "the skill's folder " + in_backticks(skill.folder)));
  }
  TRY_ASSIGN(sandbox::PrivateFolder copies, sandbox::PrivateFolder::make(root));
  TRY_ASSIGN(std::string copy, sandbox::copy_skill(from.get(), copies, skill.name));
  TRY(make_directories(folder));
  if (::rename(copy.c_str(), join_path(folder, skill.name).c_str()) != 0) {
    return fail(system_error(errno, "the copy of the skill " + in_backticks(skill.name)));
  }
  return {};
}

} // namespace

CliWorkspace::CliWorkspace(runtime::Pool& pool, sandbox::PrivateFolder root)
    : m_pool(pool)
    , m_root(std::move(root)) {
  m_folders = {join_path(m_root.path(), "home"),
               join_path(m_root.path(), "config"),
               join_path(m_root.path(), "tmp"),
               join_path(m_root.path(), "work")};
}

CliWorkspace::~CliWorkspace() {
  m_pool.leave([root = std::make_optional(std::move(m_root))]() mutable { root.reset(); });
}

Result<std::shared_ptr<CliWorkspace>> CliWorkspace::make(runtime::Pool& pool,
                                                         const Task& task,
                                                         const std::vector<OfferedSkill>& skills,
                                                         std::string_view skills_folder) {
  TRY_ASSIGN(sandbox::PrivateFolder root, sandbox::PrivateFolder::make());
  std::shared_ptr<CliWorkspace> made(new CliWorkspace(pool, std::move(root)));
  for (const char* name : {"home", "config", "tmp", "work"}) {
    if (::mkdirat(made->m_root.fd(), name, 0700) != 0) {
      return fail(system_error(errno, "a folder for an agent"));
    }
  }
  TRY(made->write("home/.gitconfig", k_git_settings));
  for (const auto& [path, bytes] : task.files) {
    TRY(made->write("work/" + path, bytes));
  }
  for (const OfferedSkill& skill : skills) {
    TRY(place_skill(
        skill, made->m_root.path(), join_path(made->m_folders.workspace, skills_folder)));
  }
  return made;
}

Result<void> CliWorkspace::write(std::string_view path, std::string_view bytes) {
  return sandbox::write_confined(m_root.fd(), path, bytes);
}

Result<std::string> CliWorkspace::read(std::string_view path, std::size_t limit) const {
  return sandbox::read_confined(m_root.fd(), path, limit);
}

void CliWorkspace::forget_agent() {
  for (const char* name : {"home", "config", "tmp"}) {
    UniqueFd folder(::openat(m_root.fd(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder) {
      static_cast<void>(sandbox::remove_contents(folder.get())); // the rest goes with the root
    }
  }
}

} // namespace upskill::students
