#pragma once
#include "daemon/fetch/fetcher.h"
#include "protocol/types/install.h"
#include "skills/danger/scan.h"
#include "skills/sync/new_version.h"
#include "skills/sync/placement.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// A version as it lies in a folder: of a source, or anywhere.
struct ReadVersion {
  sync::NewFiles files = {};
  Digest hash = {};
  bool leaves_out = false; // something lies there that is no content: caches, version control
};

// Whole, with what it holds. Blocks. Errors: not_found, invalid_argument (no skill, what cannot be
// propagated), too_large, io.
Result<ReadVersion> read_version(const std::string& folder);
// Its hash only.
Result<Digest> read_hash(const std::string& folder);

// A skill of a source that was brought, as it would be here.
struct Candidate {
  std::size_t index = 0;          // in the offer
  std::string skill = {};         // the name of its folder here; empty: it can have none
  std::string as = {};            // the name that somebody chose for it
  std::string called = {};        // what its front matter calls it at the source
  std::string folder = {};        // where it lies now
  std::string document = {};      // what its SKILL.md is called: `skill.md` of some
  Digest hash = {};               // of what would be placed
  std::string computed_hash = {}; // of `npx skills`, of what the source has
  danger::DangerReport danger = {};
  std::string description = {};
  std::int64_t tokens = 0;
  std::int64_t file_count = 0;
  std::int64_t bytes = 0;
  std::optional<Error> problem = {}; // why it is nothing that an agent could use
  // Kept where there is room for it, so that it need not be read again.
  sync::SharedFiles files = {};
};

// What the scan of each candidate is told.
struct ExamineSetting {
  danger::ScanOptions scan = {};
  bool is_installed_as_lies = false; // its computed hash is that of what is placed
};

// What its front matter calls it here.
std::string name_of(const Candidate& candidate);

// Reads, renames, scans and judges it. Blocks.
Candidate examine(const fetch::Offered& offered,
                  std::size_t index,
                  const std::string& as,
                  const ExamineSetting& setting);

// The files of a candidate for the engine: what was scanned, and nothing else. Errors: changed.
std::function<Result<sync::SharedFiles>()> content_of(const Candidate& candidate);

// The same version once more, for a diff.
Result<sync::SharedFiles> files_of(const Candidate& candidate);

// What is told of it, but for what becomes of it.
InstalledSkill told_of(const Candidate& candidate, const fetch::Offered& offered);

// `NAME@HASH` of a person, each with at least 8 digits of the hash.
class Allowances {
public:
  // Errors: invalid_argument.
  static Result<Allowances> parse(const std::vector<std::string>& words);

  bool allows(std::string_view skill, const Digest& hash) const;

private:
  std::vector<std::pair<std::string, std::string>> m_allowed = {}; // name, digits
};

} // namespace upskill::daemon
