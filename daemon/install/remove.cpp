// InstallDesk: skills out of agents' folders.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/scopes.h"
#include "daemon/install/write_down.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utf8.h"
#include "skills/eval/fields.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace upskill::daemon {
namespace {

// Names of what lies in agents' folders of the scope, and of what was installed there.
std::vector<std::string>
names_of(const Scene& scene, const install::InstallRecord& record, const std::string& project) {
  std::set<std::string> names;
  for (const auto& [key, row] : record.rows()) {
    if (row.scope == project) {
      names.insert(row.skill);
    }
  }
  for (const library::Root& root : scene.roots) {
    UniqueFd folder;
    if (root.project == project && root.exists()) {
      folder = library::open_folder(AT_FDCWD, root.real_path.c_str());
    }
    if (folder) {
      library::for_each_name(folder.get(), [&](const library::FolderEntry& entry) {
        if (!library::ignored_name(entry.name)) {
          names.emplace(entry.name);
        }
        return true;
      });
    }
  }
  return {names.begin(), names.end()};
}

tl::unexpected<Error> unknown(const std::string& skill,
                              const std::string& project,
                              const std::vector<std::string>& names) {
  std::string hint = eval::meant(skill, names);
  std::string where = project.empty() ? "among the user's skills" : "in " + in_backticks(project);
  return fail(ErrorCode::not_found,
              "there is no skill " + in_backticks(skill) + " " + where,
              !hint.empty()     ? hint
              : project.empty() ? "`--scope project` looks into the project"
                                : "`--scope user` looks among the user's");
}

// A link to another place is no version, and can be removed all the same.
bool lies_in_a_root(const Scene& scene, const std::string& project, const std::string& skill) {
  return std::ranges::any_of(scene.roots, [&](const library::Root& root) {
    struct stat status {};

    return root.project == project && !library::refused_name(skill)
           && ::lstat(join_path(root.real_path, skill).c_str(), &status) == 0
           && S_ISLNK(status.st_mode);
  });
}

void forget(ToWrite& what,
            const std::string& project,
            const std::string& skill,
            std::optional<Digest> left = {}) {
  what.gone.push_back({{project, skill}, left});
  what.locks[project][skill] = {};
}

} // namespace

Awaitable<RemoveResult> InstallDesk::remove(RemoveParams params, InstallCall call) {
  if (params.skill.empty()) {
    co_return fail(ErrorCode::invalid_argument, "params.skill: names no skill");
  }
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  if (!params.agent.empty()) {
    CO_TRY(check_agents(**scene, params.agent));
  }
  sync::TakeAwayOrder order;
  order.agents = params.agent;
  order.reason = "removed";
  order.dry_run = params.dry_run;
  for (const std::string& skill : params.skill) {
    if (std::ranges::find(order.skills, skill) == order.skills.end()) {
      order.skills.push_back(skill);
    }
  }
  RecordNow record;
  RemoveResult result;
  auto name_scope = [&]() -> Result<void> {
    ScopeWords words{params.scope, params.project, call.cwd};
    TRY_ASSIGN(order.project, scope_of(words, (*scene)->settings, places().home));
    return {};
  };
  AWAIT(Result<void> known, runtime::offload(call.pool, std::move(name_scope)));
  CO_TRY(known);
  AWAIT(known, count_again({order.project}, result.warnings, call));
  CO_TRY(known);
  auto read = [&]() -> Result<void> {
    TRY_ASSIGN(record, files().record().read());
    TRY(files().lock(order.project).check());
    return {};
  };
  AWAIT(known, runtime::offload(call.pool, std::move(read)));
  CO_TRY(known);
  const std::string project = order.project;
  const std::vector<std::string> skills = order.skills;
  AWAIT(Result<std::vector<std::optional<Digest>>> here, m_service.look_at(project, skills));
  CO_TRY(here);
  result.dry_run = params.dry_run;
  ToWrite what;
  order.skills.clear();
  for (std::size_t i = 0; i < skills.size(); ++i) {
    auto lies_there = [&scene, &project, &skill = skills[i]] {
      return lies_in_a_root(**scene, project, skill);
    };
    bool is_there = (*here)[i].has_value();
    if (!is_there) {
      AWAIT(is_there, runtime::offload(call.pool, std::move(lies_there)));
    }
    if (is_there) {
      order.skills.push_back(skills[i]);
      continue;
    }
    if (record->find(project, skills[i]) == nullptr) {
      AWAIT(scene, m_service.scene());
      CO_TRY(scene);
      co_return unknown(skills[i], project, names_of(**scene, *record, project));
    }
    forget(what, project, skills[i]);
    RemovedSkill& told = result.skills.emplace_back();
    told.skill = skills[i];
    told.scope = scope_name(project);
    told.reason = "it was not here any more, and is forgotten";
  }
  std::vector<sync::TakenAway> gone;
  if (!order.skills.empty()) {
    call.told("removing");
    AWAIT(Result<std::vector<sync::TakenAway>> taken, m_service.take_away(std::move(order)));
    CO_TRY(taken);
    gone = std::move(*taken);
  }
  for (sync::TakenAway& one : gone) {
    if (one.kept.empty() && (params.agent.empty() || one.written.empty())) {
      const install::InstallRow* row = record->find(project, one.skill);
      std::optional<Digest> base = row != nullptr ? std::optional(row->base) : std::nullopt;
      forget(what, project, one.skill, one.hash ? one.hash : base);
    }
    result.skills.push_back({one.skill,
                             scope_name(project),
                             one.hash ? one.hash->hex() : std::string(),
                             std::move(one.paths),
                             std::move(one.kept),
                             std::move(one.written),
                             std::move(one.reason)});
  }
  if (params.dry_run || what.gone.empty()) {
    co_return result;
  }
  auto write = [this, &what] {
    return write_down(what, files(), m_service.now().wall_ms, m_together);
  };
  AWAIT(Result<Written> written, runtime::offload(call.pool, std::move(write)));
  CO_TRY(written);
  std::ranges::move(written->warnings, std::back_inserter(result.warnings));
  AWAIT_DONE(pin(std::move(written->record), result.warnings));
  co_return result;
}

} // namespace upskill::daemon
