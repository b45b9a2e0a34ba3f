// InstallDesk: newer versions of what was installed.
#include "daemon/await.h"
#include "daemon/install/desk.h"
#include "daemon/install/examine_all.h"
#include "daemon/install/placing_told.h"
#include "daemon/install/scopes.h"
#include "daemon/install/update_work.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/task_group.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr int k_most_at_once = 4;   // sources that are looked at
constexpr std::size_t k_piece = 20; // skills that are hashed in one turn on the pool

// Places of those that are not settled and have an offer.
std::vector<std::size_t> open_ones(const UpdateWork& work) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < work.skills.size(); ++i) {
    if (!work.skills[i].is_settled && work.skills[i].offer) {
      open.push_back(i);
    }
  }
  return open;
}

void settle_unreachable(UpdateWork& work, const std::string& key, const Error& error) {
  for (std::size_t place : work.sources[key]) {
    // Also where nothing is there: a folder may only be unmounted, a host may have forgotten us.
    work.skills[place].settle(UpdateState::failed, error.message, error.hint);
  }
}

} // namespace

Awaitable<void> InstallDesk::read_rows(UpdateWork& work) {
  CO_TRY_ASSIGN(work.allowances, Allowances::parse(work.params.allow));
  CO_TRY_ASSIGN(work.plan, plan_named(work.params.plan, work.call));
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  work.scene = *scene;
  auto name_scopes = [this, &work]() -> Result<void> {
    ScopeWords words{work.params.scope, work.params.project, work.call.cwd};
    TRY_ASSIGN(work.scopes, scopes_of(words, work.scene->settings, places().home));
    return {};
  };
  AWAIT(Result<void> done, runtime::offload(work.call.pool, std::move(name_scopes)));
  CO_TRY(done);
  AWAIT(done, count_again(work.scopes, work.result.warnings, work.call));
  CO_TRY(done);
  auto read = [this, &work] { return gather(work, files()); };
  AWAIT(done, runtime::offload(work.call.pool, std::move(read)));
  co_return done;
}

// What lies in agents' folders, and what of it waits in a conflict.
Awaitable<void> InstallDesk::look_here(UpdateWork& work) {
  for (const std::string& scope : work.scopes) {
    std::vector<std::size_t> here;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < work.skills.size(); ++i) {
      if (work.skills[i].row.scope == scope) {
        here.push_back(i);
        names.push_back(work.skills[i].row.skill);
      }
    }
    if (names.empty()) {
      continue;
    }
    AWAIT(Result<std::vector<std::optional<Digest>>> found, m_service.look_at(scope, names));
    CO_TRY(found);
    for (std::size_t i = 0; i < here.size(); ++i) {
      Tracked& skill = work.skills[here[i]];
      skill.mine = (*found)[i];
      skill.told.before = skill.mine ? skill.mine->hex() : std::string();
      if (!skill.mine && !skill.is_settled) {
        skill.settle(UpdateState::missing,
                     "it is not here any more",
                     "`upskill remove " + skill.row.skill + "` forgets it");
      }
    }
  }
  // A project that was not known has folders now.
  AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
  CO_TRY(scene);
  work.scene = *scene;
  auto ask = [](sync::Engine& engine) { return engine.open_conflicts(); };
  AWAIT(Result<std::vector<sync::OpenConflict>> open, m_service.lane().with_engine(std::move(ask)));
  CO_TRY(open);
  for (sync::OpenConflict& conflict : *open) {
    if (conflict.project) {
      work.in_conflict.emplace(std::move(*conflict.project), std::move(conflict.skill));
    }
  }
  auto compare = [&work] {
    for (Tracked& skill : work.skills) {
      if (skill.lock && !skill.is_settled) {
        find_base(skill, *work.scene);
      }
    }
  };
  AWAIT_DONE(runtime::offload(work.call.pool, std::move(compare)));
  co_return Result<void>();
}

// Each source once, several at a time: one that hangs holds up nobody but its own.
Awaitable<void> InstallDesk::look_at_sources(UpdateWork& work) {
  for (std::size_t i = 0; i < work.skills.size(); ++i) {
    if (!work.skills[i].is_settled) {
      work.sources[key_of(work.skills[i].row.source, install::Depth::full)].push_back(i);
    }
  }
  for (const auto& [key, places] : work.sources) {
    work.waiting.push_back(key);
  }
  std::exception_ptr failure;
  runtime::TaskGroup lookers(m_service.context().io.get_executor(),
                             [&failure](std::exception_ptr thrown) { failure = thrown; });
  for (int i = 0; i < k_most_at_once; ++i) {
    lookers.start(look_at_next(work));
  }
  AWAIT_DONE(lookers.see_through());
  if (failure) {
    std::rethrow_exception(failure);
  }
  co_return Result<void>();
}

asio::awaitable<void> InstallDesk::look_at_next(UpdateWork& work) {
  while (!work.waiting.empty()) {
    std::string key = std::move(work.waiting.back());
    work.waiting.pop_back();
    install::Source source = work.skills[work.sources[key].front()].row.source;
    work.call.told("fetching " + to_valid_utf8(source.name));
    AWAIT(Result<std::shared_ptr<fetch::Offer>> offer,
          offer_of(std::move(source), install::Depth::full, work.plan.offers, work.call));
    if (!offer) {
      settle_unreachable(work, key, offer.error());
      continue;
    }
    work.offers[key] = *offer;
    for (std::size_t place : work.sources[key]) {
      work.skills[place].offer = *offer;
    }
  }
}

// Files of those that may have something new are brought and read.
Awaitable<void> InstallDesk::compare(UpdateWork& work) {
  for (std::size_t place : open_ones(work)) {
    (void)needs_files(work, work.skills[place]);
  }
  for (const auto& [key, places] : work.sources) {
    std::vector<std::size_t> which;
    for (std::size_t place : places) {
      if (!work.skills[place].is_settled) {
        which.push_back(work.skills[place].index);
      }
    }
    std::map<std::size_t, Error> failed;
    if (!which.empty()) {
      AWAIT(Result<void> brought, bring(work.offers[key], std::move(which), failed, work.call));
      if (!brought) {
        settle_unreachable(work, key, brought.error());
      }
    }
    for (std::size_t place : places) {
      auto failure = failed.find(work.skills[place].index);
      if (failure != failed.end() && !work.skills[place].is_settled) {
        work.skills[place].settle(
            UpdateState::failed, failure->second.message, failure->second.hint);
      }
    }
  }
  std::vector<std::size_t> open = open_ones(work);
  for (std::size_t from = 0; from < open.size(); from += k_piece) {
    auto hash = [&work, &open, from] {
      for (std::size_t i = from; i < std::min(from + k_piece, open.size()); ++i) {
        (void)is_new(work.skills[open[i]]);
      }
    };
    AWAIT_DONE(runtime::offload(work.call.pool, std::move(hash)));
  }
  co_return Result<void>();
}

Awaitable<void> InstallDesk::examine_new(UpdateWork& work) {
  for (const auto& [key, places] : work.sources) {
    std::vector<std::size_t> open;
    std::vector<Examined> examined;
    for (std::size_t place : places) {
      const Tracked& skill = work.skills[place];
      if (!skill.is_settled) {
        std::string as = skill.row.renamed_from.empty() ? std::string() : skill.row.skill;
        examined.push_back({&skill.offered(), skill.index, std::move(as)});
        open.push_back(place);
      }
    }
    if (open.empty()) {
      continue;
    }
    ExamineSetting setting = examine_setting(*work.record, work.offers[key]->source);
    AWAIT(std::vector<Candidate> candidates, examine_all(std::move(examined), setting, work.call));
    for (std::size_t i = 0; i < open.size(); ++i) {
      work.skills[open[i]].theirs = std::move(candidates[i]);
      AWAIT_DONE(judge_new(work, work.skills[open[i]]));
    }
  }
  co_return Result<void>();
}

// Held against what was installed, where that is still kept.
asio::awaitable<void> InstallDesk::judge_new(UpdateWork& work, Tracked& skill) {
  std::optional<sync::NewFiles> base;
  if (skill.has_base) {
    AWAIT(Result<sync::NewFiles> files, m_service.files_of(skill.row.base));
    if (files) {
      base = std::move(*files);
    }
  }
  auto decide = [&work, &skill, &base] { judge(work, skill, base); };
  AWAIT_DONE(runtime::offload(work.call.pool, std::move(decide)));
}

// One order for each scope, all of it or nothing.
Awaitable<void> InstallDesk::take(UpdateWork& work) {
  PlacingTold told(work.call.told);
  for (const std::string& scope : work.scopes) {
    UpdateOrder order = order_of(work, scope);
    if (order.places.empty()) {
      continue;
    }
    AWAIT(Result<std::vector<sync::Placed>> placed,
          m_service.place(std::move(order.order), told.progress()));
    if (!placed) {
      for (std::size_t place : order.places) {
        work.skills[place].settle(UpdateState::failed, placed.error().message, placed.error().hint);
      }
      continue;
    }
    for (std::size_t i = 0; i < order.places.size(); ++i) {
      tell(work.skills[order.places[i]], (*placed)[i], work.params.take, m_service.now().wall_ms);
    }
  }
  ToWrite what = to_write(work);
  if (what.rows.empty()) {
    co_return Result<void>();
  }
  auto write = [this, &what] {
    return write_down(what, files(), m_service.now().wall_ms, m_together);
  };
  AWAIT(Result<Written> written, runtime::offload(work.call.pool, std::move(write)));
  CO_TRY(written);
  std::ranges::move(written->warnings, std::back_inserter(work.result.warnings));
  AWAIT_DONE(pin(std::move(written->record), work.result.warnings));
  co_return Result<void>();
}

Awaitable<UpdateResult> InstallDesk::update(UpdateParams params, InstallCall call) {
  UpdateWork work{std::move(params), std::move(call)};
  AWAIT(Result<void> done, read_rows(work));
  CO_TRY(done);
  AWAIT(done, look_here(work));
  CO_TRY(done);
  AWAIT(done, look_at_sources(work));
  CO_TRY(done);
  AWAIT(done, compare(work));
  CO_TRY(done);
  AWAIT(done, examine_new(work));
  CO_TRY(done);
  if (!work.changes_nothing()) {
    AWAIT(done, take(work));
    CO_TRY(done);
  }
  if (work.params.dry_run) {
    PlanContent content{work.offers, shown_of(work)};
    work.result.plan = keep_plan(work.params.plan, work.call, std::move(content));
  }
  finish(work);
  co_return std::move(work.result);
}

} // namespace upskill::daemon
