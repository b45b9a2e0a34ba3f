#include "daemon/handlers/traces.h"
#include "tests/support/captured_world.h"
#include "tests/support/skills_world.h"

using namespace upskill;
using tests::CapturedWorld;

namespace {

asio::awaitable<bool> is_stored_on(CapturedWorld& world) {
  auto read = [](archive::Archive& archive) { return archive.store().capture_rules(); };
  AWAIT(Result<std::vector<store::CaptureRule>> rules, world.desk.with(std::move(read)));
  REQUIRE(rules);
  co_return !rules->empty();
}

} // namespace

TEST_CASE(
    "who hangs up while capture is switched off or on leaves what is stored and what is done one") {
  CapturedWorld world;
  tests::SkillsWorld skills;
  daemon::TraceRoom room{skills.library(), world.desk};
  int switched = 0;
  world.run([&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.capture_on());
    for (int turns = 0; turns < 60; ++turns) {
      CAPTURE(turns);
      AWAIT(bool was_on, is_stored_on(world));
      TraceCaptureParams params;
      params.action = was_on ? TraceCaptureAction::off : TraceCaptureAction::on;
      bool is_over = false;
      asio::cancellation_signal hang_up;
      auto body = [&]() -> asio::awaitable<void> {
        AWAIT(Result<TraceCaptureResult> result, daemon::capture_traces(room, params, {}));
        static_cast<void>(result);
      };
      auto done = [&](const std::exception_ptr&) { is_over = true; };
      asio::co_spawn(world.io, body(), asio::bind_cancellation_slot(hang_up.slot(), done));
      for (int i = 0; i < turns && !is_over; ++i) {
        AWAIT_DONE(asio::post(world.io, asio::use_awaitable));
      }
      hang_up.emit(asio::cancellation_type::terminal);
      AWAIT_DONE(world.until([&] { return is_over; }));
      AWAIT(bool is_on, is_stored_on(world));
      switched += is_on != was_on;
      AWAIT_DONE(world.until([&] { return world.desk.is_following() == is_on; }));
    }
  });
  CHECK(switched > 0);
}
