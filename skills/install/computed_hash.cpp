#include "skills/install/computed_hash.h"

#include "protocol/base/bounds.h"
#include "protocol/base/hash.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/install/locale_order.h"
#include "skills/library/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace upskill::install {
namespace {

constexpr std::size_t k_most_files = 20'000;
constexpr std::size_t k_most_folders = 20'000;

bool is_left_out(std::string_view name) {
  return name == ".git" || name == "node_modules";
}

bool lies_in_one_left_out(std::string_view path) {
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', begin)) {
    if (is_left_out(path.substr(begin, end - begin))) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

// The regular files below a folder. Owner, thread and lifetime: a call of computed_hash_of().
class Files {
public:
  Result<void> walk(int folder, const std::string& path, std::size_t depth) {
    if (depth > k_max_skill_depth || ++m_folders > k_most_folders) {
      return fail(ErrorCode::too_large, "the skill has more folders than one may have");
    }
    std::vector<std::string> folders;
    int error = library::for_each_name(folder, [&](const library::FolderEntry& entry) {
      std::string inner = path.empty() ? entry.name : path + "/" + entry.name;
      switch (type_of(folder, entry)) {
      case DT_DIR:
        if (!is_left_out(entry.name)) {
          folders.emplace_back(entry.name);
        }
        break;
      case DT_REG:
        paths.push_back(std::move(inner));
        break;
      default:
        break;
      }
      return paths.size() <= k_most_files && folders.size() <= k_most_folders;
    });
    if (error != 0) {
      return fail(system_error(error, "cannot read the folder " + in_backticks(path)));
    }
    if (paths.size() > k_most_files) {
      return fail(ErrorCode::too_large, "the skill has more than 20,000 files");
    }
    for (const std::string& name : folders) {
      std::string inner = path.empty() ? name : path + "/" + name;
      UniqueFd child = library::open_folder(folder, name.c_str());
      if (!child) {
        return fail(system_error(errno, "cannot read the folder " + in_backticks(inner)));
      }
      TRY(walk(child.get(), inner, depth + 1));
    }
    return {};
  }

  std::vector<std::string> paths = {};

private:
  static unsigned char type_of(int folder, const library::FolderEntry& entry) {

    struct stat status {};

    if (entry.type != DT_UNKNOWN
        || ::fstatat(folder, entry.name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return entry.type;
    }
    return static_cast<unsigned char>(IFTODT(status.st_mode));
  }

  std::size_t m_folders = 0;
};

Result<void> hash_file(Sha256& hash, int folder, const std::string& path, std::uint64_t& left) {
  UniqueFd file(
      ::openat(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    return fail(system_error(errno, "cannot read " + in_backticks(path)));
  }
  std::vector<char> buffer(64u << 10);
  for (;;) {
    ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read " + in_backticks(path)));
    }
    if (got == 0) {
      return {};
    }
    auto size = static_cast<std::size_t>(got);
    if (size > left) {
      return fail(ErrorCode::too_large, "the skill is over 256 MiB");
    }
    left -= size;
    hash.update({buffer.data(), size});
  }
}

} // namespace

std::string computed_hash(const sync::NewFiles& files) {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files) {
    if (file.target.empty() && !lies_in_one_left_out(path)) {
      paths.push_back(path);
    }
  }
  sort_as_javascript(paths);
  Sha256 hash;
  for (const std::string& path : paths) {
    hash.update(to_valid_utf8(path));
    hash.update(files.at(path).bytes);
  }
  return hash.finish().hex();
}

Result<std::string> computed_hash_of(const std::string& folder) {
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    return fail(system_error(errno, "cannot read the folder " + in_backticks(folder)));
  }
  Files files;
  TRY(files.walk(opened.get(), {}, 0));
  sort_as_javascript(files.paths);
  Sha256 hash;
  std::uint64_t left = k_max_skill_bytes;
  for (const std::string& path : files.paths) {
    hash.update(to_valid_utf8(path));
    TRY(hash_file(hash, opened.get(), path, left));
  }
  return hash.finish().hex();
}

} // namespace upskill::install
