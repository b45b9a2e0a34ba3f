#include "daemon/handlers/skills_engine.h"

#include "daemon/await.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/eval_changed.h"
#include "daemon/handlers/evals.h"
#include "daemon/handlers/generate.h"
#include "daemon/handlers/inbox.h"
#include "daemon/handlers/install.h"
#include "daemon/handlers/prompts.h"
#include "daemon/handlers/propose.h"
#include "daemon/handlers/propose_draft.h"
#include "daemon/handlers/resources.h"
#include "daemon/handlers/runs.h"
#include "daemon/handlers/setup.h"
#include "daemon/handlers/skill_entries.h"
#include "daemon/handlers/skills.h"
#include "daemon/handlers/sync.h"
#include "daemon/handlers/traces.h"
#include "daemon/handlers/watch_desk.h"
#include "daemon/handlers/watch_history.h"
#include "daemon/models/model_name.h"
#include "protocol/hook/spool.h"

#include <chrono>

namespace upskill::daemon {
namespace {

std::int64_t unix_ms() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// By the list prices of the table that evaluations use.
std::optional<double> price_of(std::string_view model, const trace::Usage& usage) {
  Environment nothing = [](std::string_view) { return std::nullopt; };
  Result<models::ResolvedModel> resolved = models::resolve_model(model, "", nothing);
  if (!resolved) {
    return std::nullopt;
  }
  models::Usage tokens;
  tokens.input = usage.input;
  tokens.output = usage.output;
  tokens.cache_read = usage.cache_read;
  tokens.cache_write = usage.cache_write;
  return models::cost_of(*resolved, tokens);
}

class SkillsEngine final : public Engine {
public:
  explicit SkillsEngine(EngineContext context)
      : m_service(std::move(context), process_environment())
      , m_library(m_service)
      , m_resources(m_library)
      , m_entries(m_library)
      , m_prompts(m_library)
      , m_http(m_service.context().io.get_executor())
      , m_evals(m_service.context().io.get_executor(),
                m_service.context().log,
                {.path = m_service.context().places.state + "/evals.db",
                 .pool = m_service.context().pool,
                 .now_ms = unix_ms})
      , m_desk(m_service.context().io.get_executor(), m_service.context().log, desk_options())
      , m_installs(m_service, m_http)
      , m_setup(m_service, m_desk)
      , m_watched({m_library, m_http, m_evals}) {
    m_service.on_changed([this](const std::set<SkillKey>& skills) { m_watched.changed(skills); });
    m_resources.set_results([this](std::string_view uri) { return m_watched.result_of(uri); });
  }

  void bind(Binder& binder) override {
    bind_sync_handlers(binder, m_library);
    bind_skill_handlers(binder, m_library, [this](StatusResult& status) { describe(status); });
    bind_eval_handlers(binder, m_library, m_http, m_evals);
    bind_changed_handler(binder, m_library, m_http, m_evals);
    bind_watch_handlers(binder, m_watched);
    bind_history_handlers(binder, {m_library, m_http, m_evals});
    bind_runs_handlers(binder, m_library);
    GenerateRoom room{m_library, m_http, m_evals, m_desk};
    bind_generate_handlers(binder, room);
    bind_trace_handlers(binder, m_library, m_desk);
    bind_inbox_handlers(binder, m_library);
    bind_install_handlers(binder, m_library, m_installs);
    bind_setup_handlers(binder, m_setup);
    bind_propose_handlers(binder, m_library, m_desk, topic_drafter(room));
    binder.wait_first(
        k_status.name,
        [this] { return m_service.has_summary(); },
        [this] { return m_service.wait_for_summary(); });
  }

  ResourceBackend* resources() override { return &m_resources; }

  PromptBackend* prompts() override { return &m_prompts; }

  SkillBackend* skills() override { return &m_entries; }

  void start() override {
    m_service.start();
    m_desk.start();
    m_watched.start();
  }

  asio::awaitable<void> stop() override {
    AWAIT_DONE(m_watched.stop());
    AWAIT_DONE(m_desk.stop());
    AWAIT_DONE(m_evals.stop());
    m_installs.stop();
    AWAIT_DONE(m_service.stop());
  }

  void ring(const hook::HookEvent& event) override { m_desk.ring(event); }

  void describe(StatusResult& status) const override {
    m_service.describe(status);
    m_desk.describe(status);
  }

private:
  capture::DeskOptions desk_options() {
    const EngineContext& context = m_service.context();
    return {.database = context.places.state + "/traces.db",
            .objects = context.places.data + "/traces",
            .spool = hook::spool_folder(context.places.state),
            .user_rules = context.places.config + "/redaction.json",
            .pool = context.pool,
            .now_ms = unix_ms,
            .folders = [this] { return session_folders(); },
            .price = price_of};
  }

  // As the last look at the machine found its agents.
  asio::awaitable<std::vector<agents::SessionFolder>> session_folders() {
    AWAIT(Result<std::shared_ptr<const Scene>> scene, m_service.scene());
    if (!scene) {
      co_return std::vector<agents::SessionFolder>();
    }
    agents::Setting setting{
        m_service.context().places, m_service.environment(), agents::real_probe()};
    co_return agents::session_folders((*scene)->table, setting);
  }

  SyncService m_service;
  SkillLibrary m_library;
  SkillResources m_resources;
  SkillEntries m_entries;
  SkillPrompts m_prompts;
  models::Http m_http;
  evals::EvalJournal m_evals;
  capture::Desk m_desk;
  InstallDesk m_installs;
  setup::SetupDesk m_setup;
  WatchDesk m_watched;
};

} // namespace

std::unique_ptr<Engine> make_skills_engine(EngineContext context) {
  return std::make_unique<SkillsEngine>(std::move(context));
}

} // namespace upskill::daemon
