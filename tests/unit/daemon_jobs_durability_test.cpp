#include "daemon_jobs_world.h"

#include <filesystem>

using namespace jobs_test;

namespace {

asio::awaitable<void> check_order(World& world) {
  Gate gate(world.io);
  world.on_told = [&](const Job& job) {
    CHECK(world.state_on_disk(job.id) == enum_name(job.state));
  };
  AWAIT(std::string id, world.begin("agents", behind(gate)));
  CHECK(world.state_on_disk(id) == "working");
  gate.open();
  AWAIT_DONE(world.until_told(id, JobState::completed));
  AWAIT(std::string failing, world.begin("agents", answers(fail(ErrorCode::io, "no"))));
  AWAIT_DONE(world.until_told(failing, JobState::failed));
  world.on_told = [](const Job&) {};
}

asio::awaitable<void> leave_some(World& world) {
  Gate gate(world.io);
  AWAIT(std::string done, world.begin("agents", answers(said(R"({"n":1})"))));
  AWAIT_DONE(world.until_told(done, JobState::completed));
  AWAIT(std::string asking, world.begin("agents", answers(question({"a"}, ""))));
  AWAIT_DONE(world.until_told(asking, JobState::input_required));
  AWAIT(std::string working, world.begin("agents", behind(gate)));
  // As a crash would leave it.
  std::filesystem::create_directories(world.folder / "crash");
  for (std::string end : {"", "-wal"}) {
    std::filesystem::copy_file(world.path + end, world.folder / ("crash/jobs.db" + end));
  }
  CHECK(gate.passed == 0);
  while (world.queue->running() == 0) {
    co_await world.changed.wait();
  }
}

asio::awaitable<void> check_left(World& world) {
  AWAIT_DONE(world.until([&] { return world.told.size() == 2; }));
  AWAIT(Result<JobPage> page, world.queue->list({}, {}, 10));
  REQUIRE(page);
  REQUIRE(page->jobs.size() == 3);
  int failed = 0;
  for (const Job& listed : page->jobs) {
    AWAIT(Job job, world.find(listed.id));
    REQUIRE(job.outcome.has_value());
    if (job.state == JobState::completed) {
      CHECK((**job.outcome).structured == R"({"n":1})");
      continue;
    }
    ++failed;
    CHECK(world.was_told(job.id, JobState::failed));
    CHECK(job.state == JobState::failed);
    CHECK(job.outcome->error().message == "the daemon was restarted while it ran");
    CHECK(job.requests.empty());
    CHECK(world.state_on_disk(job.id) == "failed");
  }
  CHECK(failed == 2);
  CHECK(world.queue->unfinished() == 0);
}

asio::awaitable<void> check_no_store(World& world) {
  Gate gate(world.io);
  JobStart what{.owner = "agents", .tool = "slow", .work = behind(gate)};
  gate.open();
  AWAIT(Result<std::string> id, world.queue->begin(what));
  REQUIRE_FALSE(id);
  CHECK(id.error().message.find("the job was not started") == 0);
  CHECK(gate.waiting == 0);
  CHECK(world.queue->unfinished() == 0);
  CHECK(world.told.empty());
  AWAIT(Result<JobPage> page, world.queue->list({}, {}, 10));
  CHECK_FALSE(page);
  // What was in the way is gone: the next one finds a store.
  std::filesystem::remove(world.folder / "blocked");
  AWAIT(id, world.queue->begin(what));
  REQUIRE(id);
  AWAIT_DONE(world.until_told(*id, JobState::completed));
}

asio::awaitable<void> check_failing_writes(World& world) {
  Gate gate(world.io);
  AWAIT(std::string ending, world.begin("agents", behind(gate, said(R"({"n":7})"))));
  REQUIRE(world
              .on_disk("CREATE TRIGGER full_disk BEFORE UPDATE ON jobs"
                       " BEGIN SELECT RAISE(ABORT, 'full'); END")
              .empty());
  // The end is told all the same, and can be asked for.
  gate.open();
  AWAIT_DONE(world.until_told(ending, JobState::completed));
  CHECK(world.state_on_disk(ending) == "working");
  AWAIT(Job job, world.find(ending));
  CHECK(job.state == JobState::completed);
  AWAIT(Result<void> cancelled, world.queue->cancel(ending, "agents"));
  CHECK(cancelled);
  AWAIT(job, world.find(ending));
  CHECK(job.state == JobState::completed);
  AWAIT(Result<JobPage> page, world.queue->list("agents", {}, 10));
  REQUIRE(page);
  CHECK(page->jobs.at(0).state == JobState::completed);
  // Once it can be written, it is: with the next start at the latest.
  REQUIRE(world.on_disk("DROP TRIGGER full_disk").empty());
  AWAIT(std::string next, world.begin("agents", answers(said("{}"))));
  AWAIT_DONE(world.until_told(next, JobState::completed));
  AWAIT(page, world.queue->list("agents", {}, 10)); // after what was written before
  CHECK(world.state_on_disk(ending) == "completed");
  AWAIT(job, world.find(ending));
  REQUIRE((job.outcome && *job.outcome));
  CHECK((**job.outcome).structured == R"({"n":7})");
}

asio::awaitable<void> check_start_beside_unwritable_ends(World& world) {
  Gate gate(world.io);
  AWAIT(std::string one, world.begin("agents", behind(gate)));
  AWAIT(std::string two, world.begin("agents", behind(gate)));
  REQUIRE(world
              .on_disk("CREATE TRIGGER no_room BEFORE UPDATE ON jobs WHEN OLD.id IN ('" + one
                       + "', '" + two + "') BEGIN SELECT RAISE(ABORT, 'full'); END")
              .empty());
  gate.open();
  AWAIT_DONE(world.until_told(one, JobState::completed));
  AWAIT_DONE(world.until_told(two, JobState::completed));
  for (int i = 0; i < 3; ++i) {
    // Each start tries those ends again.
    AWAIT(std::string next, world.begin("agents", answers(said("{}"))));
    AWAIT_DONE(world.until_told(next, JobState::completed));
    CHECK(world.state_on_disk(next) == "completed");
  }
  CHECK(world.state_on_disk(one) == "working");
  REQUIRE(world.on_disk("DROP TRIGGER no_room").empty());
  AWAIT(std::string last, world.begin("agents", answers(said("{}"))));
  AWAIT_DONE(world.until_told(last, JobState::completed));
  AWAIT(Result<JobPage> page, world.queue->list("agents", {}, 10)); // after what was put before
  CHECK(page);
  CHECK(world.state_on_disk(one) == "completed");
  CHECK(world.state_on_disk(two) == "completed");
}

asio::awaitable<void> check_refused_start(World& world) {
  Gate gate(world.io);
  gate.open();
  AWAIT(std::string first, world.begin("agents", behind(gate)));
  AWAIT_DONE(world.until_told(first, JobState::completed));
  REQUIRE(world
              .on_disk("CREATE TRIGGER full_disk BEFORE INSERT ON jobs"
                       " BEGIN SELECT RAISE(ABORT, 'full'); END")
              .empty());
  JobStart what{.owner = "agents", .tool = "slow", .work = behind(gate)};
  AWAIT(Result<std::string> id, world.queue->begin(what));
  CHECK_FALSE(id);
  CHECK(gate.waiting == 1);
  CHECK(world.queue->unfinished() == 0);
}

asio::awaitable<void> check_forgetting(World& world) {
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    AWAIT(std::string id, world.begin("agents", answers(said("{}"))));
    AWAIT_DONE(world.until_told(id, JobState::completed));
    ids.push_back(id);
    world.now_ms += 10;
  }
  AWAIT(Result<Job> oldest, world.queue->find(ids[0], "agents"));
  REQUIRE_FALSE(oldest); // only two are kept
  CHECK(oldest.error().code == ErrorCode::not_found);
  AWAIT(Job kept, world.find(ids[2]));
  CHECK(kept.state == JobState::completed);

  AWAIT(std::string asking, world.begin("agents", answers(question({"a"}, ""))));
  AWAIT_DONE(world.until_told(asking, JobState::input_required));
  world.now_ms += world.limits.ttl_ms + 1;
  AWAIT(std::string next, world.begin("agents", answers(said("{}"))));
  AWAIT_DONE(world.until_told(next, JobState::completed));
  AWAIT_DONE(world.until_told(asking, JobState::failed)); // nobody answered
  AWAIT(Job unanswered, world.find(asking));
  CHECK(unanswered.outcome->error().code == ErrorCode::timed_out);
  AWAIT(oldest, world.queue->find(ids[2], "agents"));
  CHECK_FALSE(oldest);
}

asio::awaitable<void> check_damage(World& world) {
  AWAIT(std::string id, world.begin("agents", answers(said("{}"))));
  AWAIT_DONE(world.until_told(id, JobState::completed));
  CHECK(world.state_on_disk(id) == "completed");
}

asio::awaitable<void> check_many(World& world) {
  std::vector<std::string> ids;
  for (int i = 0; i < 200; ++i) {
    AWAIT(std::string id, world.begin("agents", answers(said(std::to_string(i)))));
    ids.push_back(id);
  }
  AWAIT_DONE(world.until([&] { return world.queue->unfinished() == 0; }));
  for (int i = 0; i < 200; ++i) {
    AWAIT(Job job, world.find(ids[static_cast<std::size_t>(i)]));
    REQUIRE((job.outcome && *job.outcome));
    CHECK((**job.outcome).structured == std::to_string(i));
  }
}

} // namespace

TEST_SUITE("JobQueue on disk") {
  TEST_CASE("whatever is told is on disk before") {
    World().run(check_order);
  }

  TEST_CASE("what a daemon left unfinished has failed, whether it was stopped or killed") {
    World world;
    world.run(leave_some);
    CHECK(world.on_disk("SELECT count(*) FROM jobs WHERE state = 'working'") == "1");
    for (std::string path : {world.path, world.folder / "crash/jobs.db"}) {
      CAPTURE(path);
      world.path = path;
      world.told.clear();
      world.run(check_left);
    }
  }

  TEST_CASE("a job that cannot be recorded does not run") {
    World world;
    test::write(world.folder / "blocked", "a file where a folder must be");
    world.path = world.folder / "blocked/jobs.db";
    world.run(check_no_store);
  }

  TEST_CASE("nor does one whose row is refused later") {
    World().run(check_refused_start);
  }

  TEST_CASE("an end that cannot be recorded is told, and recorded later") {
    World().run(check_failing_writes);
  }

  TEST_CASE("an end that cannot be recorded keeps no other job from being started") {
    World().run(check_start_beside_unwritable_ends);
  }

  TEST_CASE("what is old or too much is forgotten, questions too") {
    World world;
    world.limits.finished = 2;
    world.run(check_forgetting);
  }

  TEST_CASE("a damaged database is put aside, and the next one begun") {
    World world;
    test::write(world.path, std::string(8192, 'x'));
    world.run(check_damage);
    int aside = 0;
    for (const auto& entry : std::filesystem::directory_iterator(world.folder.path())) {
      aside += entry.path().filename().string().find("jobs.db.corrupt-") == 0 ? 1 : 0;
    }
    CHECK(aside == 1);
  }

  TEST_CASE("many short jobs, one after the other, all end as they must") {
    World().run(check_many);
  }

  TEST_CASE("a daemon without jobs makes no database") {
    World world;
    world.run([](World&) -> asio::awaitable<void> { co_return; });
    CHECK_FALSE(test::exists(world.path));
  }
}
