#include "daemon/doctor/doctor.h"

#include "daemon/doctor/checks.h"

#include <algorithm>

namespace upskill::doctor {
namespace {

std::vector<RootStatus> root_statuses(const Sight& sight) {
  std::vector<RootStatus> statuses;
  for (std::size_t i = 0; i < sight.roots.size(); ++i) {
    const library::Root& root = sight.roots[i];
    RootStatus& status = statuses.emplace_back();
    status.path = root.real_path.empty() ? root.path : root.real_path;
    status.scope = root.scope;
    status.state = root.state;
    status.reason = root.reason;
    status.agents = root.readers;
    status.aliases = root.aliases;
    if (root.state == RootState::ok && !root.exists()) {
      status.state = RootState::absent;
    }
    status.skills = std::ranges::count_if(sight.listings[i].entries, &library::Entry::has_document);
  }
  return statuses;
}

} // namespace

Result<DoctorResult> examine(const Facts& facts, std::stop_token stopping) {
  Findings findings;
  DoctorResult result;
  Sight sight = look(facts, stopping);
  check_sync(facts, findings);
  check_machine(facts, findings);
  check_roots(sight, findings);
  check_connections(facts, findings);
  result.agents = check_views(sight, findings, stopping);
  if (stopping.stop_requested()) {
    return fail(ErrorCode::cancelled, "the call was cancelled");
  }
  result.roots = facts.sync ? facts.sync->roots : root_statuses(sight);
  result.findings = findings.take();
  result.healthy = result.findings.empty() || result.findings.front().level == FindingLevel::info;
  return result;
}

} // namespace upskill::doctor
