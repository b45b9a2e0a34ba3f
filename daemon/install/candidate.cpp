#include "daemon/install/candidate.h"

#include "daemon/install/version_answers.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/tokens.h"
#include "skills/install/computed_hash.h"
#include "skills/install/discover.h"
#include "skills/install/rename.h"
#include "skills/library/folder.h"
#include "skills/sync/put_skill.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_fewest_digits = 8; // of a hash that somebody names
constexpr std::size_t k_hash_digits = 64;

// Its SKILL.md; the end where there is none.
sync::NewFiles::const_iterator document_of(const sync::NewFiles& files) {
  auto found = files.find("SKILL.md");
  return found != files.end() ? found : files.find("skill.md");
}

Result<sync::ReadResult> read_folder(const std::string& folder, bool keep_contents) {
  std::string parent = parent_path(folder);
  UniqueFd root = library::open_folder(AT_FDCWD, parent.c_str());
  sync::ReadResult read;
  if (root) {
    read = sync::read_skill(root.get(),
                            base_name(folder),
                            {.keep_contents = keep_contents, .keep_limit = sync::k_max_placed});
  }
  switch (read.stat.presence) {
  case sync::Presence::copy:
    return read;
  case sync::Presence::absent:
    return fail(ErrorCode::not_found, in_backticks(folder) + " is not there");
  case sync::Presence::incomplete:
    return fail(ErrorCode::invalid_argument, "its `SKILL.md` is missing or empty");
  case sync::Presence::link:
    return fail(ErrorCode::invalid_argument, "it is a link");
  case sync::Presence::problem:
    break;
  }
  return fail(ErrorCode::invalid_argument, "it cannot be a skill: " + read.stat.problem);
}

// The version that would lie here, of the one that the source has.
Result<ReadVersion> read_as(const std::string& folder, const std::string& as) {
  TRY_ASSIGN(ReadVersion version, read_version(folder));
  if (!as.empty()) {
    TRY_ASSIGN(version.files, install::renamed(std::move(version.files), as));
    TRY_ASSIGN(sync::Tree tree, sync::tree_of(version.files));
    version.hash = tree.hash();
  }
  return version;
}

Result<sync::SharedFiles>
read_again(const std::string& folder, const std::string& as, const Digest& hash) {
  TRY_ASSIGN(ReadVersion version, read_as(folder, as));
  if (version.hash != hash) {
    return fail(ErrorCode::changed,
                in_backticks(folder) + " changed while it was being installed",
                "try again");
  }
  return std::make_shared<const sync::NewFiles>(std::move(version.files));
}

Result<void> check_names(const Candidate& candidate) {
  if (candidate.skill.empty()) {
    return fail(ErrorCode::invalid_argument,
                "its name cannot be that of a folder on every system",
                "`--as NAME` gives it another");
  }
  if (!candidate.as.empty() && install::folder_name_of(candidate.as) != candidate.as) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(candidate.as) + " cannot be the name of a skill",
                "a name has lower-case letters, digits and single hyphens");
  }
  return {};
}

Result<void> take_files(Candidate& candidate, ReadVersion version, const ExamineSetting& setting) {
  candidate.hash = version.hash;
  candidate.danger = danger::scan(scanned_files(version.files), setting.scan);
  auto document = document_of(version.files);
  if (document == version.files.end()) {
    return fail(ErrorCode::invalid_argument, "it has no `SKILL.md`");
  }
  candidate.document = document->first;
  const std::string& text = document->second.bytes;
  candidate.tokens = document::estimate_tokens(text);
  candidate.file_count = static_cast<std::int64_t>(version.files.size());
  for (const auto& [path, file] : version.files) {
    candidate.bytes += static_cast<std::int64_t>(file.bytes.size());
  }
  std::string description = document::read_document(text).description;
  bool is_placed_hash = setting.is_installed_as_lies;
  if (is_placed_hash || (candidate.as.empty() && !version.leaves_out)) {
    candidate.computed_hash = install::computed_hash(version.files);
  } else {
    TRY_ASSIGN(candidate.computed_hash, install::computed_hash_of(candidate.folder));
  }
  candidate.files = std::make_shared<const sync::NewFiles>(std::move(version.files));
  if (description.empty()) {
    return fail(ErrorCode::invalid_argument,
                "its front matter has no description, so no agent could tell what it is for");
  }
  return {};
}

} // namespace

Result<ReadVersion> read_version(const std::string& folder) {
  TRY_ASSIGN(sync::ReadResult read, read_folder(folder, true));
  const std::vector<sync::Entry>& entries = read.tree.entries();
  if (read.contents.size() != entries.size()) {
    return fail(ErrorCode::too_large,
                "it has more than " + std::to_string(sync::k_max_placed >> 20) + " MiB");
  }
  ReadVersion version;
  version.hash = read.tree.hash();
  version.leaves_out = !read.ignored.empty();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const sync::Entry& entry = entries[i];
    if (entry.kind != sync::EntryKind::folder) {
      version.files[entry.path] = {
          std::move(read.contents[i]), entry.kind == sync::EntryKind::executable, entry.target};
    }
  }
  return version;
}

Result<Digest> read_hash(const std::string& folder) {
  TRY_ASSIGN(sync::ReadResult read, read_folder(folder, false));
  return read.tree.hash();
}

Candidate examine(const fetch::Offered& offered,
                  std::size_t index,
                  const std::string& as,
                  const ExamineSetting& setting) {
  Candidate candidate;
  candidate.index = index;
  candidate.as = as;
  candidate.called = offered.name;
  candidate.skill = as.empty() ? install::folder_name_of(offered.name) : as;
  candidate.folder = offered.folder;
  candidate.description = offered.description;
  Result<void> names = check_names(candidate);
  if (!names) {
    candidate.problem = names.error();
    return candidate;
  }
  Result<ReadVersion> version = read_as(offered.folder, as);
  if (!version) {
    candidate.problem = version.error();
    return candidate;
  }
  Result<void> taken = take_files(candidate, std::move(*version), setting);
  if (!taken) {
    candidate.problem = taken.error();
  }
  return candidate;
}

std::string name_of(const Candidate& candidate) {
  return to_valid_utf8(candidate.as.empty() ? candidate.called : candidate.as);
}

Result<sync::SharedFiles> files_of(const Candidate& candidate) {
  return content_of(candidate)();
}

std::function<Result<sync::SharedFiles>()> content_of(const Candidate& candidate) {
  if (candidate.files) {
    return [files = candidate.files]() -> Result<sync::SharedFiles> { return files; };
  }
  return [folder = candidate.folder, as = candidate.as, hash = candidate.hash]() {
    return read_again(folder, as, hash);
  };
}

InstalledSkill told_of(const Candidate& candidate, const fetch::Offered& offered) {
  InstalledSkill told;
  told.skill = candidate.skill.empty() ? to_valid_utf8(offered.name) : candidate.skill;
  told.description = to_valid_utf8(candidate.description);
  told.from = to_valid_utf8(offered.from);
  told.hash = candidate.hash == Digest{} ? std::string() : candidate.hash.hex();
  told.tokens = candidate.tokens;
  told.files = candidate.file_count;
  told.bytes = candidate.bytes;
  told.danger = severity_of(candidate.danger);
  told.findings = findings_of(candidate.danger);
  if (candidate.problem) {
    told.state = InstallState::invalid;
    told.reason = candidate.problem->message;
    told.hint = candidate.problem->hint;
  }
  return told;
}

Result<Allowances> Allowances::parse(const std::vector<std::string>& words) {
  Allowances allowances;
  for (const std::string& word : words) {
    std::size_t at = word.rfind('@');
    std::string digits = at == std::string::npos ? std::string() : word.substr(at + 1);
    bool is_right = at != std::string::npos && at > 0 && digits.size() >= k_fewest_digits
                    && digits.size() <= k_hash_digits
                    && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_right) {
      return fail(ErrorCode::invalid_argument,
                  "params.allow: " + in_backticks(word) + " does not name a version",
                  "`NAME@HASH`, with at least 8 digits of the hash that was shown");
    }
    allowances.m_allowed.emplace_back(word.substr(0, at), std::move(digits));
  }
  return allowances;
}

bool Allowances::allows(std::string_view skill, const Digest& hash) const {
  return std::ranges::any_of(m_allowed, [&](const auto& allowed) {
    return allowed.first == skill && hash.hex().starts_with(allowed.second);
  });
}

} // namespace upskill::daemon
