#include "daemon/daemon.h"
#include "daemon/handlers/skills_engine.h"
#include "daemon/handlers_server.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("SkillsEngine") {
  TEST_CASE("with it, every method of the catalogue has a handler") {
    telemetry::Log log = telemetry::Log::none();
    Options options;
    Places places;
    Daemon daemon(options, places, log);
    Binder binder(log);
    bind_server_handlers(binder, daemon);
    CHECK_FALSE(binder.missing().empty());
    asio::io_context io;
    telemetry::Counters counters;
    runtime::Pool pool(1);
    auto engine = make_skills_engine({io,
                                      places,
                                      log,
                                      counters,
                                      nullptr,
                                      [&]() -> runtime::Pool& { return pool; },
                                      [](const mcp::Change&) {}});
    engine->bind(binder);
    for (std::string_view method : binder.missing()) {
      FAIL_CHECK("nobody answers `", method, "`");
    }
  }
}
