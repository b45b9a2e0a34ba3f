#include "skills/store/trace_objects.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/store/folder_tree.h"
#include "skills/store/trace_name.h"
#include "skills/store/trace_object_reader.h"
#include "skills/store/trace_object_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::store {
namespace {

// No name of an object begins so.
constexpr std::string_view k_unfinished = ".new-";

// An object's place: its harness's folder, open, and its name in it.
struct Place {
  UniqueFd folder;
  std::string name;
};

enum class Missing { make, leave };

// Without a folder where there is none and it is not to be made.
Result<Place> place_of(int folder, std::string_view name, Missing missing) {
  // A row may be as hostile as what it was made of.
  if (!is_object_name(name)) {
    return fail(ErrorCode::invalid_argument, in_backticks(name) + " is no name of a kept session");
  }
  std::string harness(name.substr(0, name.find('/')));
  if (missing == Missing::make && ::mkdirat(folder, harness.c_str(), 0700) != 0
      && errno != EEXIST) {
    return fail(system_error(errno, "cannot make folder `" + harness + "`"));
  }
  UniqueFd inner(
      ::openat(folder, harness.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!inner && (missing == Missing::make || errno != ENOENT)) {
    return fail(system_error(errno, "cannot open folder `" + harness + "`"));
  }
  return Place{std::move(inner), std::string(name.substr(harness.size() + 1))};
}

constexpr int k_write_flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

std::int64_t modified_ms(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000
         + status.st_mtim.tv_nsec / 1'000'000;
}

} // namespace

Result<TraceObjects> TraceObjects::open(const std::string& folder) {
  TRY(make_directories(folder, 0700));
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "cannot open folder `" + folder + "`"));
  }
  return TraceObjects(folder, std::move(fd));
}

Result<std::uint64_t>
TraceObjects::append(const std::string& name, std::string_view text, std::uint64_t committed_size) {
  TRY_ASSIGN(Place place, place_of(m_fd.get(), name, Missing::make));
  int make = committed_size == 0 ? O_CREAT : 0;
  UniqueFd file(::openat(place.folder.get(), place.name.c_str(), k_write_flags | make, 0600));

  struct stat status {};

  if (!file || ::fstat(file.get(), &status) != 0) {
    return cannot("write", name);
  }
  auto size = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || size < committed_size) {
    return fail(ErrorCode::corrupt,
                "the kept session `" + path_of(name) + "` is shorter than it was",
                "import its source again");
  }
  if (size > committed_size && ::ftruncate(file.get(), static_cast<off_t>(committed_size)) != 0) {
    return cannot("cut", name);
  }
  TraceObjectWriter writer(file.get(), committed_size, m_frames);
  TRY(writer.write(text));
  TRY(writer.finish());
  return writer.offset();
}

Result<RewrittenObject> TraceObjects::rewrite(const std::string& name, const GiveText& give) {
  RewrittenObject rewritten{.name = next_object_name(name)};
  TRY_ASSIGN(Place place, place_of(m_fd.get(), rewritten.name, Missing::make));
  std::string unfinished = std::string(k_unfinished) + place.name;
  UniqueFd file(
      ::openat(place.folder.get(), unfinished.c_str(), k_write_flags | O_CREAT | O_TRUNC, 0600));
  if (!file) {
    return cannot("write", rewritten.name);
  }
  TraceObjectWriter writer(file.get(), 0, m_frames);
  Result<void> written = give([&](std::string_view piece) { return writer.write(piece); });
  written = written ? writer.finish() : written;
  if (written
      && ::renameat(place.folder.get(), unfinished.c_str(), place.folder.get(), place.name.c_str())
             != 0) {
    written = cannot("write", rewritten.name);
  }
  if (!written) {
    ::unlinkat(place.folder.get(), unfinished.c_str(), 0);
    return fail(written.error());
  }
  rewritten.size = writer.offset();
  rewritten.text_size = writer.text_size();
  return rewritten;
}

Result<void> TraceObjects::flush() {
  m_frames = {};
  return ::syncfs(m_fd.get()) == 0 ? Result<void>{}
                                   : fail(system_error(errno, "cannot sync `" + m_folder + "`"));
}

Result<std::uint64_t> TraceObjects::read(const std::string& name,
                                         std::uint64_t committed_size,
                                         std::uint64_t from,
                                         const TakeText& take) const {
  TRY_ASSIGN(Place place, place_of(m_fd.get(), name, Missing::leave));
  if (!place.folder) {
    return fail(ErrorCode::not_found, "there is no kept session `" + path_of(name) + "`");
  }
  UniqueFd file(::openat(
      place.folder.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    return cannot("read", name);
  }
  return read_trace_object(file.get(), path_of(name), committed_size, from, take);
}

Result<void> TraceObjects::remove(const std::string& name) {
  TRY_ASSIGN(Place place, place_of(m_fd.get(), name, Missing::leave));
  if (place.folder && ::unlinkat(place.folder.get(), place.name.c_str(), 0) != 0
      && errno != ENOENT) {
    return cannot("remove", name);
  }
  // The last one of a harness takes its folder along.
  ::unlinkat(m_fd.get(), name.substr(0, name.find('/')).c_str(), AT_REMOVEDIR);
  return {};
}

bool TraceObjects::contains(std::string_view name) const {
  struct stat status {};

  return is_object_name(name)
         && ::fstatat(m_fd.get(), std::string(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<RemovedObjects> TraceObjects::remove_unreferenced(
    const std::unordered_set<std::string>& live, std::int64_t from_ms, std::int64_t before_ms) {
  RemovedObjects removed;
  TRY(each_name(m_fd.get(), [&](const std::string& harness) -> Result<void> {
    UniqueFd folder(
        ::openat(m_fd.get(), harness.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) {
      return {};
    }
    TRY(each_name(folder.get(), [&](const std::string& file) -> Result<void> {
      std::string name = harness + "/" + file;
      bool is_ours = is_object_name(name) || file.starts_with(k_unfinished);
      struct stat status {};
      if (!is_ours || live.contains(name)
          || ::fstatat(folder.get(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0
          || !S_ISREG(status.st_mode) || modified_ms(status) < from_ms
          || modified_ms(status) >= before_ms) {
        return {};
      }
      if (::unlinkat(folder.get(), file.c_str(), 0) != 0) {
        return cannot("remove", name);
      }
      ++removed.count;
      removed.bytes += static_cast<std::uint64_t>(status.st_size);
      return {};
    }));
    ::unlinkat(m_fd.get(), harness.c_str(), AT_REMOVEDIR);
    return {};
  }));
  return removed;
}

Result<std::uint64_t> TraceObjects::total_bytes() const {
  return tree_bytes(m_folder);
}

std::string TraceObjects::path_of(std::string_view name) const {
  return join_path(m_folder, name);
}

tl::unexpected<Error> TraceObjects::cannot(std::string_view what, std::string_view name) const {
  return fail(system_error(
      errno, "cannot " + std::string(what) + " the kept session `" + path_of(name) + "`"));
}

} // namespace upskill::store
