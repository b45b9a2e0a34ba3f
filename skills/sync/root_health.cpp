#include "skills/sync/root_health.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <sys/stat.h>
#include <unistd.h>

namespace upskill::sync {

RootJudgement
judge_root(const std::string& path, const RootRecord& record, const RootProbe& probe) {
  const std::string accept = "put it back, or run `upskill sync enable --accept` to go on without "
                             "what it held";
  if (!probe.exists) {
    if (record.agreed == 0) {
      return {RootHealth::absent, {}, {}};
    }
    return {RootHealth::halted,
            "`" + path + "` vanished with its "
                + (record.agreed == 1 ? "only skill" : std::to_string(record.agreed) + " skills"),
            accept};
  }
  if (!probe.is_folder) {
    return {RootHealth::halted, "`" + path + "` is no longer a folder of its own", accept};
  }
  if (!probe.readable) {
    return {RootHealth::halted, "`" + path + "` may not be read", "check its owner and mode"};
  }
  bool same = record.inode == probe.inode && record.device == probe.device;
  if (record.agreed > 0 && !same) {
    return {RootHealth::replaced, "`" + path + "` was replaced by another folder", {}};
  }
  return {};
}

bool is_emptied(const RootRecord& record, std::size_t present) {
  if (record.emptied) {
    return present < record.agreed;
  }
  return record.agreed >= 2 && present == 0;
}

RootProbe probe_root(const std::string& path) {
  RootProbe probe;

  struct stat status {};

  if (::lstat(path.c_str(), &status) != 0) {
    return probe;
  }
  probe.exists = true;
  probe.is_folder = S_ISDIR(status.st_mode);
  probe.device = status.st_dev;
  probe.inode = status.st_ino;
  probe.readable = ::access(path.c_str(), R_OK | X_OK) == 0;
  return probe;
}

std::string enclosing_git_folder(const std::string& path) {
  for (std::string folder = path;; folder = parent_path(folder)) {
    std::string git = join_path(folder, ".git");

    struct stat status {};

    if (::stat(git.c_str(), &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        return git;
      }
      auto text = read_file(git, 4096);
      constexpr std::string_view k_prefix = "gitdir: ";
      if (text && text->starts_with(k_prefix)) {
        std::string target = text->substr(k_prefix.size());
        while (!target.empty() && (target.back() == '\n' || target.back() == '\r')) {
          target.pop_back();
        }
        return normalized_path(target, folder);
      }
    }
    if (folder == "/" || folder == ".") {
      return {};
    }
  }
}

std::string git_operation(const std::string& git_folder) {
  static constexpr struct {
    const char* name;
    const char* what;
  } k_signs[] = {{"index.lock", "a change of the index"},
                 {"MERGE_HEAD", "a merge"},
                 {"rebase-merge", "a rebase"},
                 {"rebase-apply", "a rebase"},
                 {"CHERRY_PICK_HEAD", "a cherry-pick"},
                 {"REVERT_HEAD", "a revert"}};

  for (const auto& sign : k_signs) {
    if (::access(join_path(git_folder, sign.name).c_str(), F_OK) == 0) {
      return sign.what;
    }
  }
  return {};
}

bool is_git_writing(const std::string& path) {
  std::string git = enclosing_git_folder(path);
  return !git.empty() && ::access(join_path(git, "index.lock").c_str(), F_OK) == 0;
}

} // namespace upskill::sync
