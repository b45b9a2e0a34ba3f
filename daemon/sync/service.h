#pragma once
#include "daemon/engine.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "daemon/runtime/turns.h"
#include "daemon/sync/lane.h"
#include "daemon/sync/listed.h"
#include "daemon/sync/pause.h"
#include "daemon/sync/scene.h"
#include "daemon/watch/settle.h"
#include "daemon/watch/watcher.h"
#include "skills/sync/engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// What a person wants the settings to be, made of what they are. Called on the pool, with the
// machine as it was last found, when no other change is under way.
using SettingsChange = std::function<Result<SyncSettings>(const Scene& before)>;

using sync::HaltedRoots;

// Watches the folders of skills and keeps their copies in agreement: it turns events into work for
// the sync engine, and the engine's wishes into timers. Everything that touches the disk is on the
// pool; between changes it sleeps.
// Owner: SkillsEngine. Thread: the daemon's. Lifetime: stop() before the destructor.
class SyncService {
public:
  SyncService(EngineContext context, Environment environment);

  void start();
  asio::awaitable<void> stop();

  // The machine as it was last found, with the folders that orders have made; waits for the first
  // look after the start. Not for who decides (m_deciding): it may look again itself.
  asio::awaitable<Result<std::shared_ptr<const Scene>>> scene();

  // Told of skills that were written to, by whomever, once they have settled and their copies were
  // brought into agreement. Before start().
  void on_changed(std::function<void(const std::set<SkillKey>& skills)> told) {
    m_on_changed = std::move(told);
  }

  Lane& lane() { return m_lane; }

  // While there is one, nothing is counted and nobody else is told of what has changed: whoever
  // ordered it is answered first. Owner: a call, which has an end.
  class AnswerFirst {
  public:
    explicit AnswerFirst(SyncService& service)
        : m_service(service)
        , m_rest(service.m_watcher.get()) {
      ++m_service.m_answering;
    }

    AnswerFirst(const AnswerFirst&) = delete;
    AnswerFirst& operator=(const AnswerFirst&) = delete;

    ~AnswerFirst() {
      --m_service.m_answering;
      m_service.m_changed.notify_all();
    }

  private:
    SyncService& m_service;
    watch::Watcher::Rest m_rest;
  };

  // Everything that was written before the call has been seen; what it led to may still be under
  // way.
  asio::awaitable<Result<void>> synchronise();
  // The same, and no work is left: settled, synchronised, no deletion in its grace period. An error
  // where that is not so within the limit.
  asio::awaitable<Result<void>> come_to_rest(runtime::Clock::duration limit);
  // The same, and how things stand then.
  asio::awaitable<Result<WaitIdleResult>> wait_idle(runtime::Clock::duration limit);

  // Looks at the machine anew with the changed settings, keeps them, goes on with them, and runs
  // the first round. One change at a time, in the order of the calls. A caller that is cancelled
  // only stops waiting: what the settings say, what the engine does and what is watched never
  // differ because somebody hung up.
  // `progress` of that round is told on the daemon's thread, now and then.
  asio::awaitable<Result<sync::Round>>
  change(SettingsChange change, HaltedRoots halted, sync::Progress progress = {});
  // The same for a look only: what sync would do with these settings.
  asio::awaitable<Result<sync::Rehearsal>> rehearse(SettingsChange change, HaltedRoots halted);
  // One round over everything, or over one skill, right now; an error while sync is stopped. A
  // caller that is cancelled only stops waiting. `progress`: as for change().
  asio::awaitable<Result<sync::Round>>
  run_now(std::string only_skill, bool dry_run, sync::Progress progress = {});

  // What a person asks for beside sync, whether or not it is on: as the functions of sync::Engine
  // of these names, with its parameters, results and errors (skills/sync/placement.h). A project
  // that is not known yet becomes a scope that is not synchronised, and is kept in the settings.
  // place() and take_away() come to their end whoever hangs up. While the store cannot be used all
  // of them are errors that say why.
  asio::awaitable<Result<std::vector<sync::Placed>>> place(sync::PlaceOrder order,
                                                           sync::Progress progress = {});
  asio::awaitable<Result<std::vector<sync::TakenAway>>> take_away(sync::TakeAwayOrder order);
  asio::awaitable<Result<std::vector<std::optional<Digest>>>>
  look_at(std::string project, std::vector<std::string> skills);
  asio::awaitable<Result<std::vector<sync::KeptVersion>>> versions(std::string project,
                                                                   std::string skill);
  asio::awaitable<Result<sync::NewFiles>> files_of(Digest version);
  // Kept by the store until others are pinned, also over a restart.
  asio::awaitable<Result<void>> pin(std::set<Digest> versions);

  // Looks at what waits for quiet, without acting on it, so that what is told about it is true.
  // Whether there is something to do.
  asio::awaitable<Result<bool>> look_at_waiting();
  // Takes note of what a call to the engine outside run_now() left to do.
  void note(const sync::Round& round);

  // Why nothing is synchronised although it is switched on: the store cannot be used.
  std::optional<Error> why_stopped() const;
  // The same, as it is answered to who wants something of sync.
  Result<void> check_running() const;

  // Whether there is an engine that knows who takes part; true only once scene() is there.
  bool has_store() const { return !m_store_problem || m_summary.enabled; }

  // Grows with every change that was seen: what was computed before may be out of date.
  std::uint64_t generation() const { return m_generation; }

  // Whether there is something true to say about skills yet; the wait for it ends after 2 s.
  bool has_summary() const { return m_summarised; }

  asio::awaitable<void> wait_for_summary();

  // Whether a round or a change is under way or waits for its turn.
  bool is_working() const { return m_working > 0; }

  std::vector<std::string> warnings() const;
  void describe(StatusResult& status) const;
  sync::Moment now() const;

  const EngineContext& context() const { return m_context; }

  // What agents' folders are found by.
  const Environment& environment() const { return m_environment; }

private:
  static constexpr auto k_rescan_every = std::chrono::hours(1);
  // Whoever replaces a link or a folder takes the old one away first, and is not to find ours
  // there.
  static constexpr auto k_sign_grace = std::chrono::seconds(2);
  static constexpr auto k_store_again = std::chrono::seconds(1);
  static constexpr auto k_store_again_most = std::chrono::minutes(5);

  // Something that must be over before sync is at rest. An object, because a caller that is
  // cancelled leaves by an exception.
  class Working {
  public:
    explicit Working(SyncService& service)
        : m_service(service) {
      ++m_service.m_working;
    }

    Working(const Working&) = delete;
    Working& operator=(const Working&) = delete;

    ~Working() {
      --m_service.m_working;
      m_service.m_changed.notify_all();
    }

  private:
    SyncService& m_service;
  };

  // A look at the machine is under way, and the scene is of before.
  class Looking {
  public:
    explicit Looking(SyncService& service)
        : m_service(service) {
      ++m_service.m_looking;
    }

    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

    ~Looking() { --m_service.m_looking; }

  private:
    SyncService& m_service;
  };

  using Outcome = std::optional<Result<sync::Round>>; // none yet: it is under way

  asio::awaitable<void> begin();
  std::string settings_path() const;
  Result<sync::Engine> open_engine() const;
  asio::awaitable<void> open_store();
  void note_store_problem(const Error& problem);
  asio::awaitable<Result<Scene>> look(SyncSettings settings);
  asio::awaitable<Result<Scene>> look_changed(SettingsChange change);
  asio::awaitable<Result<void>> adopt(Scene scene);
  void note_places(const Scene& scene);
  std::string boundary_of(const library::Root& root) const;
  asio::awaitable<void> look_at_refused();
  void renumber(std::vector<std::string> watched);
  asio::awaitable<Result<sync::Round>> see_through(asio::awaitable<Result<sync::Round>> work);
  asio::awaitable<void> carry_out(asio::awaitable<Result<sync::Round>> work,
                                  std::shared_ptr<Outcome> outcome);
  asio::awaitable<Result<sync::Round>>
  look_now(std::string only_skill, bool dry_run, sync::Progress progress);
  asio::awaitable<Result<sync::Round>>
  take_on(SettingsChange change, HaltedRoots halted, sync::Progress progress);
  // placing.cpp
  asio::awaitable<Result<std::string>> ready_for(std::string project, bool keeps);
  // The watcher rests while an order is carried out, and tells of the folders that it made behind
  // it.
  asio::awaitable<void> see_orders();
  asio::awaitable<Result<void>> take_on_project(std::string path, bool keeps);
  Result<void> check_store() const;
  asio::awaitable<Result<sync::Round>> place_now(sync::PlaceOrder order,
                                                 sync::Progress progress,
                                                 std::shared_ptr<std::vector<sync::Placed>> placed);
  asio::awaitable<Result<sync::Round>>
  take_away_now(sync::TakeAwayOrder order, std::shared_ptr<std::vector<sync::TakenAway>> taken);
  // What comes behind an order, done or not.
  void note_order(const sync::Round& round);
  asio::awaitable<void> look_again();
  asio::awaitable<void> tidy();
  void tidy_soon();
  asio::awaitable<void> work_loop();
  asio::awaitable<Result<sync::Round>> round(sync::Work work);
  sync::Work look_at_everything(sync::Progress progress = {}) const;
  std::optional<sync::Work> next_work();
  std::optional<runtime::Clock::time_point> next_time() const;
  void on_report(watch::Report report);
  // By which clients know the skill of this root; nothing where the root has left the scene.
  std::optional<SkillKey> key_of(std::string_view root, std::string_view skill) const;
  // A skill of this root has changed: clients will be told.
  void changed(std::string_view root, std::string_view skill);
  asio::awaitable<void> announce();
  asio::awaitable<void> refresh_summary();
  bool is_idle() const;

  // Who lies where may be another than in the scene.
  bool is_scene_old() const { return m_look_again || m_gone_at || m_looking > 0; }

  EngineContext m_context;
  Environment m_environment;
  sync::Filesystem m_files;
  Lane m_lane;
  std::unique_ptr<watch::Watcher> m_watcher;
  std::shared_ptr<const Scene> m_scene;
  std::set<std::string> m_unkept;          // projects that only this process knows
  std::optional<Error> m_settings_problem; // sync.json cannot be read; until it is written anew
  std::optional<Error> m_store_problem;    // the engine could not be opened, or told who takes part
  std::optional<Error> m_scene_problem;    // nobody could be found or told; until that works
  std::vector<std::string> m_watched;      // paths of roots, as the watcher numbers them

  watch::Settle m_settle;
  bool m_everything = false;
  bool m_look_again = false; // folders came or went: who lies where must be found anew
  int m_looking = 0;         // who finds it just now
  std::optional<runtime::Clock::time_point> m_gone_at; // when that is because a sign went
  std::vector<sync::Touched> m_again;
  std::optional<runtime::Clock::time_point> m_again_at;
  std::optional<runtime::Clock::time_point> m_retry_at; // nobody waits for this
  std::optional<runtime::Clock::time_point> m_store_at; // when its problem is looked at again
  GrowingPause m_store_pause{k_store_again, k_store_again_most};
  std::optional<runtime::Clock::time_point> m_tidy_at;
  std::optional<runtime::Clock::time_point> m_durable_at;
  runtime::Clock::time_point m_rescan_at;
  bool m_list_changed = false;    // clients are to be told, whatever the list says
  std::set<SkillKey> m_announced; // skills that they are to be told of
  std::set<SkillKey> m_suspects;  // something happened to them by which the list may differ
  ListMemory m_listed;
  std::function<void(const std::set<SkillKey>& skills)> m_on_changed = {};
  bool m_telling = false;

  std::uint64_t m_generation = 1;
  int m_answering = 0; // orders whose answer comes before all else
  int m_working = 0;   // rounds and changes under way or waiting for their turn
  bool m_started = false;
  bool m_stopping = false;    // no task is begun any more
  SyncStatusResult m_summary; // without skills: what `status` says, as of the last round
  std::int64_t m_skill_count = 0;
  bool m_summarised = false;
  std::uint64_t m_orders = 0;                  // how many were carried out
  std::uint64_t m_orders_seen = 0;             // of these, how many the watcher had told of at last
  std::vector<std::string> m_lasting_warnings; // of the start
  std::vector<std::string> m_round_warnings;   // of the last round

  runtime::Condition m_changed; // something for the work loop
  runtime::Condition m_decided; // a change has come to its end
  runtime::Turns m_deciding;    // of those who look at the machine in order to go on with it
  runtime::Condition m_rested;  // the work loop has nothing left, or the first look is done
  runtime::Alarm m_alarm;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::daemon
