#pragma once
#include "daemon/install/candidate.h"
#include "daemon/install/choose.h"
#include "daemon/install/install_call.h"
#include "daemon/install/known_files.h"
#include "daemon/install/plans.h"
#include "daemon/sync/scene.h"
#include "protocol/types/install.h"
#include "skills/install/record.h"
#include "skills/sync/placement.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

// What an install knows, step by step.
namespace upskill::daemon {

struct InstallWork {
  InstallParams params;
  InstallCall call;
  std::shared_ptr<const Scene> scene = {};
  Allowances allowances = {};
  PlanContent plan = {};
  install::Source source = {};
  std::string project = {}; // empty: the user's scope
  RecordNow record = {};
  std::shared_ptr<fetch::Offer> offer = {};
  Choice choice = {};
  std::vector<Candidate> candidates = {}; // of those that were chosen; of all, where none was
  std::vector<std::size_t> ordered = {};  // which of them are placed
  InstallResult result = {};              // its skills are those of `candidates`

  const fetch::Offered& offered(const Candidate& candidate) const {
    return offer->skills[candidate.index];
  }
};

// The row of a skill that came from the same place of the same source; null where there is none.
const install::InstallRow* row_from_here(const InstallWork& work, const Candidate& candidate);

// The versions that are shown of a dry run.
std::map<std::string, Digest> shown_of(const InstallWork& work);

// Says of each candidate that is not to be placed why, and which are.
void judge(InstallWork& work, const std::map<std::size_t, Error>& failed);

// The order for the sync service.
sync::PlaceOrder order_of(const InstallWork& work);

// Says of each that was placed what became of it.
void tell(InstallWork& work, const std::vector<sync::Placed>& placed);

// The rows of what is there now.
std::vector<install::InstallRow>
rows_of(const InstallWork& work, const std::vector<sync::Placed>& placed, std::int64_t now_ms);

} // namespace upskill::daemon
