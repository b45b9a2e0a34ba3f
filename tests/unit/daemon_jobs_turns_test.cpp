#include "daemon_jobs_world.h"

using namespace jobs_test;

namespace {

asio::awaitable<void> turn_of_the_loop() {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto posted = asio::post(executor, asio::use_awaitable);
  co_await std::move(posted);
}

asio::awaitable<void> check_turns(World& world) {
  Gate gate(world.io);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    AWAIT(std::string id,
          world.begin("agents", behind(gate), R"({"i":)" + std::to_string(i) + "}"));
    ids.push_back(id);
  }
  while (gate.waiting < 2) {
    AWAIT_DONE(turn_of_the_loop());
  }
  CHECK(world.queue->running() == 2);
  AWAIT(Job third, world.find(ids[2]));
  CHECK(third.state == JobState::working);
  CHECK(third.message == "queued");
  JobStart more{.owner = "agents", .tool = "slow", .work = behind(gate)};
  AWAIT(Result<std::string> refused, world.queue->begin(more));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::busy);
  CHECK(world.on_disk("SELECT count(*) FROM jobs") == "3");
  // A cancelled one gives its turn to the next.
  AWAIT(Result<void> cancelled, world.queue->cancel(ids[0], "agents"));
  CHECK(cancelled);
  while (gate.waiting < 3) {
    AWAIT_DONE(turn_of_the_loop());
  }
  AWAIT(third, world.find(ids[2]));
  CHECK(third.message.empty());
  gate.open();
  AWAIT_DONE(world.until_told(ids[1], JobState::completed));
  AWAIT_DONE(world.until_told(ids[2], JobState::completed));
  CHECK(gate.passed == 2);
  AWAIT(Result<std::string> accepted, world.queue->begin(more));
  CHECK(accepted);
}

asio::awaitable<void> check_bulk(World& world) {
  JobStart large{.owner = "agents",
                 .tool = "slow",
                 .arguments = std::string(k_max_job_arguments + 1, ' '),
                 .work = answers(said("{}"))};
  AWAIT(Result<std::string> refused, world.queue->begin(large));
  CHECK(refused.error().code == ErrorCode::too_large);
  large.arguments.pop_back();
  AWAIT(refused, world.queue->begin(large)); // over what all of them may have
  CHECK(refused.error().code == ErrorCode::busy);
  large.arguments = "{}";
  large.tool = std::string(200, 'x');
  AWAIT(refused, world.queue->begin(large));
  CHECK(refused.error().code == ErrorCode::invalid_argument);
  CHECK(world.queue->unfinished() == 0);
}

asio::awaitable<void> check_once(World& world) {
  Gate gate(world.io);
  JobStart what{.owner = "agents", .tool = "slow", .work = behind(gate), .repeat = Repeat::once};
  AWAIT(Result<std::string> first, world.queue->begin(what));
  AWAIT(Result<std::string> again, world.queue->begin(what));
  REQUIRE((first && again));
  CHECK(*first == *again);
  JobStart others = what;
  others.owner = "http";
  AWAIT(Result<std::string> of_another, world.queue->begin(others));
  CHECK(*of_another != *first);
  JobStart different = what;
  different.arguments = R"({"a":1})";
  AWAIT(Result<std::string> other_arguments, world.queue->begin(different));
  CHECK(*other_arguments != *first);
  JobStart elsewhere = what; // `.` is another folder there
  elsewhere.caller.cwd = "/b";
  AWAIT(Result<std::string> other_folder, world.queue->begin(elsewhere));
  CHECK(*other_folder != *first);
  AWAIT(again, world.queue->begin(elsewhere));
  CHECK(*again == *other_folder);
  gate.open();
  AWAIT_DONE(world.until_told(*first, JobState::completed));
  AWAIT(again, world.queue->begin(what));
  CHECK(*again != *first);
}

asio::awaitable<void> check_cancelled_in_line(World& world) {
  Gate gate(world.io);
  AWAIT(std::string first, world.begin("agents", behind(gate)));
  for (int i = 0; i < 20; ++i) {
    AWAIT(std::string id, world.begin("agents", behind(gate)));
    CHECK(world.queue->waiting() == 1);
    AWAIT(Result<void> cancelled, world.queue->cancel(id, "agents"));
    CHECK(cancelled);
    CHECK(world.queue->waiting() == 0);
  }
  gate.open();
  AWAIT_DONE(world.until_told(first, JobState::completed));
  CHECK(gate.passed == 1);
}

asio::awaitable<void> cancel_it(World* world, std::string id, int* done) {
  AWAIT(Result<void> cancelled, world->queue->cancel(std::move(id), "agents"));
  CHECK(cancelled);
  ++*done;
  world->changed.notify_all();
}

asio::awaitable<void> check_cancel(World& world) {
  Gate gate(world.io);
  AWAIT(std::string id, world.begin("agents", behind(gate)));
  int done = 0;
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  runtime::TaskGroup group(executor, [](std::exception_ptr) { FAIL("thrown"); });
  std::string on_disk_when_told;
  world.on_told = [&](const Job& job) {
    if (job.state == JobState::cancelled) {
      on_disk_when_told = world.state_on_disk(job.id);
      CHECK(done == 0);
    }
  };
  group.start(cancel_it(&world, id, &done));
  group.start(cancel_it(&world, id, &done));
  AWAIT(Job job, world.find(id));
  CHECK(job.state == JobState::working); // nothing is shown before it is recorded
  // The work's own end comes too late.
  gate.open();
  AWAIT_DONE(group.join());
  CHECK(done == 2);
  CHECK(on_disk_when_told == "cancelled");
  AWAIT(job, world.find(id));
  CHECK(job.state == JobState::cancelled);
  CHECK_FALSE(job.outcome.has_value());
  std::size_t told = world.told.size();
  AWAIT(Result<void> again, world.queue->cancel(id, "agents"));
  CHECK(again);
  CHECK(world.told.size() == told);
  CHECK(world.state_on_disk(id) == "cancelled");
  world.on_told = [](const Job&) {};
}

asio::awaitable<void> check_cancel_of_what_asks_or_waits(World& world) {
  Gate gate(world.io);
  AWAIT(std::string asking, world.begin("agents", answers(question({"a"}, ""))));
  AWAIT_DONE(world.until_told(asking, JobState::input_required));
  AWAIT(std::string first, world.begin("agents", behind(gate)));
  AWAIT(std::string queued, world.begin("agents", behind(gate)));
  for (std::string id : {asking, queued}) {
    AWAIT(Result<void> cancelled, world.queue->cancel(id, "agents"));
    CHECK(cancelled);
    AWAIT(Job job, world.find(id));
    CHECK(job.state == JobState::cancelled);
    CHECK(job.requests.empty());
  }
  AWAIT(Result<JobAnswered> answered, world.queue->answer(asking, "agents", R"({"a":{}})"));
  REQUIRE(answered);
  CHECK(answered->unknown.size() == 1);
  gate.open();
  AWAIT_DONE(world.until_told(first, JobState::completed));
  CHECK(gate.passed == 1); // the other one never ran
}

// A work on the pool, which cannot be cut short, sees the token.
asio::awaitable<Result<mcp::Answer>>
spin_until_told(World* world, JobRun* run, bool* begun, bool* ended) {
  *begun = true;
  std::stop_token stopping = run->stopping;
  auto spin = [stopping] {
    while (!stopping.stop_requested()) {
    }
  };
  AWAIT_DONE(runtime::offload(world->pool, spin));
  *ended = true;
  co_return said("{}");
}

asio::awaitable<void> check_stop_token(World& world) {
  bool begun = false;
  bool ended = false;
  auto work = [&](JobRun& run) { return spin_until_told(&world, &run, &begun, &ended); };
  AWAIT(std::string id, world.begin("agents", work));
  while (!begun) {
    AWAIT_DONE(turn_of_the_loop());
  }
  AWAIT(Result<void> cancelled, world.queue->cancel(id, "agents"));
  CHECK(cancelled);
  while (world.queue->running() != 0) {
    AWAIT_DONE(turn_of_the_loop());
  }
  CHECK(ended);
  AWAIT(Job job, world.find(id));
  CHECK(job.state == JobState::cancelled);
}

} // namespace

TEST_SUITE("JobQueue: turns and ends") {
  TEST_CASE("no more run than may, the others wait for their turn, and too many are refused") {
    World world;
    world.limits.running = 2;
    world.limits.unfinished = 3;
    world.run(check_turns);
  }

  TEST_CASE("arguments are bounded, each and together") {
    World world;
    world.limits.bytes = k_max_job_arguments - 1;
    world.run(check_bulk);
  }

  TEST_CASE("the same job is begun once, where that is asked for") {
    World().run(check_once);
  }

  TEST_CASE("cancelled is recorded before anybody is told, and stays") {
    World().run(check_cancel);
  }

  TEST_CASE("what waits for answers or for its turn is cancelled too") {
    World world;
    world.limits.running = 1;
    world.run(check_cancel_of_what_asks_or_waits);
  }

  TEST_CASE("what is cancelled in line leaves the line at once") {
    World world;
    world.limits.running = 1;
    world.run(check_cancelled_in_line);
  }

  TEST_CASE("a work on the pool is told by its token") {
    World().run(check_stop_token);
  }
}
