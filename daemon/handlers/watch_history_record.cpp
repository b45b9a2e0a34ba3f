#include "daemon/handlers/watch_history_record.h"

#include "daemon/handlers/watch_version.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/sync/scan.h"
#include "skills/sync/unified_diff.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_files = 200;        // of a difference
constexpr std::size_t k_most_diffs = 512u << 10; // bytes of all its texts
constexpr std::string_view k_document = "SKILL.md";

// What both versions know of a path.
struct Side {
  const RecordedFile* file = nullptr;
  const std::string* text = nullptr;
  const std::string* why = nullptr; // there is no text
};

using Sides = std::map<std::string_view, Side>;

Sides sides_of(const VersionRecord& record) {
  Sides sides;
  for (const RecordedFile& file : record.files) {
    sides[file.path].file = &file;
  }
  for (const RecordedText& text : record.texts) {
    sides[text.path].text = &text.text;
  }
  for (const LeftOutFile& left_out : record.left_out) {
    sides[left_out.path].why = &left_out.why;
  }
  return sides;
}

bool is_document(std::string_view path) {
  return path == k_document || path == "skill.md";
}

bool is_same(const Side& a, const Side& b) {
  return a.file != nullptr && b.file != nullptr && a.file->hash == b.file->hash
         && a.file->executable == b.file->executable;
}

HistoryFile difference_of(std::string_view path, const Side& a, const Side& b, std::size_t room) {
  HistoryFile file{to_valid_utf8(path)};
  file.what = a.file == nullptr ? "added" : b.file == nullptr ? "removed" : "changed";
  if (a.file != nullptr && b.file != nullptr && a.file->executable != b.file->executable) {
    file.what += b.file->executable ? ", now executable" : ", not executable any more";
    if (a.file->hash == b.file->hash) {
      return file;
    }
  }
  for (const Side* side : {&a, &b}) {
    if (side->file != nullptr && side->text == nullptr) {
      file.what += "; its text is not kept: ";
      file.what += side->why != nullptr ? *side->why : "unknown";
      return file;
    }
  }
  const std::string none;
  file.diff = sync::unified_diff(a.text != nullptr ? *a.text : none,
                                 b.text != nullptr ? *b.text : none,
                                 "a/" + file.path,
                                 "b/" + file.path,
                                 3,
                                 std::min(room, sync::k_max_diff_shown));
  return file;
}

bool is_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos && is_utf8(bytes);
}

} // namespace

Result<FolderVersion> read_folder_version(const SkillPlace& place) {
  TRY_ASSIGN(ReadFolder folder, read_folder(place));
  const auto& [parent, name, tree] = folder;
  FolderVersion version{tree.hash()};
  VersionRecord& record = version.record;
  // SKILL.md first: whatever else there is, it is kept.
  std::vector<const sync::Entry*> entries;
  for (const sync::Entry& entry : tree.entries()) {
    if (entry.kind == sync::EntryKind::folder) {
      continue;
    }
    record.files.push_back(
        {entry.path, entry.content.hex(), entry.kind == sync::EntryKind::executable});
    entries.push_back(&entry);
  }
  std::string_view document = sync::skill_file(tree);
  std::ranges::stable_partition(entries,
                                [&](const sync::Entry* entry) { return entry->path == document; });
  std::size_t bytes = 0;
  for (const sync::Entry* entry : entries) {
    if (entry->kind == sync::EntryKind::link) {
      record.left_out.push_back({entry->path, "it is a link to " + in_backticks(entry->target)});
    } else if (entry->size > k_max_kept_file) {
      record.left_out.push_back({entry->path, "it has more than 256 KiB"});
    } else if (bytes + entry->size > k_max_kept_texts) {
      record.left_out.push_back({entry->path, "the texts of the version have more than 2 MiB"});
    } else {
      TRY_ASSIGN(std::string text, sync::read_entry(parent.get(), name, *entry));
      if (!is_text(text)) {
        record.left_out.push_back({entry->path, "it is no text"});
        continue;
      }
      bytes += text.size();
      record.texts.push_back({entry->path, std::move(text)});
    }
  }
  return version;
}

std::string write_record(const VersionRecord& record) {
  return encode(record);
}

Result<VersionRecord> read_version_record(std::string_view json) {
  rpc::JsonParser parser;
  Result<VersionRecord> record = fail(ErrorCode::internal, "nothing was read");
  Result<void> read = parser.read(json, "the version", [&](JsonReader& reader) {
    record = decode<VersionRecord>(reader, "version");
  });
  if (!read || !record) {
    return fail(ErrorCode::corrupt,
                "what is kept of the version cannot be read: "
                    + (read ? record.error() : read.error()).message);
  }
  return record;
}

VersionRecord version_record_of(const AcceptedRecord& accepted) {
  VersionRecord record;
  record.files = accepted.files;
  record.texts = accepted.tests;
  for (const RecordedFile& file : record.files) {
    if (is_document(file.path)) {
      record.texts.push_back({file.path, accepted.document});
    } else if (std::ranges::find(accepted.tests, file.path, &RecordedText::path)
               == accepted.tests.end()) {
      record.left_out.push_back({file.path, "it was accepted before texts were kept"});
    }
  }
  return record;
}

RecordDiff diff_records(const VersionRecord& from, const VersionRecord& to) {
  Sides before = sides_of(from);
  Sides after = sides_of(to);
  std::vector<std::string_view> paths;
  for (const Sides* sides : {&before, &after}) {
    for (const auto& [path, side] : *sides) {
      if (!is_same(before[path], after[path])) {
        paths.push_back(path);
      }
    }
  }
  std::ranges::sort(
      paths, {}, [](std::string_view path) { return std::pair(!is_document(path), path); });
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  RecordDiff diff;
  std::size_t room = k_most_diffs;
  for (std::string_view path : paths) {
    if (diff.files.size() == k_most_files || room == 0) {
      ++diff.more;
      continue;
    }
    diff.files.push_back(difference_of(path, before[path], after[path], room));
    room -= std::min(room, diff.files.back().diff.size());
  }
  return diff;
}

} // namespace upskill::daemon
