#pragma once
#include "daemon/handlers/catalogue.h"
#include "daemon/request_context.h"
#include "daemon/runtime/condition.h"
#include "daemon/sync/service.h"
#include "protocol/base/hash.h"

#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace upskill::daemon {

// The catalogue of all skills, kept until something changed, with the hashes that were asked for.
// Owner: SkillsEngine, which outlives every call. Thread: the daemon's; walking is on the pool.
class SkillLibrary {
public:
  explicit SkillLibrary(SyncService& service);

  SyncService& service() { return m_service; }

  // As the client of the call has it.
  runtime::Pool::Share pool(const RequestContext& context) {
    return m_service.context().pool().of(context.client_number);
  }

  // True of everything that was written before the call. Built anew only where something changed
  // since it was last asked for, by one caller while the others wait.
  asio::awaitable<Result<std::shared_ptr<const Catalogue>>> catalogue(std::stop_token stopping);

  // What is known of these rows, with hashes; copies that were not hashed before are read for it.
  // At most k_max_page rows.
  asio::awaitable<Result<std::vector<SkillSummary>>>
  summaries(std::shared_ptr<const Catalogue> catalogue,
            std::vector<std::uint32_t> rows,
            RequestContext context);

private:
  using Hashes = std::unordered_map<std::uint32_t, Digest>; // by copy; all zero: cannot be had

  bool is_watched() const;

  SyncService& m_service;
  std::shared_ptr<const Catalogue> m_catalogue;
  std::uint64_t m_generation = 0; // of m_catalogue; 0: not to be relied on
  Hashes m_hashes;                // of m_catalogue
  bool m_building = false;
  runtime::Condition m_built;
};

} // namespace upskill::daemon
