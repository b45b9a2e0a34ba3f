#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "protocol/types/skills.h"

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Reading the files of one skill, never anything else: agents and their models choose the paths.
namespace upskill::daemon {

// Whether a path can only mean something inside the folder it is relative to, and something that
// belongs to a skill: no empty part, `.` or `..`, nothing absolute, no NUL, at most 4,096 bytes,
// and nothing that skills leave out (`.git`, caches).
bool is_inside_path(std::string_view path);

// Opens what lies at a path inside the open folder of a skill. Links to what belongs to the skill
// are followed; one that leads out, or to what skills leave out, is refused. Errors: not_found
// (also for a path that is no is_inside_path()), refused, permission, io.
Result<UniqueFd> open_inside(int skill, const std::string& path, int flags);

// Visits the files that belong to the skill, in no order, until the visitor answers false. Links
// to such files are files as well; folders and links to anything else are left out.
// Paths are as the disk has them: they need not be UTF-8. False where not all were seen: more than
// k_max_skill_entries, too deep, or a folder was unreadable.
using VisitFile = std::function<bool(std::string path, const struct stat& status)>;
bool visit_files(int skill, const VisitFile& visit);

// What lies directly in a folder.
struct FolderChild {
  std::string name;
  struct stat status = {}; // of a file or of a folder, nothing else
};

// What visit_files() would visit or enter in that folder of the skill (empty: the skill itself), in
// no order. Errors: not_found, also for a link, and too_large beyond k_max_skill_entries.
Result<std::vector<FolderChild>> list_folder(int skill, const std::string& folder);

struct FileList {
  std::vector<SkillFile> files = {}; // by path
  std::uint64_t bytes = 0;
  bool complete =
      true; // false: more than k_max_skill_entries, too deep, or a folder was unreadable
};

// The files that visit_files() visits. Looks at no bytes.
FileList list_files(int skill);

struct FilePart {
  std::string bytes = {};
  std::int64_t offset = 0;
  std::int64_t size = 0; // of the whole file, bytes
};

// At most `limit` bytes of a file from `offset` on; an offset behind its end gives none. A `size`
// beyond `bytes` says that there is more. Errors: as open_inside(); refused for what is no file.
Result<FilePart>
read_part(int skill, const std::string& path, std::int64_t offset, std::size_t limit);

// `SKILL.md` or, where the skill has only that, `skill.md`; empty where there is neither.
std::string document_name(int skill);

} // namespace upskill::daemon
