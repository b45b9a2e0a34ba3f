#pragma once
#include "protocol/base/result.h"
#include "skills/redact/rule_set.h"

#include <cstdint>
#include <string>

namespace upskill::capture {

// What tells states of a file apart; of one that is not there, nothing.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = -1;
  std::int64_t modified_ns = 0; // Unix time
  std::int64_t changed_ns = 0;  // the same, of its permissions too

  friend bool operator==(const FileState&, const FileState&) = default;
};

FileState state_of(const std::string& path);

// The rules of redaction, with a person's own over them, which need not be there. Errors as of
// read_file and RuleSet::with.
Result<redact::RuleSet> read_rules(const std::string& path);

} // namespace upskill::capture
