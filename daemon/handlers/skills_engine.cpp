#include "daemon/handlers/skills_engine.h"

#include "daemon/handlers/evals.h"
#include "daemon/handlers/prompts.h"
#include "daemon/handlers/resources.h"
#include "daemon/handlers/skill_entries.h"
#include "daemon/handlers/skills.h"
#include "daemon/handlers/sync.h"

namespace upskill::daemon {
namespace {

class SkillsEngine final : public Engine {
public:
  explicit SkillsEngine(EngineContext context)
      : m_service(std::move(context), process_environment())
      , m_library(m_service)
      , m_resources(m_library)
      , m_entries(m_library)
      , m_prompts(m_library)
      , m_http(m_service.context().io.get_executor()) {}

  void bind(Binder& binder) override {
    bind_sync_handlers(binder, m_library);
    bind_skill_handlers(binder, m_library);
    bind_eval_handlers(binder, m_library, m_http);
    binder.wait_first(
        k_status.name,
        [this] { return m_service.has_summary(); },
        [this] { return m_service.wait_for_summary(); });
  }

  ResourceBackend* resources() override { return &m_resources; }

  PromptBackend* prompts() override { return &m_prompts; }

  SkillBackend* skills() override { return &m_entries; }

  void start() override { m_service.start(); }

  asio::awaitable<void> stop() override { return m_service.stop(); }

  void describe(StatusResult& status) const override { m_service.describe(status); }

private:
  SyncService m_service;
  SkillLibrary m_library;
  SkillResources m_resources;
  SkillEntries m_entries;
  SkillPrompts m_prompts;
  models::Http m_http;
};

} // namespace

std::unique_ptr<Engine> make_skills_engine(EngineContext context) {
  return std::make_unique<SkillsEngine>(std::move(context));
}

} // namespace upskill::daemon
