#include "daemon_jobs_world.h"

#include <cmath>

using namespace jobs_test;

namespace {

asio::awaitable<void> check_whole_life(World& world) {
  Gate gate(world.io);
  AWAIT(std::string id, world.begin("agents", behind(gate, said(R"({"n":1})")), R"({"a":2})"));
  AWAIT(Job job, world.find(id));
  CHECK(job.state == JobState::working);
  CHECK(job.owner == "agents");
  CHECK(job.arguments == R"({"a":2})");
  CHECK_FALSE(job.outcome.has_value());
  world.now_ms += 5000;
  gate.open();
  AWAIT_DONE(world.until_told(id, JobState::completed));
  AWAIT(job, world.find(id));
  CHECK(job.state == JobState::completed);
  CHECK(job.created_ms == 1'000'000);
  CHECK(job.updated_ms == 1'005'000);
  REQUIRE((job.outcome && *job.outcome));
  CHECK((**job.outcome).structured == R"({"n":1})");
  CHECK(world.queue->unfinished() == 0);
}

asio::awaitable<void> check_failures(World& world) {
  mcp::ToolAnswer refusal;
  refusal.is_error = true;
  refusal.text = "no";
  auto thrown = [](JobRun&) -> asio::awaitable<Result<mcp::Answer>> {
    throw std::runtime_error("a bug");
  };

  struct Case {
    JobWork work;
    std::string message;
  };

  std::vector<Case> cases{
      {answers(fail(ErrorCode::io, "the disk broke")), "the disk broke"},
      {answers(mcp::Answer(refusal)), "no"},
      {thrown, "the daemon failed at this job"},
      {answers(mcp::Answer(mcp::ResourcePage{})), "the tool gave what is no answer to a call"},
      {answers(question({}, "s")), "the tool asked nothing, or too much at a time"},
      {answers(question({"a", "a"}, "")), "the tool asked two things by one name"},
      {answers(said(std::string(k_max_job_result + 1, 'x'))), "the tool's answer is over 8 MiB"}};
  for (Case& failing : cases) {
    AWAIT(std::string id, world.begin("agents", std::move(failing.work)));
    AWAIT_DONE(world.until_told(id, JobState::failed));
    AWAIT(Job job, world.find(id));
    REQUIRE(job.outcome.has_value());
    CHECK((*job.outcome ? (**job.outcome).text : job.outcome->error().message) == failing.message);
  }
}

asio::awaitable<Result<mcp::Answer>> ask_twice(JobRun* run, std::vector<std::string>* seen) {
  seen->push_back(run->state + "|" + run->input_responses);
  if (run->state.empty()) {
    co_return question({"name", "color"}, "first");
  }
  if (run->state == "first") {
    co_return question({"sure"}, "second");
  }
  co_return said("{}");
}

asio::awaitable<void> check_questions(World& world) {
  std::vector<std::string> seen;
  auto work = [&seen](JobRun& run) { return ask_twice(&run, &seen); };
  AWAIT(std::string id, world.begin("agents", work));
  AWAIT_DONE(world.until_told(id, JobState::input_required));
  CHECK(world.state_on_disk(id) == "input_required");
  CHECK(world.queue->running() == 0);
  AWAIT(Job job, world.find(id));
  REQUIRE(job.requests.size() == 2);

  AWAIT(Result<JobAnswered> answered,
        world.queue->answer(id, "agents", R"({"color":{"c":"red"},"size":{}})"));
  REQUIRE(answered);
  CHECK(answered->unknown == std::vector<std::string>{"size"});
  CHECK(answered->open == 1);
  AWAIT(job, world.find(id));
  CHECK(job.state == JobState::input_required);
  REQUIRE(job.requests.size() == 1);
  CHECK(job.requests[0].key == "name");
  CHECK(world.on_disk("SELECT requests FROM jobs").find("color") == std::string::npos);
  // What was answered is not asked any more.
  AWAIT(answered, world.queue->answer(id, "agents", R"({"color":{"c":"blue"}})"));
  REQUIRE(answered);
  CHECK(answered->unknown == std::vector<std::string>{"color"});
  CHECK(seen.size() == 1);

  world.told.clear();
  AWAIT(answered, world.queue->answer(id, "agents", R"({"name":{"n":1}})"));
  REQUIRE(answered);
  CHECK(answered->open == 0);
  AWAIT_DONE(world.until_told(id, JobState::input_required));
  AWAIT(answered, world.queue->answer(id, "agents", R"({"sure":{}})"));
  AWAIT_DONE(world.until_told(id, JobState::completed));
  CHECK(seen
        == std::vector<std::string>{
            "|", R"(first|{"color":{"c":"red"},"name":{"n":1}})", R"(second|{"sure":{}})"});
  AWAIT(answered, world.queue->answer(id, "agents", R"({"sure":{}})"));
  REQUIRE(answered);
  CHECK(answered->unknown == std::vector<std::string>{"sure"});
}

asio::awaitable<void> check_bad_answers(World& world) {
  AWAIT(std::string id, world.begin("agents", answers(question({"a", "b"}, ""))));
  AWAIT_DONE(world.until_told(id, JobState::input_required));
  for (std::string bad : {"",
                          "[]",
                          "{",
                          R"({"a":1})",
                          R"({"a":null})",
                          R"({"a":{},"a":{}})",
                          R"({"a":{},"b":"x"})",
                          "{\"a\":{\"x\":\"\xFF\"}}"}) {
    CAPTURE(bad);
    AWAIT(Result<JobAnswered> answered, world.queue->answer(id, "agents", bad));
    REQUIRE_FALSE(answered);
    CHECK(answered.error().code == ErrorCode::invalid_argument);
  }
  std::string long_one = R"({"a":{"x":")" + std::string(k_max_job_answers, 'x') + "\"}}";
  AWAIT(Result<JobAnswered> answered, world.queue->answer(id, "agents", long_one));
  CHECK(answered.error().code == ErrorCode::too_large);
  // None of them took any question away.
  AWAIT(Job job, world.find(id));
  CHECK(job.requests.size() == 2);
}

asio::awaitable<void> check_owners(World& world) {
  Gate gate(world.io);
  AWAIT(std::string working, world.begin("one", behind(gate)));
  AWAIT(std::string asking, world.begin("one", answers(question({"a"}, ""))));
  AWAIT(std::string done, world.begin("one", answers(said("{}"))));
  AWAIT_DONE(world.until_told(done, JobState::completed));
  AWAIT_DONE(world.until_told(asking, JobState::input_required));
  std::string unknown = "job-" + std::string(32, '0');
  for (std::string id : {working, asking, done, unknown, std::string("../x"), std::string()}) {
    CAPTURE(id);
    AWAIT(Result<Job> found, world.queue->find(id, "two"));
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::not_found);
    AWAIT(Result<void> cancelled, world.queue->cancel(id, "two"));
    REQUIRE_FALSE(cancelled);
    // Whether it is another's or nobody's cannot be told apart.
    CHECK(cancelled.error() == found.error());
    AWAIT(Result<JobAnswered> answered, world.queue->answer(id, "two", R"({"a":1})"));
    REQUIRE_FALSE(answered);
    CHECK(answered.error() == found.error());
  }
  AWAIT(Job job, world.find(asking)); // an empty owner sees it
  CHECK(job.requests.size() == 1);
  AWAIT(Result<JobPage> page, world.queue->list("two", {}, 10));
  REQUIRE(page);
  CHECK(page->jobs.empty());
  AWAIT(page, world.queue->list({}, {}, 10));
  CHECK(page->jobs.size() == 3);
  gate.open();
  AWAIT_DONE(world.until_told(working, JobState::completed));
}

asio::awaitable<Result<mcp::Answer>> report(World* world, JobRun* run) {
  run->progress(1, 10, "one");
  run->progress(2, 10, "two"); // too soon to be told
  world->now_ms += 100;
  run->progress(3, 10, std::string(1000, 'm') + "\xFF");
  run->progress(std::nan(""), 10, "none");
  co_return said("{}");
}

asio::awaitable<void> check_progress(World& world) {
  auto work = [&](JobRun& run) { return report(&world, &run); };
  AWAIT(std::string id, world.begin("agents", work));
  AWAIT_DONE(world.until_told(id, JobState::completed));
  std::vector<double> told;
  for (const Job& job : world.told) {
    if (job.state == JobState::working && job.progress) {
      told.push_back(*job.progress);
      CHECK(job.message.size() <= 500);
    }
  }
  CHECK(told == std::vector<double>{1, 3});
  AWAIT(Job job, world.find(id));
  CHECK(job.progress == 3);
  CHECK(job.total == 10);
}

asio::awaitable<void> check_pages(World& world) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    AWAIT(std::string id, world.begin("agents", answers(said("{}"))));
    AWAIT_DONE(world.until_told(id, JobState::completed));
    ids.insert(ids.begin(), id);
    world.now_ms += 1;
  }
  std::vector<std::string> listed;
  std::string cursor;
  int pages = 0;
  do {
    AWAIT(Result<JobPage> page, world.queue->list("agents", cursor, 2));
    REQUIRE(page);
    for (const Job& job : page->jobs) {
      listed.push_back(job.id);
      CHECK_FALSE(job.outcome.has_value());
    }
    cursor = page->next_cursor;
    ++pages;
  } while (!cursor.empty() && pages < 10);
  CHECK(listed == ids);
  CHECK(pages == 3);
  std::vector<std::string> bad_ones{"x", "1", "1.", "1.job-x", "99999999999999999999." + ids[0]};
  for (const std::string& bad : bad_ones) {
    AWAIT(Result<JobPage> page, world.queue->list("agents", bad, 2));
    REQUIRE_FALSE(page);
    CHECK(page.error().code == ErrorCode::invalid_argument);
  }
}

asio::awaitable<void> check_wait(World& world) {
  Gate gate(world.io);
  AWAIT(std::string id, world.begin("agents", behind(gate)));
  AWAIT(Result<Job> job, world.queue->wait_for(id, "agents", std::chrono::milliseconds(1)));
  REQUIRE(job);
  CHECK(job->state == JobState::working);
  gate.open();
  AWAIT(job, world.queue->wait_for(id, "agents", std::chrono::minutes(1)));
  REQUIRE(job);
  CHECK(job->state == JobState::completed);
}

} // namespace

TEST_SUITE("JobQueue") {
  TEST_CASE("a job works, ends, and is shown with its result") {
    World().run(check_whole_life);
  }

  TEST_CASE("whatever a work does wrong is a failed job with a reason") {
    World().run(check_failures);
  }

  TEST_CASE("a job asks, takes what it asked for, and is tried again with that") {
    World().run(check_questions);
  }

  TEST_CASE("answers that are none are refused, and take no question away") {
    World().run(check_bad_answers);
  }

  TEST_CASE("a job of another is not there, whatever is tried") {
    World().run(check_owners);
  }

  TEST_CASE("progress is told at most ten times a second, and kept") {
    World().run(check_progress);
  }

  TEST_CASE("lists come in pages, newest first") {
    World().run(check_pages);
  }

  TEST_CASE("who waits for a job waits no longer than it takes, nor than allowed") {
    World().run(check_wait);
  }
}
