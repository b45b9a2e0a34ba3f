#pragma once
#include "protocol/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Branches, tags and commits, as people name them. Pure.
namespace upskill::fetch {

struct RemoteRef {
  std::string name = {}; // without `refs/heads/` or `refs/tags/`
  std::string hash = {};

  friend bool operator==(const RemoteRef&, const RemoteRef&) = default;
};

// `git ls-remote --heads --tags`. A tag's `^{}`, which names its commit, takes the tag's place.
// Errors: corrupt.
Result<std::vector<RemoteRef>> read_remote_refs(std::string_view output);

// Whether git may be given it: of its own rules those that keep it from being something else (an
// option, a pattern, two refs). Errors: invalid_argument.
Result<void> check_remote_ref(std::string_view ref);

// 40 or 64 hexadecimal digits; and 7 to 39 of them, which begin one.
bool is_whole_hash(std::string_view ref);
bool is_hash_prefix(std::string_view ref);

struct RefSplit {
  std::string ref = {};
  std::string folder = {};
};

// `tree/feature/x/skills`: where no ref is called `feature`, the longest one that
// `feature/x/skills` begins with is meant, and what follows is the folder.
std::optional<RefSplit>
split_ref(const std::vector<RemoteRef>& refs, std::string_view ref, std::string_view folder);

// Up to three refs for a hint: those that have the text in them, or are in it, else the first ones.
std::string near_refs(const std::vector<RemoteRef>& refs, std::string_view ref);

} // namespace upskill::fetch
