#include "daemon/install/desk.h"

#include "daemon/await.h"
#include "daemon/install/record_file.h"
#include "daemon/sandbox/private_folder.h"
#include "protocol/base/utf8.h"

namespace upskill::daemon {

InstallDesk::InstallDesk(SyncService& service, models::Http& http)
    : m_service(service)
    , m_fetcher(http, sandbox::temporary_parent())
    , m_plans(service.context().io.get_executor())
    , m_together(together_on(service.context().pool)) {}

std::string InstallDesk::key_of(const install::Source& source, install::Depth depth) {
  return install::words_of(source) + (depth == install::Depth::full ? " full" : "");
}

Result<PlanContent> InstallDesk::plan_named(const std::string& token,
                                            const InstallCall& call) const {
  if (token.empty()) {
    return PlanContent();
  }
  const PlanContent* plan = m_plans.find(token, call.caller);
  if (plan == nullptr) {
    return fail(ErrorCode::not_found,
                "params.plan: there is no plan " + in_backticks(token) + " any more",
                "ask for a new one with `--dry-run`; plans are kept for ten minutes");
  }
  return *plan;
}

std::string
InstallDesk::keep_plan(const std::string& named, const InstallCall& call, PlanContent content) {
  if (named.empty()) {
    return m_plans.keep(call.caller, std::move(content));
  }
  m_plans.add(named, content.shown);
  return named;
}

Awaitable<std::shared_ptr<fetch::Offer>> InstallDesk::offer_of(install::Source source,
                                                               install::Depth depth,
                                                               Offers plan,
                                                               const InstallCall& call) {
  auto kept = plan.find(key_of(source, depth));
  if (kept != plan.end()) {
    co_return kept->second;
  }
  auto look =
      m_fetcher.look(std::move(source), fetch_setting(call, places().home, depth), call.pool);
  AWAIT(Result<fetch::Offer> offer, std::move(look));
  CO_TRY(offer);
  co_return held(std::move(*offer), m_service.context().pool);
}

Awaitable<void> InstallDesk::bring(std::shared_ptr<fetch::Offer> offer,
                                   std::vector<std::size_t> which,
                                   std::map<std::size_t, Error>& failed,
                                   const InstallCall& call) {
  std::erase_if(which, [&](std::size_t index) { return !offer->skills[index].folder.empty(); });
  if (which.empty()) {
    co_return Result<void>();
  }
  fetch::FetchSetting setting = fetch_setting(call, places().home, install::Depth::shadowed);
  AWAIT(Result<std::vector<Result<void>>> brought,
        m_fetcher.bring(*offer, which, std::move(setting), call.pool));
  CO_TRY(brought);
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (!(*brought)[i]) {
      failed.emplace(which[i], (*brought)[i].error());
    }
  }
  co_return Result<void>();
}

// What is installed must be found again, whatever its age: updates are held against it.
asio::awaitable<void> InstallDesk::pin(RecordNow record, std::vector<std::string>& warnings) {
  AWAIT(Result<void> pinned, m_service.pin(bases_of(*record)));
  if (!pinned) {
    warnings.push_back("the next update may find nothing to compare with: "
                       + pinned.error().message);
  }
}

} // namespace upskill::daemon
