#include "skills/install/unpack_target.h"

#include "protocol/base/utf8.h"
#include "skills/install/archive_path.h"
#include "skills/library/names.h"
#include "skills/sync/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace upskill::install {
namespace {

constexpr std::string_view k_mac_folder = "__MACOSX"; // Finder's notes on the files beside it

tl::unexpected<Error> cannot_write(std::string_view path) {
  return fail(system_error(errno, "cannot unpack " + in_backticks(path)));
}

tl::unexpected<Error> too_large(std::string what) {
  return fail(ErrorCode::too_large,
              "the archive is too large: " + std::move(what),
              "a skill is small; look at what else is in it");
}

std::size_t depth_of(std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/')) + 1;
}

bool is_left_out(std::string_view path) {
  return path == k_mac_folder
         || (path.starts_with(k_mac_folder) && path[k_mac_folder.size()] == '/');
}

bool may_be_target(std::string_view path, std::string_view target) {
  bool is_plain = std::ranges::none_of(
      target, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; });
  return is_plain && target.size() <= k_longest_archive_path
         && sync::link_stays_inside(path, target);
}

} // namespace

UnpackTarget::UnpackTarget(UniqueFd folder, const UnpackLimits& limits)
    : m_folder(std::move(folder))
    , m_limits(limits) {}

Result<UnpackTarget> UnpackTarget::open(const std::string& into, const UnpackLimits& limits) {
  UniqueFd folder(::open(into.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) {
    return fail(system_error(errno, "cannot unpack into " + in_backticks(into)));
  }
  return UnpackTarget(std::move(folder), limits);
}

// Remembers what is made; true where a folder was known before.
Result<bool> UnpackTarget::note(const std::string& path, bool is_folder) {
  if (is_folder && m_folders.contains(path)) {
    return true; // without folding it again for each of its files
  }
  auto [at, is_new] = m_known.try_emplace(library::folded_key(path), path);
  if (is_new) {
    if (m_known.size() > m_limits.files) {
      return too_large("it has more than " + std::to_string(m_limits.files) + " files");
    }
    if (is_folder) {
      m_folders.insert(path);
    }
    return false;
  }
  return fail(ErrorCode::refused,
              at->second == path
                  ? "the archive has " + in_backticks(path) + " twice"
                  : "the archive has both " + in_backticks(at->second) + " and "
                        + in_backticks(path) + ", which are one name on some file systems");
}

// The folder of a path, with all above it, part by part and through no link.
Result<UniqueFd> UnpackTarget::parent_of(const std::string& path) {
  if (depth_of(path) > m_limits.depth) {
    return too_large(in_backticks(path) + " lies more than " + std::to_string(m_limits.depth)
                     + " folders deep");
  }
  UniqueFd folder(::fcntl(m_folder.get(), F_DUPFD_CLOEXEC, 0));
  for (std::size_t begin = 0, slash = path.find('/'); slash != std::string::npos;
       begin = slash + 1, slash = path.find('/', begin)) {
    std::string part = path.substr(begin, slash - begin);
    TRY_ASSIGN(bool is_known, note(path.substr(0, slash), true));
    if (!is_known && ::mkdirat(folder.get(), part.c_str(), 0755) != 0) {
      return cannot_write(path);
    }
    folder.reset(
        ::openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) {
      return cannot_write(path);
    }
  }
  if (!folder) {
    return cannot_write(path);
  }
  return folder;
}

Result<void> UnpackTarget::add_folder(std::string_view path) {
  TRY_ASSIGN(std::string clean, archive_path(path));
  if (clean.empty() || is_left_out(clean)) {
    return {};
  }
  return parent_of(clean + "/").map([](const UniqueFd&) {});
}

Result<void> UnpackTarget::add_link(std::string_view path, std::string_view target) {
  TRY_ASSIGN(std::string clean, archive_path(path));
  if (is_left_out(clean)) {
    return {};
  }
  if (clean.empty() || !may_be_target(clean, target)) {
    return fail(ErrorCode::refused,
                "the archive has a link at " + in_backticks(clean) + " that leads out of it");
  }
  TRY_ASSIGN(UniqueFd parent, parent_of(clean));
  TRY(note(clean, false));
  std::string name = clean.substr(clean.rfind('/') + 1);
  if (::symlinkat(std::string(target).c_str(), parent.get(), name.c_str()) != 0) {
    return cannot_write(clean);
  }
  return {};
}

Result<void> UnpackTarget::begin_file(std::string_view path, bool is_program) {
  TRY_ASSIGN(m_file_path, archive_path(path));
  m_file_bytes = 0;
  m_file.reset();
  if (is_left_out(m_file_path)) {
    return {};
  }
  if (m_file_path.empty()) {
    return fail(ErrorCode::refused, "the archive has a file without a name");
  }
  TRY_ASSIGN(UniqueFd parent, parent_of(m_file_path));
  TRY(note(m_file_path, false));
  std::string name = m_file_path.substr(m_file_path.rfind('/') + 1);
  m_file.reset(::openat(parent.get(),
                        name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        is_program ? 0755 : 0644));
  if (!m_file) {
    return cannot_write(m_file_path);
  }
  return {};
}

Result<void> UnpackTarget::write(std::string_view bytes) {
  m_file_bytes += bytes.size();
  m_bytes += bytes.size();
  if (m_file_bytes > m_limits.file_bytes) {
    return too_large(in_backticks(m_file_path) + " has more than "
                     + std::to_string(m_limits.file_bytes >> 20) + " MiB");
  }
  if (m_bytes > m_limits.bytes) {
    return too_large("its files have more than " + std::to_string(m_limits.bytes >> 20) + " MiB");
  }
  while (m_file && !bytes.empty()) {
    ssize_t written = ::write(m_file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return cannot_write(m_file_path);
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return {};
}

// A full disk may tell only now (NFS).
Result<void> UnpackTarget::end_file() {
  if (m_file && ::close(m_file.release()) != 0) {
    return cannot_write(m_file_path);
  }
  return {};
}

} // namespace upskill::install
