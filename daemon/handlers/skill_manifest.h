#pragma once
#include "daemon/handlers/catalogue.h"
#include "daemon/handlers/file_digests.h"
#include "daemon/handlers/recent_map.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace upskill::daemon {

// What hosts are told of a SKILL.md.
struct FrontMatter {
  std::string name = {};   // as it is written there; empty where there is a reason
  std::string json = {};   // all of it, typed as YAML 1.2 core
  std::string reason = {}; // why no host could take it, as the end of a sentence; empty: it can
};

FrontMatter front_matter_of(std::string_view document);

// Makes the entries of skills for hosts (SEP-2640): front matter, and every file with its digest,
// all of it read below one open folder. Remembers digests and front matter, so that a list in which
// nothing changed reads no file.
// Owner: SkillEntries. Thread: the pool's, several at a time. Lifetime: the engine's.
class SkillManifests {
public:
  static constexpr std::size_t k_most_front_matter = 4u << 20; // bytes that are remembered

  explicit SkillManifests(FileDigests::Now now);
  SkillManifests();

  // The entry of the row's newest copy. Errors: unsupported for what hosts could not take (the name
  // breaks the rules or differs from the folder's, the front matter cannot be read by everybody, a
  // file has no address), too_large beyond SEP-2640's limits of files and bytes, cancelled, changed
  // where it did not hold still, and whatever reading it may meet.
  Result<mcp::SkillEntry>
  entry_of(const Catalogue& catalogue, std::uint32_t row, const std::stop_token& stopping);

  std::uint64_t files_read() const { return m_digests.files_read(); }

private:
  struct Found;

  Result<mcp::SkillEntry> entry_at(int skill,
                                   std::string_view name,
                                   std::string_view prefix,
                                   const std::stop_token& stopping);
  Result<std::shared_ptr<const FrontMatter>> front_matter(int skill,
                                                          const Found& document,
                                                          FileDigest& digest,
                                                          const std::stop_token& stopping);

  FileDigests m_digests;
  std::mutex m_mutex;
  RecentMap<Digest, std::shared_ptr<const FrontMatter>> m_front_matter; // guarded by m_mutex
};

} // namespace upskill::daemon
