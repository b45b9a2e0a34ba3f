// SyncService: skills that a person puts somewhere or takes away, whether or not sync is on.
#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/sync/service.h"
#include "daemon/sync/told_progress.h"

#include <algorithm>

namespace upskill::daemon {

asio::awaitable<Result<std::vector<sync::Placed>>> SyncService::place(sync::PlaceOrder order,
                                                                      sync::Progress progress) {
  auto placed = std::make_shared<std::vector<sync::Placed>>();
  AWAIT(Result<sync::Round> done,
        see_through(place_now(std::move(order), std::move(progress), placed)));
  CO_TRY(done);
  co_return std::move(*placed);
}

asio::awaitable<Result<std::vector<sync::TakenAway>>>
SyncService::take_away(sync::TakeAwayOrder order) {
  auto taken = std::make_shared<std::vector<sync::TakenAway>>();
  AWAIT(Result<sync::Round> done, see_through(take_away_now(std::move(order), taken)));
  CO_TRY(done);
  co_return std::move(*taken);
}

// What an order of a dry run found is no news for anybody; what went wrong before an error is.
asio::awaitable<Result<sync::Round>>
SyncService::place_now(sync::PlaceOrder order,
                       sync::Progress progress,
                       std::shared_ptr<std::vector<sync::Placed>> placed) {
  Working working(*this);
  AWAIT(Result<std::string> project, ready_for(order.project, !order.dry_run));
  CO_TRY(project);
  order.project = std::move(*project);
  sync::Round round;
  progress = told_progress(m_context.io.get_executor(), std::move(progress));
  auto run = [this, &order, &progress, &round](sync::Engine& engine) {
    return engine.place(order, now(), progress, &round);
  };
  AWAIT(Result<std::vector<sync::Placed>> result, m_lane.with_engine(std::move(run)));
  if (!order.dry_run) {
    note_order(round);
  }
  CO_TRY(result);
  *placed = std::move(*result);
  co_return round;
}

void SyncService::note_order(const sync::Round& round) {
  note(round);
  tidy_soon(); // also what an order that failed took back
  // Counted by the work loop: it looks at every folder, and who has changed one need not wait.
  m_summarised = false;
  ++m_orders;
  m_changed.notify_all();
}

// What cannot be seen now is looked for again by the next who asks.
asio::awaitable<void> SyncService::see_orders() {
  const std::uint64_t orders = m_orders;
  if (m_orders_seen == orders) {
    co_return;
  }
  AWAIT(Result<void> seen, synchronise());
  if (is_scene_old()) {
    AWAIT_DONE(look_again());
  }
  if (seen) {
    m_orders_seen = std::max(m_orders_seen, orders);
  }
}

asio::awaitable<Result<sync::Round>>
SyncService::take_away_now(sync::TakeAwayOrder order,
                           std::shared_ptr<std::vector<sync::TakenAway>> taken) {
  Working working(*this);
  AWAIT(Result<std::string> project, ready_for(order.project, !order.dry_run));
  CO_TRY(project);
  order.project = std::move(*project);
  sync::Round round;
  auto run = [this, &order, &round](sync::Engine& engine) {
    return engine.take_away(order, now(), &round);
  };
  AWAIT(Result<std::vector<sync::TakenAway>> result, m_lane.with_engine(std::move(run)));
  if (!order.dry_run) {
    note_order(round);
  }
  CO_TRY(result);
  *taken = std::move(*result);
  co_return round;
}

asio::awaitable<Result<std::vector<std::optional<Digest>>>>
SyncService::look_at(std::string project, std::vector<std::string> skills) {
  AWAIT(Result<std::string> path, ready_for(std::move(project), false));
  CO_TRY(path);
  auto look = [this, &path, &skills](sync::Engine& engine) {
    return engine.look_at(*path, skills, now());
  };
  AWAIT(Result<std::vector<std::optional<Digest>>> result, m_lane.with_engine(std::move(look)));
  co_return result;
}

asio::awaitable<Result<std::vector<sync::KeptVersion>>> SyncService::versions(std::string project,
                                                                              std::string skill) {
  AWAIT(Result<std::string> path, ready_for(std::move(project), false));
  CO_TRY(path);
  auto read = [&path, &skill](sync::Engine& engine) { return engine.versions(*path, skill); };
  AWAIT(Result<std::vector<sync::KeptVersion>> result, m_lane.with_engine(std::move(read)));
  co_return result;
}

asio::awaitable<Result<sync::NewFiles>> SyncService::files_of(Digest version) {
  auto read = [version](sync::Engine& engine) { return engine.files_of(version); };
  AWAIT(Result<sync::NewFiles> result, m_lane.with_engine(std::move(read)));
  co_return result;
}

asio::awaitable<Result<void>> SyncService::pin(std::set<Digest> versions) {
  auto pin = [&versions](sync::Engine& engine) { return engine.pin(versions); };
  AWAIT(Result<void> result, m_lane.with_engine(std::move(pin)));
  co_return result;
}

// What was written before is seen, the engine can be asked, and it knows the project: by the path
// that is returned. `keeps`: also after a restart.
asio::awaitable<Result<std::string>> SyncService::ready_for(std::string project, bool keeps) {
  AWAIT(Result<void> seen, synchronise());
  CO_TRY(seen);
  if (m_store_problem || is_scene_old()) {
    AWAIT_DONE(look_again());
  }
  AWAIT(Result<std::shared_ptr<const Scene>> known, scene());
  CO_TRY(known);
  CO_TRY(check_store());
  if (project.empty()) {
    co_return std::string();
  }
  auto find = [&known, &project] { return project_path((*known)->settings, project); };
  AWAIT(Result<std::string> path, runtime::offload(m_context.pool(), std::move(find)));
  CO_TRY(path);
  const bool is_known = std::ranges::find((*known)->projects, *path) != (*known)->projects.end();
  if (!is_known || (keeps && m_unkept.contains(*path))) {
    AWAIT(Result<void> taken_on, take_on_project(*path, keeps));
    CO_TRY(taken_on);
  }
  co_return *path;
}

// In turn with the person's changes, so that none is lost.
asio::awaitable<Result<void>> SyncService::take_on_project(std::string path, bool keeps) {
  runtime::Turns::Ticket ticket(m_deciding);
  AWAIT_DONE(ticket.called());
  SettingsChange add = [&path](const Scene& before) -> Result<SyncSettings> {
    return with_known(before.settings, path);
  };
  AWAIT(Result<Scene> found, look_changed(std::move(add)));
  CO_TRY(found);
  if (keeps) {
    auto keep = [settings = settings_path(), &found] {
      return save_settings(settings, found->settings);
    };
    AWAIT(Result<void> kept, runtime::offload(m_context.pool(), std::move(keep)));
    CO_TRY(kept);
    m_unkept.erase(path);
  } else {
    m_unkept.insert(path);
  }
  AWAIT(Result<void> adopted, adopt(std::move(*found)));
  co_return adopted;
}

Result<void> SyncService::check_store() const {
  if (has_store()) {
    return {};
  }
  return fail(m_store_problem->code,
              "the store of skills cannot be used: " + m_store_problem->message,
              m_store_problem->hint.empty() ? "`upskill daemon logs` says more"
                                            : m_store_problem->hint);
}

} // namespace upskill::daemon
