#include "daemon/handlers/skills_engine.h"

#include "daemon/await.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/evals.h"
#include "daemon/handlers/prompts.h"
#include "daemon/handlers/resources.h"
#include "daemon/handlers/runs.h"
#include "daemon/handlers/skill_entries.h"
#include "daemon/handlers/skills.h"
#include "daemon/handlers/sync.h"

#include <chrono>

namespace upskill::daemon {
namespace {

std::int64_t unix_ms() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
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
                 .now_ms = unix_ms}) {}

  void bind(Binder& binder) override {
    bind_sync_handlers(binder, m_library);
    bind_skill_handlers(binder, m_library);
    bind_eval_handlers(binder, m_library, m_http, m_evals);
    bind_runs_handlers(binder, m_library);
    binder.wait_first(
        k_status.name,
        [this] { return m_service.has_summary(); },
        [this] { return m_service.wait_for_summary(); });
  }

  ResourceBackend* resources() override { return &m_resources; }

  PromptBackend* prompts() override { return &m_prompts; }

  SkillBackend* skills() override { return &m_entries; }

  void start() override { m_service.start(); }

  asio::awaitable<void> stop() override {
    AWAIT_DONE(m_evals.stop());
    AWAIT_DONE(m_service.stop());
  }

  void describe(StatusResult& status) const override { m_service.describe(status); }

private:
  SyncService m_service;
  SkillLibrary m_library;
  SkillResources m_resources;
  SkillEntries m_entries;
  SkillPrompts m_prompts;
  models::Http m_http;
  evals::EvalJournal m_evals;
};

} // namespace

std::unique_ptr<Engine> make_skills_engine(EngineContext context) {
  return std::make_unique<SkillsEngine>(std::move(context));
}

} // namespace upskill::daemon
