#include "daemon/doctor/checks.h"

namespace upskill::doctor {
namespace {

std::string count(std::int64_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}

} // namespace

void check_sync(const Facts& facts, Findings& findings) {
  if (facts.scene->detected.empty()) {
    findings.add(FindingLevel::info,
                 "agents",
                 "no coding agent was found here",
                 "`upskill agents --all` lists those that are known and where they lie");
  }
  if (facts.status.sync == SyncState::stopped) {
    findings.add(FindingLevel::error,
                 "sync",
                 "sync is on, but stopped: " + facts.status.reason,
                 facts.status.hint);
    return;
  }
  if (!facts.sync) {
    findings.add(FindingLevel::info,
                 "sync",
                 "sync is off: every agent's skills are its own",
                 "`upskill sync enable --dry-run` shows what it would do");
    return;
  }
  for (const RootStatus& root : facts.sync->roots) {
    if (root.state == RootState::halted) {
      findings.add(
          FindingLevel::error,
          "sync",
          "`" + root.path + "` is halted: " + root.reason,
          "put it back as it was, or take it as it is with `upskill sync enable --accept`");
    }
  }
  if (facts.sync->conflicts > 0) {
    findings.add(FindingLevel::warning,
                 "conflicts",
                 count(facts.sync->conflicts, "conflict waits", "conflicts wait")
                     + " for a decision",
                 "`upskill sync conflicts` shows them, `upskill sync resolve` settles one");
  }
  if (facts.sync->held > 0) {
    findings.add(FindingLevel::warning,
                 "deletions",
                 count(facts.sync->held, "deletion is held", "deletions are held"),
                 "`upskill sync conflicts` shows them; `upskill sync resolve SKILL --take delete` "
                 "or `--take restore`");
  }
}

} // namespace upskill::doctor
