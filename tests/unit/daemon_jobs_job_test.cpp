#include "daemon/jobs/job.h"

#include <doctest/doctest.h>

#include <set>

using namespace upskill;
using namespace upskill::jobs;

namespace {

Job sample() {
  return {.id = "job-00000000000000000000000000000001",
          .owner = "agents",
          .tool = "slow",
          .arguments = R"({"a":1})",
          .message = "reads",
          .created_ms = 0,
          .updated_ms = 1500,
          .progress = 0.25,
          .total = 1,
          .ttl_ms = 1000};
}

Job through_row(const Job& job) {
  Result<Job> back = from_row(to_row(job));
  REQUIRE_MESSAGE(back.has_value(), (back ? "" : back.error().message));
  return *back;
}

} // namespace

TEST_SUITE("Job") {
  TEST_CASE("ids are 32 random digits, and nothing else is one") {
    std::set<std::string> ids;
    for (int i = 0; i < 100; ++i) {
      std::string id = new_job_id();
      CHECK(is_job_id(id));
      ids.insert(id);
    }
    CHECK(ids.size() == 100);
    std::string id = *ids.begin();
    CHECK(id_of_job_uri(job_uri(id)) == id);
    CHECK_FALSE(is_job_id(id + "0"));
    CHECK_FALSE(is_job_id(id.substr(0, id.size() - 1) + "G"));
    CHECK_FALSE(is_job_id("jab-" + id.substr(4)));
    CHECK_FALSE(id_of_job_uri("upskill://job/../" + id).has_value());
    CHECK_FALSE(id_of_job_uri(id).has_value());
  }

  TEST_CASE("a job that asks comes back from its row") {
    Job job = sample();
    job.state = JobState::input_required;
    mcp::InputRequest request;
    request.key = "name";
    request.kind = mcp::InputKind::sampling;
    request.params = R"({"x":[1,{"y":"\u00e9"}]})";
    job.requests = {request, {.key = "other"}};
    Job back = through_row(job);
    CHECK(back.arguments == job.arguments);
    CHECK(back.progress == job.progress);
    REQUIRE(back.requests.size() == 2);
    CHECK(back.requests[0].key == "name");
    CHECK(back.requests[0].kind == mcp::InputKind::sampling);
    CHECK(back.requests[0].params == request.params);
    CHECK_FALSE(back.outcome.has_value());
  }

  TEST_CASE("answers and errors come back from their rows") {
    Job job = sample();
    job.state = JobState::completed;
    mcp::ToolAnswer answer;
    answer.structured = R"({"n":[1,2]})";
    answer.text = "two \xE2\x82\xAC";
    answer.content = R"([{"type":"text","text":"x"}])";
    job.outcome.emplace(answer);
    Job back = through_row(job);
    REQUIRE((back.outcome && *back.outcome));
    CHECK((**back.outcome).structured == answer.structured);
    CHECK((**back.outcome).text == answer.text);
    CHECK((**back.outcome).content == answer.content);

    job.state = JobState::failed;
    job.outcome.emplace(fail(ErrorCode::no_space, "the disk is full", "make room"));
    back = through_row(job);
    REQUIRE((back.outcome && !*back.outcome));
    CHECK(back.outcome->error() == Error{ErrorCode::no_space, "the disk is full", "make room"});
  }

  TEST_CASE("a row that is not ours is damage, not a crash") {
    store::JobRow row = to_row(sample());
    row.result = "{";
    CHECK(from_row(row).error().code == ErrorCode::corrupt);
    row.result = R"({"unheard":1})";
    CHECK(from_row(row).error().code == ErrorCode::corrupt);
    row.result.clear();
    row.requests = R"([{"key":"a","kind":"guess"}])";
    CHECK(from_row(row).error().code == ErrorCode::corrupt);
  }

  TEST_CASE("a task says `failed` only of what is no answer of the tool's") {
    using State = mcp::TaskStatus::State;
    Job job = sample();
    mcp::TaskStatus status = task_status(job);
    CHECK(status.state == State::working);
    CHECK(status.created_at == "1970-01-01T00:00:00.000Z");
    CHECK(status.updated_at == "1970-01-01T00:00:01.500Z");
    CHECK(status.ttl_ms == 1000);

    job.state = JobState::failed;
    job.outcome.emplace(fail(ErrorCode::not_found, "there is no skill `x`", "look again"));
    status = task_status(job);
    CHECK(status.state == State::completed);
    REQUIRE((status.outcome && *status.outcome));
    CHECK((**status.outcome).is_error);
    CHECK((**status.outcome).text == "there is no skill `x`\nhint: look again");

    mcp::ToolAnswer own;
    own.text = "no";
    own.is_error = true;
    job.outcome.emplace(own);
    CHECK(task_status(job).state == State::completed);

    for (ErrorCode code : {ErrorCode::internal, ErrorCode::cancelled}) {
      job.outcome.emplace(fail(code, "it was cut off"));
      status = task_status(job);
      CHECK(status.state == State::failed);
      CHECK((status.outcome && !*status.outcome));
    }
  }
}
