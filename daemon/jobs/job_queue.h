#pragma once
#include "daemon/jobs/job.h"
#include "daemon/jobs/journal.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/result.h"
#include "protocol/types/server.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace upskill::jobs {

struct JobLimits {
  std::size_t running = k_running_jobs;
  std::size_t unfinished = k_unfinished_jobs;
  std::size_t bytes = k_all_job_arguments; // of the arguments of all that are unfinished
  std::int64_t finished = k_finished_jobs;
  std::int64_t ttl_ms =
      std::chrono::milliseconds(k_job_kept).count(); // of what ended, and of questions
};

struct JobQueueOptions {
  std::string path = {}; // of jobs.db
  std::function<runtime::Pool&()> pool = {};
  std::function<std::int64_t()> now_ms = {}; // Unix time
  JobLimits limits = {};
};

enum class Repeat {
  always, // each start is a job of its own
  once    // one that is unfinished and the same (owner, tool, arguments, place) is taken instead
};

struct JobStart {
  std::string owner = {};
  std::string tool = {};
  std::string arguments = "{}"; // a JSON object
  CallContext caller = {};      // what relative paths are relative to, and the like
  JobWork work = {};
  Repeat repeat = Repeat::always;
};

struct JobPage {
  std::vector<Job> jobs = {}; // without arguments, requests and outcomes
  std::string next_cursor = {};
};

// Of the page that begins behind this job.
std::string cursor_after(const Job& job);

struct JobAnswered {
  std::vector<std::string> unknown = {}; // keys that were not asked, or not any more
  std::size_t open = 0;                  // questions that are left
};

// Tool calls that go on after they were answered: started, shown, asked, cancelled. What a caller
// is told is on disk first; only an end that cannot be written is told all the same, and written
// later. A daemon that ends leaves its jobs to the next one, which fails them: no work is done
// twice.
//
// An empty owner, a person's, sees every job; any other only its own, and of the rest not even
// whether they are there. Whoever hangs up while a job is being started only stops waiting.
// Owner: Daemon. Thread: the daemon's. Lifetime: stop() before the destructor.
class JobQueue {
public:
  JobQueue(asio::any_io_executor executor, telemetry::Log& log, JobQueueOptions options);

  // Told after each change of a job, of its progress at most ten times a second. Before start().
  void on_change(std::function<void(const Job&)> listener);

  // Looks at what the daemon before left, if there is anything. At once; the looking is a task.
  void start();
  // Ends what runs, within what the works take to end.
  asio::awaitable<void> stop();

  // The id. busy: too many are unfinished; too_large; else why it could not be written: then it
  // does not run.
  asio::awaitable<Result<std::string>> begin(JobStart what);
  asio::awaitable<Result<Job>> find(std::string id, std::string owner);
  // The job as soon as it has ended or asks something, and after `limit` as it is then.
  asio::awaitable<Result<Job>>
  wait_for(std::string id, std::string owner, runtime::Clock::duration limit);
  // Newest first. invalid_argument for a cursor that is none of ours.
  asio::awaitable<Result<JobPage>> list(std::string owner, std::string cursor, std::size_t limit);
  // `responses` is a JSON object: of each key the object that the client answered. When the last
  // question is answered, the work is tried again.
  asio::awaitable<Result<JobAnswered>>
  answer(std::string id, std::string owner, std::string responses);
  // Returns when the end is recorded. A job that has ended already stays as it is.
  asio::awaitable<Result<void>> cancel(std::string id, std::string owner);

  std::size_t unfinished() const { return m_entries.size(); }

  std::size_t running() const { return m_running; }

  // For their turn to run.
  std::size_t waiting() const { return m_waiting.size(); }

private:
  // A job that has not ended, or whose end jobs.db does not have yet.
  struct Entry {
    Job job = {};
    CallContext caller = {};
    JobWork work = {};
    std::vector<std::pair<std::string, std::string>> answers = {}; // key, JSON
    std::string state = {};                                        // of the last InputRequired
    Journal::Ticket first_row = {};
    bool is_ending = false; // the end is being written: nothing else can end it
    std::optional<runtime::TaskId> run = {};
    std::stop_source stopping = {};
    std::int64_t told_ms = 0;
  };

  struct Slot;

  Entry* entry_of(const std::string& id);
  static bool may_see(const Job& job, std::string_view owner);
  asio::awaitable<Result<Job>> read(std::string id, std::string owner);
  Result<void> check(const JobStart& what) const;
  const Entry* same_as(const JobStart& what) const;
  asio::awaitable<void> look_back();
  asio::awaitable<Result<void>> rests(std::string id);
  void tidy();
  void tell(const Job& job);

  // job_queue_run.cpp: from a committed row to an end.
  asio::awaitable<void> launch(std::string id, Journal::Ticket ticket);
  void line_up(Entry& entry);
  void run_next();
  asio::awaitable<void> run(std::string id);
  JobRun run_of(Entry& entry);
  void progress(const std::string& id,
                double done,
                std::optional<double> total,
                std::string_view message);
  void settle(Entry& entry, Result<mcp::Answer> answer);
  void ask(Entry& entry, mcp::InputRequired required);
  asio::awaitable<void> tell_questions(Job asking, Journal::Ticket ticket);
  void end(Entry& entry, JobState state, std::optional<Result<mcp::ToolAnswer>> outcome);
  asio::awaitable<void> tell_end(Job ended, Journal::Ticket ticket);
  asio::awaitable<void> write_again(std::string id, Journal::Ticket ticket);

  telemetry::Log& m_log;
  JobQueueOptions m_options;
  Journal m_journal;
  runtime::Condition m_changed; // something has ended, or asks
  std::vector<std::function<void(const Job&)>> m_listeners;
  std::unordered_map<std::string, Entry> m_entries;
  std::deque<std::string> m_waiting; // for their turn to run; all of them have entries
  std::size_t m_running = 0;
  bool m_is_stopping = false;
  runtime::TaskGroup m_runs;  // the works; stop() cuts them off
  runtime::TaskGroup m_tasks; // what must be seen through
};

} // namespace upskill::jobs
