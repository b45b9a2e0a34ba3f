#include "daemon/handlers/watch_version.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/eval/cases.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::daemon {
namespace {

bool is_test_file(std::string_view path) {
  constexpr std::array k_uses{eval::CaseUse::answers, eval::CaseUse::triggers};
  return std::ranges::any_of(k_uses, [&](eval::CaseUse use) {
    return std::ranges::find(eval::case_files(use), path) != eval::case_files(use).end();
  });
}

Result<std::optional<std::string>> find_test(const WatchedVersion& version, std::string_view path) {
  auto found = version.tests.find(path);
  return found == version.tests.end() ? std::optional<std::string>() : std::optional(found->second);
}

} // namespace

Result<ReadFolder> read_folder(const SkillPlace& place) {
  UniqueFd parent = library::open_folder(AT_FDCWD, place.real_parent.c_str());
  if (!parent) {
    return fail(system_error(errno, in_backticks(place.real_parent)));
  }
  std::string name(base_name(place.folder));
  sync::ReadResult read = sync::read_skill(parent.get(), name, {});
  if (read.stat.presence != sync::Presence::copy) {
    return fail(ErrorCode::not_found,
                in_backticks(place.folder) + " is no skill that can be read"
                    + (read.stat.problem.empty() ? "" : ": " + read.stat.problem));
  }
  return ReadFolder{std::move(parent), std::move(name), std::move(read.tree)};
}

Result<WatchedVersion> read_version(const SkillPlace& place) {
  TRY_ASSIGN(ReadFolder folder, read_folder(place));
  const auto& [parent, name, tree] = folder;
  WatchedVersion version;
  version.hash = tree.hash();
  std::string_view document = sync::skill_file(tree);
  for (const sync::Entry& entry : tree.entries()) {
    if (entry.kind == sync::EntryKind::folder) {
      continue;
    }
    version.files.push_back({entry.path, entry.content, entry.kind == sync::EntryKind::executable});
    bool is_text = entry.path == document || entry.path == regression::k_watch_file
                   || is_test_file(entry.path);
    if (!is_text || entry.kind == sync::EntryKind::link) {
      continue;
    }
    if (entry.size > eval::k_max_test_file) {
      return fail(ErrorCode::too_large, in_backticks(entry.path) + " has more than 8 MiB");
    }
    TRY_ASSIGN(std::string text, sync::read_entry(parent.get(), name, entry));
    if (entry.path == document) {
      version.document = std::move(text);
    } else if (entry.path == regression::k_watch_file) {
      version.watch_hash = entry.content;
      TRY_ASSIGN(version.watch_file, regression::read_watch_file(text));
    } else {
      version.tests.emplace(entry.path, std::move(text));
    }
  }
  return version;
}

regression::VersionView view_of(const WatchedVersion& version) {
  return {version.files, version.document, [&version](std::string_view path) {
            return find_test(version, path);
          }};
}

void put_version(AcceptedRecord& record, const WatchedVersion& version) {
  record.document = version.document;
  for (const regression::ListedFile& file : version.files) {
    record.files.push_back({file.path, file.content.hex(), file.executable});
  }
  for (const auto& [path, text] : version.tests) {
    record.tests.push_back({path, text});
  }
}

Result<WatchedVersion> version_of(const AcceptedRecord& record) {
  WatchedVersion version;
  version.document = record.document;
  for (const RecordedFile& file : record.files) {
    std::optional<Digest> hash = Digest::from_hex(file.hash);
    if (!hash) {
      return fail(ErrorCode::corrupt, "a hash of the accepted version is none");
    }
    version.files.push_back({file.path, *hash, file.executable});
  }
  for (const RecordedText& test : record.tests) {
    version.tests.emplace(test.path, test.text);
  }
  return version;
}

} // namespace upskill::daemon
