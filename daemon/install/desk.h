#pragma once
#include "daemon/binder.h"
#include "daemon/fetch/fetcher.h"
#include "daemon/install/candidate.h"
#include "daemon/install/install_call.h"
#include "daemon/install/install_files.h"
#include "daemon/install/plans.h"
#include "daemon/sync/service.h"
#include "daemon/sync/together.h"
#include "protocol/types/find.h"
#include "protocol/types/install.h"
#include "protocol/types/update.h"
#include "skills/install/record.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

struct InstallWork;
struct SourceIndex;
struct SourceSearch;
struct Tracked;
struct UpdateWork;

// The folder of a skill that somebody names. Blocks.
using FolderOf = std::function<Result<std::string>(const std::string& asked)>;

// Where skills are installed, updated, removed and rolled back: from what somebody names to what
// lies in agents' folders, the record and the lock files. Each method is a whole order; what is
// placed is placed by the sync service, together or not at all. Owner: SkillsEngine. Thread: the
// daemon's; what blocks is on the pool. Lifetime: longer than every call; stop() before the pool
// ends.
class InstallDesk {
public:
  InstallDesk(SyncService& service, models::Http& http);

  Awaitable<InstallResult> install(InstallParams params, InstallCall call);
  Awaitable<UpdateResult> update(UpdateParams params, InstallCall call);
  Awaitable<RemoveResult> remove(RemoveParams params, InstallCall call);
  Awaitable<RollbackResult> roll_back(RollbackParams params, InstallCall call);
  // What sources have; the best first. `here` is what this machine has.
  Awaitable<FindResult> find(FindParams params, std::vector<FoundOffer> here, InstallCall call);
  Awaitable<ScanResult> scan(ScanParams params, FolderOf folder_of, InstallCall call);
  Awaitable<PackResult> pack(PackParams params, FolderOf folder_of, InstallCall call);
  // `folder`: where it goes unless the caller says so.
  Awaitable<InitResult> init(InitParams params, std::string skills_folder, InstallCall call);

  // Lets go of what was fetched.
  void stop() { m_plans.clear(); }

private:
  const Places& places() const { return m_service.context().places; }

  InstallFiles files() { return {places(), m_service.environment(), m_known}; }

  // How an offer is called in a plan.
  static std::string key_of(const install::Source& source, install::Depth depth);
  // Empty where none is named. Errors: not_found.
  Result<PlanContent> plan_named(const std::string& token, const InstallCall& call) const;
  // The plan's name: of the one that is named, which has more in it then, or of a new one.
  std::string keep_plan(const std::string& named, const InstallCall& call, PlanContent content);
  // Of the plan, or looked at anew.
  Awaitable<std::shared_ptr<fetch::Offer>>
  offer_of(install::Source source, install::Depth depth, Offers plan, const InstallCall& call);
  // Those of them whose files are not at hand. What fails is told in `failed`, by its index.
  Awaitable<void> bring(std::shared_ptr<fetch::Offer> offer,
                        std::vector<std::size_t> which,
                        std::map<std::size_t, Error>& failed,
                        const InstallCall& call);
  // back_again.cpp
  // Rows of skills that were removed, and lie there again as they were left, count again.
  Awaitable<void> count_again(std::vector<std::string> scopes,
                              std::vector<std::string>& warnings,
                              const InstallCall& call);
  Awaitable<void> write_back(std::vector<install::InstallKey> keys,
                             std::vector<std::string>& warnings,
                             const InstallCall& call);
  asio::awaitable<void> pin(RecordNow record, std::vector<std::string>& warnings);

  // install.cpp
  Awaitable<void> read_order(InstallWork& work);
  Awaitable<void> look_at_skills(InstallWork& work);
  Awaitable<void> place(InstallWork& work);

  // update.cpp
  Awaitable<void> read_rows(UpdateWork& work);
  Awaitable<void> look_here(UpdateWork& work);
  Awaitable<void> look_at_sources(UpdateWork& work);
  asio::awaitable<void> look_at_next(UpdateWork& work);
  Awaitable<void> compare(UpdateWork& work);
  Awaitable<void> examine_new(UpdateWork& work);
  asio::awaitable<void> judge_new(UpdateWork& work, Tracked& skill);
  Awaitable<void> take(UpdateWork& work);

  // find.cpp
  Awaitable<SourceIndex> index_of(const SourceSearch& search, const std::string& words);
  asio::awaitable<void> index_next(SourceSearch& search);

  SyncService& m_service;
  fetch::Fetcher m_fetcher;
  Plans m_plans;
  KnownFiles m_known;
  sync::Together m_together;
};

} // namespace upskill::daemon
