// SyncService: what a person decides.
#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/sync/service.h"
#include "daemon/sync/told_progress.h"

namespace upskill::daemon {

// Behind scene(), which whoever decides cannot call any more.
asio::awaitable<Result<Scene>> SyncService::look_changed(SettingsChange change) {
  if (!m_scene) {
    co_return tl::make_unexpected(*m_scene_problem);
  }
  auto job = [this, before = m_scene, &change]() -> Result<Scene> {
    TRY_ASSIGN(SyncSettings settings, change(*before));
    return look_around(settings, m_context.places, m_environment);
  };
  AWAIT(Result<Scene> found, runtime::offload(m_context.pool(), std::move(job)));
  co_return found;
}

asio::awaitable<Result<sync::Round>>
SyncService::change(SettingsChange change, HaltedRoots halted, sync::Progress progress) {
  return see_through(take_on(std::move(change), halted, std::move(progress)));
}

// Goes on to its end whoever hangs up, as a task of its own: a caller that is cancelled leaves by
// an exception at its next co_await, wherever that is.
asio::awaitable<Result<sync::Round>>
SyncService::see_through(asio::awaitable<Result<sync::Round>> work) {
  if (m_stopping) {
    co_return fail(ErrorCode::unavailable, "the daemon is stopping", "try again");
  }
  auto outcome = std::make_shared<Outcome>();
  m_tasks.start(carry_out(std::move(work), outcome));
  while (!*outcome) {
    co_await m_decided.wait();
  }
  co_return std::move(**outcome);
}

asio::awaitable<void> SyncService::carry_out(asio::awaitable<Result<sync::Round>> work,
                                             std::shared_ptr<Outcome> outcome) {
  // Nobody waits for ever, also not for what ends by an exception.
  struct Telling {
    SyncService& service;
    Outcome& outcome;

    ~Telling() {
      if (!outcome) {
        outcome = fail(ErrorCode::unavailable, "the daemon is stopping", "try again");
      }
      service.m_decided.notify_all();
    }
  } telling{*this, *outcome};

  AWAIT(Result<sync::Round> round, std::move(work));
  *outcome = std::move(round);
}

asio::awaitable<Result<sync::Round>>
SyncService::take_on(SettingsChange change, HaltedRoots halted, sync::Progress progress) {
  Working working(*this);
  AWAIT(Result<std::shared_ptr<const Scene>> before, this->scene());
  CO_TRY(before);
  runtime::Turns::Ticket ticket(m_deciding);
  AWAIT_DONE(ticket.called());
  AWAIT(Result<Scene> scene, look_changed(std::move(change)));
  CO_TRY(scene);
  if (halted == HaltedRoots::accept) {
    auto accept = [](sync::Engine& engine) { return engine.accept_roots(); };
    AWAIT(Result<void> accepted, m_lane.with_engine(std::move(accept)));
    CO_TRY(accepted);
  }
  auto keep = [path = settings_path(), &scene] { return save_settings(path, scene->settings); };
  AWAIT(Result<void> kept, runtime::offload(m_context.pool(), std::move(keep)));
  CO_TRY(kept);
  m_settings_problem.reset();
  AWAIT(Result<void> adopted, adopt(std::move(*scene)));
  if (!adopted && !m_scene->sync_is_on() && !m_summary.enabled) {
    co_return sync::Round{}; // nothing is to be synchronised, and nothing is
  }
  if (!adopted) {
    Error why = std::move(adopted.error());
    why.hint += why.hint.empty() ? "" : "; ";
    why.hint += "the settings are saved, and count once that is mended";
    co_return fail(std::move(why));
  }
  AWAIT(Result<void> seen, synchronise());
  CO_TRY(seen);
  // The work loop has left the look at everything to this round, so that the caller is told of what
  // it did. Should it fail, the look is still wanted.
  m_everything = false;
  AWAIT(Result<sync::Round> done, round(look_at_everything(std::move(progress))));
  if (!done) {
    m_everything = true;
    m_changed.notify_all();
  }
  AWAIT_DONE(refresh_summary());
  co_return done;
}

sync::Work SyncService::look_at_everything(sync::Progress progress) const {
  sync::Work work;
  work.everything = true;
  work.now = now();
  work.progress = told_progress(m_context.io.get_executor(), std::move(progress));
  return work;
}

asio::awaitable<Result<sync::Round>>
SyncService::run_now(std::string only_skill, bool dry_run, sync::Progress progress) {
  return see_through(look_now(std::move(only_skill), dry_run, std::move(progress)));
}

asio::awaitable<Result<sync::Round>>
SyncService::look_now(std::string only_skill, bool dry_run, sync::Progress progress) {
  Working working(*this);
  AWAIT(Result<void> seen, synchronise());
  CO_TRY(seen);
  if (m_store_problem || is_scene_old()) {
    AWAIT_DONE(look_again()); // whoever asks need not wait for the next try, nor for the work loop
  }
  CO_TRY(check_running());
  AWAIT_DONE(look_at_refused());
  sync::Work work = look_at_everything(std::move(progress));
  work.only_skill = std::move(only_skill);
  work.dry_run = dry_run;
  // A look at everything that waits is this one, so that the caller is told of what it did.
  const bool was_wanted = !dry_run && work.only_skill.empty() && std::exchange(m_everything, false);
  AWAIT(Result<sync::Round> result, round(std::move(work)));
  if (!result && was_wanted) {
    m_everything = true;
    m_changed.notify_all();
  }
  AWAIT_DONE(refresh_summary());
  co_return result;
}

asio::awaitable<Result<sync::Rehearsal>> SyncService::rehearse(SettingsChange change,
                                                               HaltedRoots halted) {
  AWAIT(Result<std::shared_ptr<const Scene>> before, this->scene());
  CO_TRY(before);
  AWAIT(Result<Scene> scene, look_changed(std::move(change)));
  CO_TRY(scene);
  auto rehearsal = [this, &scene, halted](sync::Engine& engine) {
    return engine.rehearse(std::move(scene->scopes), halted, now());
  };
  AWAIT(Result<sync::Rehearsal> result, m_lane.with_engine(std::move(rehearsal)));
  co_return result;
}

} // namespace upskill::daemon
