#pragma once
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/watch_record.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_history.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What a version of a skill was, as evals.db keeps it for its history.
namespace upskill::daemon {

inline constexpr std::size_t k_max_kept_file = 256u << 10; // bytes of a text
inline constexpr std::size_t k_max_kept_texts = 2u << 20;  // of all texts of a version

// A file whose text is not kept, and why.
struct LeftOutFile {
  std::string path;
  std::string why;

  static void describe(auto& f) {
    f.required(&LeftOutFile::path, "path", "");
    f.required(&LeftOutFile::why, "why", "");
  }
};

struct VersionRecord {
  std::vector<RecordedFile> files = {}; // all, by path
  std::vector<RecordedText> texts = {};
  std::vector<LeftOutFile> left_out = {};

  static void describe(auto& f) {
    f.required(&VersionRecord::files, "files", "");
    f.optional(&VersionRecord::texts, "texts", "");
    f.optional(&VersionRecord::left_out, "left_out", "");
  }
};

// A skill's folder as it is now.
struct FolderVersion {
  Digest hash = {};
  VersionRecord record = {};
};

// What sync does not copy (`.git`, caches) is in neither. For the pool. Errors: what cannot be
// read.
Result<FolderVersion> read_folder_version(const SkillPlace& place);

std::string write_record(const VersionRecord& record);
// corrupt where it is none of ours.
Result<VersionRecord> read_version_record(std::string_view json);
// As far as the record of an accepted version tells: its SKILL.md and test files.
VersionRecord version_record_of(const AcceptedRecord& accepted);

struct RecordDiff {
  std::vector<HistoryFile> files = {};
  std::int64_t more = 0;
};

// Files that are not the same in both, SKILL.md first, the others by path. Bounded.
RecordDiff diff_records(const VersionRecord& from, const VersionRecord& to);

} // namespace upskill::daemon
