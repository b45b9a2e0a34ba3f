#pragma once
#include "daemon/handlers/skill_library.h"
#include "daemon/handlers/skill_manifest.h"
#include "daemon/skill_backend.h"

#include <cstdint>
#include <set>
#include <string>

namespace upskill::daemon {

// The skills that hosts of SEP-2640 can take, by the same addresses as their resources. What they
// could not take is left out of the list and unknown to get(), which says why; its files stay
// resources.
// Owner: SkillsEngine. Thread: the daemon's; all reading is on the pool. Lifetime: shorter than
// `library`.
class SkillEntries final : public SkillBackend {
public:
  explicit SkillEntries(SkillLibrary& library)
      : m_library(library) {}

  SkillEntries(SkillLibrary& library, FileDigests::Now now)
      : m_library(library)
      , m_manifests(std::move(now)) {}

  // At most k_mcp_skill_page skills and, unless the first alone has more, k_mcp_skill_page_bytes.
  asio::awaitable<Result<mcp::SkillPage>> list(std::string cursor, RequestContext context) override;
  // By the very address that the list has. Errors: not_found with the reason; changed.
  asio::awaitable<Result<mcp::SkillEntry>> get(std::string uri, RequestContext context) override;

  // How many files were read for it so far.
  std::uint64_t files_read() const { return m_manifests.files_read(); }

private:
  void warn_once(const std::string& skill, const Error& why);

  SkillLibrary& m_library;
  SkillManifests m_manifests;
  std::set<std::string> m_warned; // what was told of skills over the limits; bounded
};

} // namespace upskill::daemon
