#pragma once
#include "daemon/await.h"
#include "daemon/jobs/job_queue.h"
#include "tests/support/folder.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobs_test {

using namespace upskill;
using namespace upskill::jobs;

inline Result<mcp::Answer> said(std::string json) {
  mcp::ToolAnswer answer;
  answer.structured = std::move(json);
  return mcp::Answer(std::move(answer));
}

inline Result<mcp::Answer> question(std::vector<std::string> keys, std::string state) {
  mcp::InputRequired required;
  for (std::string& key : keys) {
    mcp::InputRequest request;
    request.params = R"({"message":"What is )" + key + R"(?","requestedSchema":{"type":"object"}})";
    request.key = std::move(key);
    required.requests.push_back(std::move(request));
  }
  required.state = std::move(state);
  return mcp::Answer(std::move(required));
}

// Where works wait until the test lets them go on.
struct Gate {
  runtime::Condition opened;
  bool is_open = false;
  int passed = 0;
  int waiting = 0;

  explicit Gate(asio::io_context& io)
      : opened(io.get_executor()) {}

  void open() {
    is_open = true;
    opened.notify_all();
  }
};

inline asio::awaitable<Result<mcp::Answer>> pass(Gate* gate, Result<mcp::Answer> answer) {
  ++gate->waiting;
  while (!gate->is_open) {
    co_await gate->opened.wait();
  }
  ++gate->passed;
  co_return answer;
}

inline asio::awaitable<Result<mcp::Answer>> at_once(Result<mcp::Answer> answer) {
  co_return answer;
}

inline JobWork behind(Gate& gate, Result<mcp::Answer> answer = said("{}")) {
  return [&gate, answer](JobRun&) { return pass(&gate, answer); };
}

inline JobWork answers(Result<mcp::Answer> answer) {
  return [answer](JobRun&) { return at_once(answer); };
}

// A queue with a clock of the test's own over a real jobs.db.
struct World {
  test::Folder folder;
  asio::io_context io;
  runtime::Pool pool{3};
  telemetry::Log log = telemetry::Log::none();
  std::int64_t now_ms = 1'000'000;
  JobLimits limits;
  std::string path = folder / "jobs.db";
  runtime::Condition changed{io.get_executor()};
  std::vector<Job> told = {};
  std::function<void(const Job&)> on_told = [](const Job&) {};
  std::optional<JobQueue> queue;

  void open() {
    queue.emplace(io.get_executor(),
                  log,
                  JobQueueOptions{.path = path,
                                  .pool = [this]() -> runtime::Pool& { return pool; },
                                  .now_ms = [this] { return now_ms; },
                                  .limits = limits});
    queue->on_change([this](const Job& job) {
      told.push_back(job);
      on_told(job);
      changed.notify_all();
    });
    queue->start();
  }

  // A test that waits for what never comes is ended by CTest.
  asio::awaitable<void> until(std::function<bool()> holds) {
    while (!holds()) {
      co_await changed.wait();
    }
  }

  bool was_told(const std::string& id, JobState state) const {
    for (const Job& job : told) {
      if (job.id == id && job.state == state) {
        return true;
      }
    }
    return false;
  }

  asio::awaitable<void> until_told(std::string id, JobState state) {
    return until([this, id = std::move(id), state] { return was_told(id, state); });
  }

  // Runs the body with an open queue, and stops that.
  void run(asio::awaitable<void> (*body)(World&)) {
    open();
    tests::run_coroutine(io, framed(body));
    queue.reset();
  }

  asio::awaitable<void> framed(asio::awaitable<void> (*body)(World&)) {
    AWAIT_DONE(body(*this));
    AWAIT_DONE(queue->stop());
  }

  asio::awaitable<std::string>
  begin(std::string owner, JobWork work, std::string arguments = "{}") {
    JobStart what{.owner = std::move(owner),
                  .tool = "slow",
                  .arguments = std::move(arguments),
                  .work = std::move(work)};
    AWAIT(Result<std::string> id, queue->begin(std::move(what)));
    REQUIRE_MESSAGE(id.has_value(), (id ? "" : id.error().message));
    co_return *id;
  }

  asio::awaitable<Job> find(std::string id) {
    AWAIT(Result<Job> job, queue->find(std::move(id), {}));
    REQUIRE_MESSAGE(job.has_value(), (job ? "" : job.error().message));
    co_return *job;
  }

  // What another program reads in jobs.db now: what is there is committed.
  std::string on_disk(const std::string& sql) const {
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &raw) == SQLITE_OK);
    sqlite3_busy_timeout(raw, 2000);
    std::string text;
    auto take = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) += values[0] == nullptr ? "null" : values[0];
      return 0;
    };
    char* problem = nullptr;
    sqlite3_exec(raw, sql.c_str(), take, &text, &problem);
    if (problem != nullptr) {
      text = std::string("error: ") + problem;
    }
    sqlite3_free(problem);
    sqlite3_close(raw);
    return text;
  }

  std::string state_on_disk(const std::string& id) const {
    return on_disk("SELECT state FROM jobs WHERE id = '" + id + "'");
  }
};

} // namespace jobs_test
