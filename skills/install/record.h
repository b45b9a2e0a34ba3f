#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/install/source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::install {

struct JsonTree;

// What is known of one installed skill: where it came from, and what it was then.
struct InstallRow {
  std::string skill = {};               // its folder's name
  std::string scope = {};               // empty: the user's; else the project's folder
  Source source = {};                   // without `skills`
  std::string from = {};                // its folder within what was fetched; of well-known hosts
                                        // and MCP servers its name or address there
  std::string commit = {};              // of git
  std::string digest = {};              // `sha256:...` that the source told
  Digest base = {};                     // framed tree hash of the version that was installed
  std::string renamed_from = {};        // `--as`: what its front matter calls it at the source
  std::vector<std::string> agents = {}; // that were named; empty: all
  bool links = false;
  std::vector<std::string> allowed = {}; // hashes that a person allowed although they are dangerous
  std::optional<Digest> held = {};       // the source's version that waits in a conflict
  std::int64_t installed_ms = 0;
  std::int64_t updated_ms = 0;

  friend bool operator==(const InstallRow&, const InstallRow&) = default;
};

// A row of a skill that was removed: should the skill come back, it counts again.
struct RemovedRow {
  InstallRow row = {};
  Digest left = {};            // what lay there when it went
  std::string lock_name = {};  // its key in the lock of `npx skills`; empty: it had no entry there
  std::string lock_entry = {}; // as JSON
  std::int64_t removed_ms = 0;
  std::string more = {}; // JSON of the row's fields that we do not know

  friend bool operator==(const RemovedRow&, const RemovedRow&) = default;
};

inline constexpr std::size_t k_most_removed = 1000; // rows that are kept, the newest

using InstallKey = std::pair<std::string, std::string>; // scope, skill

// All of them, as `$XDG_DATA_HOME/upskill/installed.json` has them. What a newer version of ours
// may have added to a row is kept.
class InstallRecord {
public:
  // An empty text is an empty record. Errors: corrupt for what does not parse or is of another
  // version: never an empty record; too_large over 16 MiB.
  static Result<InstallRecord> parse(std::string_view text);
  std::string text() const; // 2-space JSON, sorted, with a final newline
  // The same, where parse() can read it again: a record that cannot be read must not be written.
  // Errors: corrupt.
  Result<std::string> checked_text() const;

  const InstallRow* find(std::string_view scope, std::string_view skill) const;
  void put(InstallRow row);
  // Forgets it for good.
  bool remove(std::string_view scope, std::string_view skill);
  // Puts its row among those that were removed. Nothing where there is no row.
  void set_aside(const InstallKey& key, RemovedRow how);
  // Takes it back from there. Nothing where it is not there.
  void take_back(const InstallKey& key);

  const std::map<InstallKey, InstallRow>& rows() const { return m_rows; }

  // Never of a skill that has a row.
  const std::map<InstallKey, RemovedRow>& removed() const { return m_removed; }

  friend bool operator==(const InstallRecord&, const InstallRecord&) = default;

private:
  Result<void> read_removed(JsonTree& rows);

  std::map<InstallKey, InstallRow> m_rows = {};
  std::map<InstallKey, RemovedRow> m_removed = {};
  std::map<InstallKey, std::string> m_more = {}; // JSON of fields that we do not know
};

} // namespace upskill::install
