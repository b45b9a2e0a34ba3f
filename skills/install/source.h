#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// How what was named is got (agents facts, section 4).
enum class SourceKind : std::uint8_t {
  folder,     // of this machine, read where it lies
  archive,    // a `.skill`, `.zip`, `.tar.gz` or `.tgz` of this machine
  document,   // a SKILL.md of this machine
  git,        // cloned by the `git` program
  archive_at, // the same at an http or https address
  document_at,
  well_known, // a host that publishes an index of its skills
  mcp         // an MCP server with `skill://` resources
};

// A source as somebody named it, understood. Nothing of it has been looked at but whether a local
// path is a folder or a file.
struct Source {
  SourceKind kind = SourceKind::git;
  std::string name = {}; // how it is shown and recorded: `owner/repo`, an address, a path
  std::string type = {}; // the `sourceType` of `skills` lock files: `github`, `git`, `local`, ...
  std::string address = {}; // what is fetched: an absolute path, or an address without user names
  std::string secret = {};  // of a web address: what its query says of who asks; never written down
  std::string ref = {};     // of git: a branch, tag or commit; empty: the default branch
  std::string folder = {};  // within it, relative, without `..`
  std::vector<std::string> skills = {}; // named by `@skill`

  friend bool operator==(const Source&, const Source&) = default;
};

// What the words are relative to.
struct SourceSetting {
  std::string cwd = {};  // absolute; empty where the caller has none: local paths must be absolute
  std::string home = {}; // for `~/`
};

// The whole grammar of the facts, in their order. Errors: invalid_argument for what is no source,
// for `..` in a folder within it, control characters, a user name with a password in an address;
// not_found for a local path where nothing is.
Result<Source> parse_source(std::string_view words, const SourceSetting& setting);

// What is asked: the address, with what is secret in it.
std::string address_of(const Source& source);

// The words that say the same again, but for what is secret: parse_source() of them is this source.
std::string words_of(const Source& source);

} // namespace upskill::install
