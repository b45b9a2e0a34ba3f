#include "skills/store/inbox_files.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/store/folder_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace upskill::store {
namespace {

class SkillReading {
public:
  Result<void> read(int folder, const std::string& prefix, std::size_t depth) {
    if (depth > k_max_skill_depth) {
      return fail(ErrorCode::too_large, in_backticks(prefix) + " lies too deep");
    }
    return each_name(folder, [&](const std::string& name) -> Result<void> {
      UniqueFd inner = open_inner_folder(folder, name.c_str());
      if (inner) {
        return read(inner.get(), prefix + name + "/", depth + 1);
      }
      if (m_files.size() == k_max_inbox_files) {
        return fail(ErrorCode::too_large, "there are too many files in it");
      }
      TRY_ASSIGN(InboxFile file, read_inner_file(folder, name, k_max_inbox_bytes - m_bytes));
      m_bytes += file.bytes.size();
      m_files.emplace(prefix + name, std::move(file));
      return {};
    });
  }

  InboxFiles files() && { return std::move(m_files); }

private:
  InboxFiles m_files = {};
  std::size_t m_bytes = 0;
};

} // namespace

UniqueFd open_inner_folder(int folder, const char* name) {
  return UniqueFd(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Result<InboxFile> read_inner_file(int folder, const std::string& name, std::size_t limit) {
  UniqueFd fd(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));

  struct stat status {};

  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return errno == ELOOP ? fail(ErrorCode::unsupported, in_backticks(name) + " is a link")
                          : fail(system_error(errno, "cannot read " + in_backticks(name)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::unsupported, in_backticks(name) + " is no file");
  }
  InboxFile file{.bytes = std::string(limit + 1, '\0')};
  std::size_t used = 0;
  for (ssize_t got = 1; got != 0 && used <= limit;) {
    got = ::read(fd.get(), file.bytes.data() + used, file.bytes.size() - used);
    if (got < 0 && errno != EINTR) {
      return fail(system_error(errno, "cannot read " + in_backticks(name)));
    }
    used += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  if (used > limit) {
    return fail(ErrorCode::too_large, in_backticks(name) + " is too large");
  }
  file.bytes.resize(used);
  file.is_program = (status.st_mode & S_IXUSR) != 0;
  return file;
}

Result<InboxFiles> read_files(int folder) {
  SkillReading reading;
  TRY(reading.read(folder, {}, 0));
  return std::move(reading).files();
}

} // namespace upskill::store
