#include "daemon/jobs/job_summary.h"
#include "daemon/jobs/job_tool.h"
#include "daemon_jobs_world.h"
#include "protocol/codec/codec.h"

using namespace jobs_test;

namespace {

Result<JobWork> find_work(const std::string& tool, const daemon::RequestContext&) {
  if (tool == "skill_sync") {
    return answers(said(R"({"done":true})"));
  }
  if (tool == "asks") {
    return answers(question({"name"}, ""));
  }
  if (tool == "much") {
    return answers(said("\"" + std::string(k_max_shown_result, 'x') + "\""));
  }
  return fail(ErrorCode::not_found, "params.tool: there is no tool `" + tool + "`");
}

asio::awaitable<Result<JobResult>> call(World& world, JobParams params, std::string principal) {
  daemon::RequestContext context;
  context.principal = std::move(principal);
  AWAIT(Result<JobResult> result,
        answer_job_call(*world.queue, find_work, std::move(params), std::move(context)));
  co_return result;
}

asio::awaitable<void> check_start_and_show(World& world) {
  JobParams start{.action = JobAction::start, .tool = "skill_sync", .wait = 60};
  AWAIT(Result<JobResult> started, call(world, start, "agents"));
  REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().message));
  REQUIRE(started->jobs.size() == 1);
  JobSummary job = started->jobs[0];
  CHECK(job.state == JobState::completed);
  CHECK(job.result.text == R"({"done":true})");
  JobParams show{.action = JobAction::show, .id = job.id};
  AWAIT(Result<JobResult> shown, call(world, show, "agents"));
  REQUIRE(shown);
  CHECK(shown->jobs[0].result == job.result);
  AWAIT(shown, call(world, show, "others"));
  CHECK(shown.error().code == ErrorCode::not_found);
  AWAIT(shown, call(world, show, ""));
  CHECK(shown);
  AWAIT(Result<JobResult> listed, call(world, {}, "agents"));
  REQUIRE(listed);
  REQUIRE(listed->jobs.size() == 1);
  CHECK(listed->jobs[0].result.text.empty());
}

asio::awaitable<void> check_folders(World& world) {
  std::vector<std::string> ids;
  for (std::string folder : {"/a", "/b", "/a"}) {
    daemon::RequestContext context;
    context.caller.cwd = std::move(folder);
    JobParams start{.action = JobAction::start, .tool = "asks"};
    AWAIT(Result<JobResult> started,
          answer_job_call(*world.queue, find_work, std::move(start), std::move(context)));
    REQUIRE(started);
    ids.push_back(started->jobs.at(0).id);
  }
  CHECK(ids[0] != ids[1]);
  CHECK(ids[0] == ids[2]);
}

asio::awaitable<void> check_questions(World& world) {
  JobParams start{.action = JobAction::start, .tool = "asks", .wait = 60};
  AWAIT(Result<JobResult> started, call(world, start, "agents"));
  REQUIRE(started);
  JobSummary job = started->jobs[0];
  CHECK(job.state == JobState::input_required);
  REQUIRE(job.questions.size() == 1);
  CHECK(job.questions[0].key == "name");
  CHECK(job.questions[0].message == "What is name?");
  CHECK(job.questions[0].schema.text == R"({"type":"object"})");
  JobParams answer{.action = JobAction::answer,
                   .id = job.id,
                   .answers = {R"({"nmae":{"action":"accept","content":{}}})"}};
  AWAIT(Result<JobResult> answered, call(world, answer, "agents"));
  REQUIRE(answered);
  CHECK(answered->jobs[0].state == JobState::input_required);
  CHECK(answered->jobs[0].hint.find("`nmae`") != std::string::npos);
  JobParams cancel{.action = JobAction::cancel, .id = job.id};
  AWAIT(Result<JobResult> cancelled, call(world, cancel, "agents"));
  REQUIRE(cancelled);
  CHECK(cancelled->jobs[0].state == JobState::cancelled);
}

asio::awaitable<void> check_refusals(World& world) {
  struct Case {
    JobParams params;
    std::string message;
  };

  std::vector<Case> cases{
      {{.action = JobAction::start}, "params.tool: is missing"},
      {{.action = JobAction::start, .tool = "nothing"}, "params.tool: there is no tool `nothing`"},
      {{.action = JobAction::start, .tool = "skill_list"},
       "params.tool: `skill_list` cannot be started as a job"},
      {{.action = JobAction::start, .tool = "sync_undo"},
       "params.tool: `sync_undo` cannot be started as a job"},
      {{.action = JobAction::start, .tool = "skill_sync", .arguments = {"[]"}},
       "params.arguments: expected an object"},
      {{.action = JobAction::show}, "params.id: is missing"},
      {{.action = JobAction::answer, .id = "x"}, "params.answers: is missing"},
      {{.action = JobAction::show, .id = "x", .wait = 61}, "params.wait: must be from 0 to 60"},
      {{.limit = 0}, "params.limit: must be from 1 to 1000"},
      {{.cursor = "x"}, "the cursor is none that was given out"}};
  for (Case& refused : cases) {
    AWAIT(Result<JobResult> result, call(world, refused.params, "agents"));
    REQUIRE_FALSE(result);
    CHECK(result.error().message == refused.message);
  }
  CHECK(world.queue->unfinished() == 0);
}

asio::awaitable<void> check_bounds(World& world) {
  JobParams start{.action = JobAction::start, .tool = "much", .wait = 60};
  AWAIT(Result<JobResult> started, call(world, start, "agents"));
  REQUIRE(started);
  const JobSummary& job = started->jobs[0];
  CHECK(job.result.text.empty());
  CHECK(job.hint.find(job_uri(job.id)) != std::string::npos);
  AWAIT(Job whole, world.find(job.id));
  CHECK(job_resource(whole).bytes.size() > k_max_shown_result);
}

// A model gets as much as does it good, and a person all that was asked for.
asio::awaitable<void> check_long_list(World& world) {
  for (int i = 0; i < 120; ++i) {
    world.now_ms += 1;
    JobStart what{.owner = "agents", .tool = std::string(100, 't'), .work = answers(said("{}"))};
    AWAIT(Result<std::string> id, world.queue->begin(std::move(what)));
    REQUIRE(id);
  }
  JobParams all{.limit = 1000};
  AWAIT(Result<JobResult> for_people, call(world, all, ""));
  REQUIRE(for_people);
  REQUIRE(for_people->jobs.size() == 120);
  std::vector<std::string> ids;
  do {
    AWAIT(Result<JobResult> page, call(world, all, "agents"));
    REQUIRE(page);
    CHECK(encode(*page).size() < 16'000);
    for (const JobSummary& job : page->jobs) {
      ids.push_back(job.id);
    }
    all.cursor = page->next_cursor;
  } while (!all.cursor.empty());
  REQUIRE(ids.size() == 120);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CHECK(ids[i] == for_people->jobs[i].id);
  }
}

} // namespace

TEST_SUITE("job") {
  TEST_CASE("a tool is started, shown and listed to whom it belongs") {
    World().run(check_start_and_show);
  }

  TEST_CASE("the same started from another folder is another job") {
    World().run(check_folders);
  }

  TEST_CASE("questions are shown, and what was not asked is said") {
    World().run(check_questions);
  }

  TEST_CASE("what cannot be done is said by the name of the field") {
    World().run(check_refusals);
  }

  TEST_CASE("a list for a model comes in short pages") {
    World().run(check_long_list);
  }

  TEST_CASE("a long result is left to the resource") {
    World().run(check_bounds);
  }
}
