#pragma once
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"
#include "protocol/types/jobs.h"
#include "skills/store/job_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::jobs {

// A tool call that goes on after it was answered.
struct Job {
  std::string id = {};    // `job-` and 32 hexadecimal digits, which cannot be guessed
  std::string owner = {}; // the principal that began it
  std::string tool = {};
  std::string arguments = {}; // a JSON object
  JobState state = JobState::working;
  std::string message = {};    // what it does now, for a person
  std::int64_t created_ms = 0; // Unix time, as is updated_ms
  std::int64_t updated_ms = 0;
  std::optional<double> progress = {};
  std::optional<double> total = {};
  std::vector<mcp::InputRequest> requests = {}; // input_required: what is not answered yet
  // completed and failed: never empty. A tool that failed may have said so in an answer of its own.
  std::optional<Result<mcp::ToolAnswer>> outcome = {};
  std::int64_t ttl_ms = 0; // how long it is kept after its end
};

bool is_finished(JobState state);

// What the work of a job may use; of its own for each try.
struct JobRun {
  std::string id = {};
  std::string arguments = {};
  // The answers to what the try before asked: a JSON object, by key; empty on the first try.
  // `state` is what that InputRequired held.
  std::string input_responses = {};
  std::string state = {};
  // Tells whoever looks how far it is. The daemon's thread only, and never after the job's end.
  std::function<void(double done, std::optional<double> total, std::string_view message)> progress =
      [](double, std::optional<double>, std::string_view) {};
  std::stop_token stopping = {}; // may be asked on the pool
};

// One try: ToolAnswer ends the job, InputRequired makes it wait and try again. `run` lives until
// the coroutine has ended; a cancelled job's throws at its next co_await.
using JobWork = std::function<asio::awaitable<Result<mcp::Answer>>(JobRun& run)>;

// 128 bits of the system's random numbers.
std::string new_job_id();
bool is_job_id(std::string_view text);
// The resource that shows a job: `upskill://job/ID`, and the id of such an address, else nothing.
std::string job_uri(std::string_view id);
std::optional<std::string> id_of_job_uri(std::string_view uri);

store::JobRow to_row(const Job& job);
// corrupt where the row's JSON is not what to_row() writes.
Result<Job> from_row(store::JobRow row);

// The error of a job as jobs.db keeps it.
std::string stored_error(const Error& error);

// As the tasks extension shows it. There, what a tool itself failed at is `completed` with an
// answer that `is_error`; `failed` is left for what is no answer of the tool's (SEP-2663).
mcp::TaskStatus task_status(const Job& job);

} // namespace upskill::jobs
