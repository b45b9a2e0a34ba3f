#include "daemon/fetch/found.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/unpack.h"
#include "skills/library/folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <utility>

namespace upskill::fetch {

Result<void> find_skills(Offer& offer,
                         const std::string& folder,
                         std::string_view base_name,
                         install::Depth depth) {
  const std::string& within = offer.source.folder;
  TRY_ASSIGN(install::Discovery found, install::discover(folder, within, base_name, depth));
  for (install::FoundSkill& skill : found.skills) {
    offer.skills.push_back(
        {.name = std::move(skill.name),
         .description = std::move(skill.description),
         .from = skill.folder,
         .folder = skill.folder.empty() ? folder : join_path(folder, skill.folder)});
  }
  for (std::string& warning : found.warnings) {
    offer.warnings.push_back(std::move(warning));
  }
  if (offer.skills.empty()) {
    return fail(ErrorCode::not_found,
                "there is no skill in " + in_backticks(offer.source.name)
                    + (within.empty() ? "" : ", folder " + in_backticks(within)),
                "a skill is a folder with a `SKILL.md` in it");
  }
  return {};
}

Result<void> find_in_archive(Offer& offer,
                             const std::string& file,
                             std::string_view name,
                             install::Depth depth) {
  std::string unpacked = join_path(offer.fetched->path(), "files");
  TRY(make_directories(unpacked, 0700));
  if (Result<void> done = install::unpack(file, unpacked); !done) {
    Error error = std::move(done).error();
    error.message = in_backticks(offer.source.name) + ": " + error.message;
    error.hint = error.hint.empty() ? "ask whoever made the archive for another one" : error.hint;
    return fail(std::move(error));
  }
  std::string content = content_of(unpacked);
  std::string base_name(content == unpacked ? name : upskill::base_name(content));
  return find_skills(offer, content, base_name, depth);
}

Result<void> find_in_document(Offer& offer,
                              std::string_view bytes,
                              std::string_view name,
                              install::Depth depth) {
  TRY(check_document(bytes, offer.source.name));
  std::string folder = join_path(offer.fetched->path(), "files");
  TRY(make_directories(folder, 0700));
  TRY(write_file_atomically(join_path(folder, "SKILL.md"), bytes, 0644, Durability::process_crash));
  return find_skills(offer, folder, name, depth);
}

std::string content_of(const std::string& unpacked) {
  struct stat status {};

  std::string only;
  int count = 0;
  UniqueFd folder = library::open_folder(AT_FDCWD, unpacked.c_str());
  library::for_each_name(folder.get(), [&](const library::FolderEntry& entry) {
    only = entry.name;
    return ++count < 2;
  });
  bool is_folder = count == 1
                   && ::fstatat(folder.get(), only.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
                   && S_ISDIR(status.st_mode);
  return is_folder ? join_path(unpacked, only) : unpacked;
}

Result<void> check_document(std::string_view bytes, std::string_view where) {
  std::size_t first = bytes.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  std::string what;
  if (first == std::string_view::npos) {
    what = "is empty";
  } else if (bytes[first] == '<') {
    what = "is a web page";
  } else if (!is_utf8(bytes) || bytes.find('\0') != std::string_view::npos) {
    what = "is no text";
  } else {
    return {};
  }
  return fail(ErrorCode::corrupt,
              in_backticks(where) + " " + what + ", and no `SKILL.md`",
              "give the address of the file itself, as `raw` links have it");
}

std::string name_of_file(std::string_view path) {
  constexpr std::array<std::string_view, 6> k_endings{
      ".tar.gz", ".tgz", ".tar", ".zip", ".skill", ".md"};
  std::string_view name = base_name(path);
  if (name == "SKILL.md" || name == "skill.md") {
    std::string parent = parent_path(path);
    return std::string(base_name(parent));
  }
  for (std::string_view ending : k_endings) {
    if (name.ends_with(ending) && name.size() > ending.size()) {
      name.remove_suffix(ending.size());
      break;
    }
  }
  return std::string(name);
}

// Of an offer that was handed on nothing is left here to remove.
RemovedUnlessOffered::~RemovedUnlessOffered() {
  if (m_offer.fetched) {
    m_pool.pool.leave(
        [folder = std::exchange(m_offer.fetched, std::nullopt)]() mutable { folder.reset(); });
  }
}

Result<std::string> folder_of(Offer& offer, const std::string& scratch) {
  if (!offer.fetched) {
    TRY_ASSIGN(sandbox::PrivateFolder made, sandbox::PrivateFolder::make(scratch));
    offer.fetched.emplace(std::move(made));
  }
  return offer.fetched->path();
}

} // namespace upskill::fetch
