// `upskilld` with an engine of a test's own: handlers that wait, fail, crash or answer at length,
// so that the daemon's manners can be seen from outside.
#include "daemon/await.h"
#include "daemon/program.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/timers.h"
#include "tests/support/test_tools.h"

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace {

using namespace upskill;
using daemon::RequestContext;

class TestEngine final : public daemon::Engine, public daemon::ResourceBackend {
public:
  explicit TestEngine(daemon::EngineContext context)
      : m_context(std::move(context))
      , m_tools(m_context) {}

  void bind(daemon::Binder& binder) override {
    m_tools.bind(binder);
    binder.on(k_wait_idle, [this](WaitIdleParams params, RequestContext context) {
      return wait(params, std::move(context));
    });
    binder.on(k_skill_sync, [this](const SkillSyncParams&, const RequestContext&) {
      return sync_once_released();
    });
    binder.on(k_doctor, [this](DoctorParams, RequestContext) { return block(); });
    binder.on(k_skill_read,
              [](const SkillReadParams& params, RequestContext&) { return read_skill(params); });
    binder.on(k_sync_disable,
              [this](const SyncDisableParams&, RequestContext&) -> Result<SyncPlanResult> {
                m_context.tell({mcp::Change::resource_list});
                return fail(ErrorCode::refused, "changed");
              });
  }

  daemon::ResourceBackend* resources() override { return this; }

  daemon::PromptBackend* prompts() override { return &m_tools; }

  std::span<const MethodInfo> tools() override { return m_tools.infos(); }

  void start() override {}

  asio::awaitable<void> stop() override { co_return; }

  void describe(StatusResult& status) const override { status.skills = 7; }

  asio::awaitable<Result<mcp::ResourcePage>> list(std::string, RequestContext) override {
    mcp::ResourcePage page;
    page.resources.push_back({"skill://test/one", "one"});
    co_return page;
  }

  asio::awaitable<Result<mcp::ResourceTemplatePage>> list_templates(std::string,
                                                                    RequestContext) override {
    co_return mcp::ResourceTemplatePage{};
  }

  asio::awaitable<Result<mcp::Answer>> read(std::string uri, RequestContext context) override {
    if (uri.starts_with("test://ask/")) {
      return m_tools.read_asking(std::move(uri), std::move(context));
    }
    return read_one(std::move(uri));
  }

private:
  static asio::awaitable<Result<mcp::Answer>> read_one(std::string uri) {
    co_return mcp::Answer(mcp::ResourceContents{uri, "text/plain", "one", true});
  }

  // As long as the parameters say; counts those that were cancelled.
  asio::awaitable<Result<WaitIdleResult>> wait(WaitIdleParams params, RequestContext context) {
    context.progress(1, 2, "waiting");
    m_context.counters.at("test.waiting") += 1;
    std::exception_ptr failure;
    try {
      co_await runtime::wait_for(std::chrono::milliseconds(params.timeout_ms));
    } catch (...) {
      failure = std::current_exception();
    }
    m_context.counters.at("test.waiting") -= 1;
    if (failure) {
      m_context.counters.at("test.cancelled") += 1;
      std::rethrow_exception(failure);
    }
    co_return WaitIdleResult{SyncState::idle};
  }

  // The one tool of agents that can be a job.
  asio::awaitable<Result<SyncNowResult>> sync_once_released() {
    AWAIT_DONE(m_tools.released());
    co_return SyncNowResult{};
  }

  // What no cancellation reaches: a worker that hangs for longer than a stop may take.
  asio::awaitable<Result<DoctorResult>> block() {
    m_context.counters.at("test.blocking") += 1;
    auto hang = [] { std::this_thread::sleep_for(std::chrono::seconds(20)); };
    co_await runtime::offload(m_context.pool(), hang);
    co_return DoctorResult{};
  }

  static Result<SkillReadResult> read_skill(const SkillReadParams& params) {
    if (params.skill == "crash") {
      std::abort();
    }
    if (params.skill == "throw") {
      throw std::runtime_error("an inner detail");
    }
    SkillReadResult result;
    result.skill = params.skill;
    result.text = std::string(static_cast<std::size_t>(params.limit), 'x');
    return result;
  }

  daemon::EngineContext m_context;
  tests::TestTools m_tools;
};

} // namespace

int main(int count, char** arguments) {
  return daemon::run_program(count, arguments, [](daemon::EngineContext context) {
    return std::make_unique<TestEngine>(std::move(context));
  });
}
