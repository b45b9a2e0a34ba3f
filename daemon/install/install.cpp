// InstallDesk: skills from a source into agents' folders.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/examine_all.h"
#include "daemon/install/install_work.h"
#include "daemon/install/placing_told.h"
#include "daemon/install/scopes.h"
#include "daemon/install/write_down.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utf8.h"
#include "skills/install/discover.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_looked_at = 1000; // skills that are scanned although none was named

Result<void> check_words(const InstallParams& params) {
  if (params.link && params.copy) {
    return fail(ErrorCode::invalid_argument,
                "params.link: a skill is either linked or copied",
                "leave one of the two out");
  }
  if (params.all && !params.skill.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.all: skills are named, too",
                "leave one of the two out");
  }
  return {};
}

install::Depth depth_of(const InstallParams& params) {
  return params.full_depth ? install::Depth::full : install::Depth::shadowed;
}

// What the source is called, so that it is found again.
std::string shown(install::Source source) {
  source.skills.clear();
  return to_valid_utf8(install::words_of(source));
}

std::vector<std::string> names_of(const InstallWork& work) {
  std::vector<std::string> names = work.params.skill;
  names.insert(names.end(), work.source.skills.begin(), work.source.skills.end());
  return names;
}

// In an order of the folders at the source; by name for who reads it.
void finish(InstallWork& work) {
  std::ranges::sort(work.result.skills, {}, [](const InstalledSkill& skill) {
    return std::pair(std::string_view(skill.skill), std::string_view(skill.from));
  });
  work.result.ref = work.offer->ref;
  work.result.commit = work.offer->commit;
  for (const std::string& warning : work.offer->warnings) {
    work.result.warnings.push_back(to_valid_utf8(warning));
  }
  if (!work.params.agent.empty() && work.scene->sync_is_on()) {
    work.result.warnings.push_back(
        "sync is on: it brings what is installed to the other agents, too (`upskill sync enable "
        "--exclude AGENT:SKILL` keeps it from one)");
  }
}

// What is to be known of what was placed, by us and by `npx skills`.
ToWrite to_write(const InstallWork& work, std::vector<install::InstallRow> rows) {
  ToWrite what;
  std::map<std::string_view, const Candidate*> placed;
  for (std::size_t i : work.ordered) {
    placed.emplace(work.candidates[i].skill, &work.candidates[i]);
  }
  for (const install::InstallRow& row : rows) {
    if (!row.held) {
      const Candidate& candidate = *placed.at(row.skill);
      what.locks[work.project][row.skill] = {name_of(candidate),
                                             lock_entry(row, candidate, work.offered(candidate))};
    }
  }
  what.rows = std::move(rows);
  return what;
}

Candidate not_examined(const fetch::Offered& offered, std::size_t index, const std::string& as) {
  Candidate candidate;
  candidate.index = index;
  candidate.description = offered.description;
  candidate.skill = as.empty() ? install::folder_name_of(offered.name) : as;
  return candidate;
}

} // namespace

// Whatever is wrong with the words, the record or the lock is known before anything is fetched.
Awaitable<void> InstallDesk::read_order(InstallWork& work) {
  CO_TRY(check_words(work.params));
  CO_TRY_ASSIGN(work.allowances, Allowances::parse(work.params.allow));
  CO_TRY_ASSIGN(work.plan, plan_named(work.params.plan, work.call));
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  work.scene = *scene;
  CO_TRY(check_agents(*work.scene, work.params.agent));
  auto name_scope = [this, &work]() -> Result<void> {
    const std::string& home = places().home;
    TRY_ASSIGN(work.source, install::parse_source(work.params.source, {work.call.cwd, home}));
    ScopeWords words{work.params.scope, work.params.project, work.call.cwd};
    TRY_ASSIGN(work.project, scope_of(words, work.scene->settings, home));
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(work.call.pool, std::move(name_scope)));
  CO_TRY(done);
  AWAIT(done, count_again({work.project}, work.result.warnings, work.call));
  CO_TRY(done);
  auto read = [this, &work]() -> Result<void> {
    TRY_ASSIGN(work.record, files().record().read());
    TRY(files().lock(work.project).check());
    return {};
  };
  AWAIT(done, runtime::offload(work.call.pool, std::move(read)));
  co_return done;
}

Awaitable<void> InstallDesk::look_at_skills(InstallWork& work) {
  std::vector<std::size_t> which = work.choice.chosen;
  if (work.choice.is_open) {
    which.resize(work.offer->skills.size());
    std::iota(which.begin(), which.end(), std::size_t(0));
  }
  std::map<std::size_t, Error> failed;
  if (!work.choice.is_open) {
    AWAIT(Result<void> brought, bring(work.offer, which, failed, work.call));
    CO_TRY(brought);
  }
  ExamineSetting setting = examine_setting(*work.record, work.offer->source);
  std::vector<Examined> examined;
  for (std::size_t index : which) {
    const fetch::Offered& offered = work.offer->skills[index];
    bool is_looked_at = !offered.folder.empty() && !failed.contains(index)
                        && (!work.choice.is_open || examined.size() < k_most_looked_at);
    if (is_looked_at) {
      examined.push_back({&offered, index, work.params.as});
    } else {
      work.candidates.push_back(not_examined(offered, index, work.params.as));
    }
  }
  AWAIT(std::vector<Candidate> candidates, examine_all(std::move(examined), setting, work.call));
  std::ranges::move(candidates, std::back_inserter(work.candidates));
  std::ranges::sort(work.candidates, {}, &Candidate::index);
  auto look = [&work, &failed] { judge(work, failed); };
  AWAIT_DONE(runtime::offload(work.call.pool, std::move(look)));
  co_return Result<void>();
}

// Placed first and written down then: killed in between, it leaves skills without a row, which the
// next install of the same takes for its own.
Awaitable<void> InstallDesk::place(InstallWork& work) {
  if (work.ordered.empty()) {
    co_return Result<void>();
  }
  work.call.told("placing");
  PlacingTold told(work.call.told);
  AWAIT(Result<std::vector<sync::Placed>> placed, m_service.place(order_of(work), told.progress()));
  CO_TRY(placed);
  tell(work, *placed);
  if (work.params.dry_run) {
    co_return Result<void>();
  }
  auto write = [this, &work, &placed] {
    const std::int64_t now_ms = m_service.now().wall_ms;
    return write_down(to_write(work, rows_of(work, *placed, now_ms)), files(), now_ms, m_together);
  };
  AWAIT(Result<Written> written, runtime::offload(work.call.pool, std::move(write)));
  CO_TRY(written);
  std::ranges::move(written->warnings, std::back_inserter(work.result.warnings));
  AWAIT_DONE(pin(std::move(written->record), work.result.warnings));
  co_return Result<void>();
}

Awaitable<InstallResult> InstallDesk::install(InstallParams params, InstallCall call) {
  InstallWork work{std::move(params), std::move(call)};
  m_service.context().pool().leave(danger::load_rules);
  AWAIT(Result<void> read, read_order(work));
  CO_TRY(read);
  const install::Depth depth = depth_of(work.params);
  AWAIT(Result<std::shared_ptr<fetch::Offer>> offer,
        offer_of(work.source, depth, work.plan.offers, work.call));
  CO_TRY(offer);
  work.offer = *offer;
  CO_TRY_ASSIGN(work.choice, choose(*work.offer, names_of(work), work.params.all));
  if (!work.params.as.empty() && work.choice.chosen.size() != 1) {
    co_return fail(ErrorCode::invalid_argument,
                   "params.as: another name is for one skill",
                   "name the skill with `--skill`");
  }
  work.result.source = shown(work.offer->source);
  work.result.scope = scope_name(work.project);
  work.result.choose = work.choice.is_open;
  work.result.dry_run = work.params.dry_run || work.choice.is_open;
  AWAIT(Result<void> looked, look_at_skills(work));
  CO_TRY(looked);
  SyncService::AnswerFirst first(m_service);
  AWAIT(Result<void> placed, place(work));
  CO_TRY(placed);
  finish(work);
  if (work.params.dry_run) {
    PlanContent content{{{key_of(work.source, depth), work.offer}}, shown_of(work)};
    work.result.plan = keep_plan(work.params.plan, work.call, std::move(content));
  }
  co_return std::move(work.result);
}

} // namespace upskill::daemon
