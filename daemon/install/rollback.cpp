// InstallDesk: earlier versions of a skill.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/placing_told.h"
#include "daemon/install/scopes.h"
#include "daemon/install/version_answers.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_versions = 200; // that are told, the newest
constexpr std::size_t k_fewest_digits = 4;   // of a hash

using Versions = std::vector<sync::KeptVersion>; // the oldest first; a number is a place from 1

std::vector<SkillVersion> told(const Versions& versions, const install::InstallRow* row) {
  std::vector<SkillVersion> all;
  for (std::size_t i = versions.size(); i > 0 && all.size() < k_most_versions; --i) {
    const sync::KeptVersion& kept = versions[i - 1];
    SkillVersion& one = all.emplace_back();
    one.number = static_cast<std::int64_t>(i);
    one.hash = kept.hash.hex();
    one.time = rfc3339(kept.since_ms);
    one.reason = to_valid_utf8(kept.reason);
    one.current = kept.is_current;
    one.installed = row != nullptr && row->base == kept.hash;
  }
  return all;
}

const sync::KeptVersion* current_of(const Versions& versions) {
  auto found = std::ranges::find_if(versions, &sync::KeptVersion::is_current);
  return found == versions.end() ? nullptr : &*found;
}

// The version before the one that is in place.
Result<Digest> version_before(const std::string& skill, const Versions& versions) {
  const sync::KeptVersion* current = current_of(versions);
  for (std::size_t i = versions.size(); i > 0; --i) {
    bool is_earlier = current == nullptr || &versions[i - 1] < current;
    if (is_earlier && (current == nullptr || versions[i - 1].hash != current->hash)) {
      return versions[i - 1].hash;
    }
  }
  return fail(ErrorCode::not_found,
              "there is no earlier version of " + in_backticks(skill),
              "`upskill rollback " + skill + " --list` shows those that are kept");
}

Result<Digest>
version_of(const std::string& skill, const Versions& versions, const std::string& asked) {
  if (asked.empty()) {
    return version_before(skill, versions);
  }
  bool is_number = asked.size() < k_fewest_digits + 2
                   && asked.find_first_not_of("0123456789") == std::string::npos;
  std::size_t number = is_number ? std::stoul(asked) : 0;
  if (number >= 1 && number <= versions.size()) {
    return versions[number - 1].hash;
  }
  std::optional<Digest> found;
  for (const sync::KeptVersion& kept : versions) {
    if (asked.size() >= k_fewest_digits && kept.hash.hex().starts_with(asked)) {
      if (found && *found != kept.hash) {
        return fail(ErrorCode::invalid_argument,
                    "params.version: several versions begin with " + in_backticks(asked),
                    "give more digits");
      }
      found = kept.hash;
    }
  }
  if (!found) {
    return fail(ErrorCode::not_found,
                "params.version: " + in_backticks(skill) + " has no version " + in_backticks(asked),
                "`upskill rollback " + skill + " --list` shows those that are kept");
  }
  return *found;
}

} // namespace

// The row's base stays what was installed: the next update is held against that, and what was
// rolled back counts as edited here.
Awaitable<RollbackResult> InstallDesk::roll_back(RollbackParams params, InstallCall call) {
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  std::string project;
  RecordNow record;
  auto read = [&]() -> Result<void> {
    ScopeWords words{params.scope, params.project, call.cwd};
    TRY_ASSIGN(project, scope_of(words, (*scene)->settings, places().home));
    TRY_ASSIGN(record, files().record().read());
    return {};
  };
  AWAIT(Result<void> known, runtime::offload(call.pool, std::move(read)));
  CO_TRY(known);
  AWAIT(Result<Versions> versions, m_service.versions(project, params.skill));
  CO_TRY(versions);
  if (versions->empty()) {
    co_return fail(ErrorCode::not_found,
                   "no version of a skill " + in_backticks(params.skill) + " is kept for "
                       + (project.empty() ? "the user" : in_backticks(project)),
                   "versions are kept of what sync or upskill has written");
  }
  const install::InstallRow* row = record->find(project, params.skill);
  RollbackResult result;
  result.skill = params.skill;
  result.scope = scope_name(project);
  result.dry_run = params.dry_run;
  result.versions = told(*versions, row);
  const sync::KeptVersion* current = current_of(*versions);
  result.before = current != nullptr ? current->hash.hex() : std::string();
  if (params.list) {
    result.after = result.before;
    co_return result;
  }
  CO_TRY_ASSIGN(Digest target, version_of(params.skill, *versions, params.version));
  result.after = target.hex();
  AWAIT(Result<sync::NewFiles> after, m_service.files_of(target));
  CO_TRY(after);
  if (current != nullptr) {
    AWAIT(Result<sync::NewFiles> before, m_service.files_of(current->hash));
    if (before) {
      auto compare = [&] { return difference_of(*before, *after).diff; };
      AWAIT(result.diff, runtime::offload(call.pool, std::move(compare)));
    }
  }
  sync::PlaceOrder order;
  order.project = project;
  order.dry_run = params.dry_run;
  sync::Placement& placement = order.skills.emplace_back();
  placement.skill = params.skill;
  placement.kept = target;
  placement.replaces = true;
  placement.reason = "rolled back to " + target.brief();
  auto removed = record->removed().find({project, params.skill});
  if (row == nullptr && removed != record->removed().end()) {
    // Of nothing that lies there now it is known that it is another skill of that name.
    bool is_it =
        current == nullptr || target == removed->second.left || target == removed->second.row.base;
    row = is_it ? &removed->second.row : nullptr;
  }
  const bool is_back = row != nullptr && record->find(project, params.skill) == nullptr;
  if (row != nullptr) {
    placement.agents = row->agents;
    placement.links = row->links;
  }
  PlacingTold progress(call.told);
  AWAIT(Result<std::vector<sync::Placed>> placed,
        m_service.place(std::move(order), progress.progress()));
  CO_TRY(placed);
  if (placed->front().in_the_way) {
    co_return fail(*placed->front().in_the_way);
  }
  result.paths = std::move(placed->front().paths);
  if (is_back && !params.dry_run) {
    std::vector<install::InstallKey> keys{{project, params.skill}};
    AWAIT(known, write_back(std::move(keys), result.warnings, call));
    CO_TRY(known);
  }
  co_return result;
}

} // namespace upskill::daemon
