#include "daemon/jobs/job_queue.h"

#include "daemon/await.h"
#include "daemon/runtime/timeout.h"
#include "daemon/unknown_cursor.h"
#include "protocol/base/bounds.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace upskill::jobs {
namespace {

constexpr std::size_t k_max_tool_name = 128;

tl::unexpected<Error> no_such_job(std::string_view id) {
  return fail(ErrorCode::not_found,
              "there is no job `" + std::string(id.substr(0, 64)) + "`",
              "the list of jobs has those that can be seen; old ones are forgotten");
}

tl::unexpected<Error> is_stopping() {
  return fail(ErrorCode::unavailable, "the daemon is stopping", "try again");
}

// Positions as they are handed out: `<created_ms>.<id>`.
Result<std::optional<store::JobPosition>> position_of(std::string_view cursor) {
  if (cursor.empty()) {
    return std::optional<store::JobPosition>();
  }
  store::JobPosition position;
  const char* end = cursor.data() + cursor.size();
  auto [rest, problem] = std::from_chars(cursor.data(), end, position.created_ms);
  if (problem != std::errc() || rest == end || *rest != '.'
      || !is_job_id(std::string_view(rest + 1, end))) {
    return fail(daemon::unknown_cursor());
  }
  position.id.assign(rest + 1, end);
  return std::optional(std::move(position));
}

// A job as a list shows it: small.
Job without_bulk(const Job& job) {
  Job small{.id = job.id,
            .owner = job.owner,
            .tool = job.tool,
            .state = job.state,
            .message = job.message,
            .created_ms = job.created_ms,
            .updated_ms = job.updated_ms,
            .progress = job.progress,
            .total = job.total,
            .ttl_ms = job.ttl_ms};
  return small;
}

// Whether the same arguments mean the same: which folder `.` is, whose keys are used.
bool is_same_place(const CallContext& a, const CallContext& b) {
  return a.cwd == b.cwd && a.config == b.config && a.environment == b.environment;
}

} // namespace

JobQueue::JobQueue(asio::any_io_executor executor, telemetry::Log& log, JobQueueOptions options)
    : m_log(log)
    , m_options(std::move(options))
    , m_journal(executor,
                log,
                {m_options.path, m_options.pool, m_options.now_ms, m_options.limits.finished})
    , m_changed(executor)
    , m_runs(executor,
             [this](std::exception_ptr) { m_log.error("jobs: a run ended by an exception"); })
    , m_tasks(executor, [this](std::exception_ptr) {
      m_log.error("jobs: a task of the queue ended by an exception");
    }) {}

void JobQueue::on_change(std::function<void(const Job&)> listener) {
  m_listeners.push_back(std::move(listener));
}

void JobQueue::start() {
  if (::access(m_options.path.c_str(), F_OK) == 0) {
    m_tasks.start(look_back());
  }
}

asio::awaitable<void> JobQueue::look_back() {
  auto nothing = [](store::JobStore&) { return Result<void>(); };
  AWAIT(Result<void> opened, m_journal.read(std::move(nothing)));
  if (!opened) {
    m_log.warning("jobs: {}", opened.error().message);
    co_return;
  }
  // By value: nothing may be held over a wait.
  std::vector<std::string> ids = m_journal.cut_off();
  for (std::string& id : ids) {
    AWAIT(Result<Job> job, read(std::move(id), {}));
    if (job) {
      tell(*job);
    }
  }
}

asio::awaitable<void> JobQueue::stop() {
  m_is_stopping = true;
  m_waiting.clear();
  for (auto& [id, entry] : m_entries) {
    entry.stopping.request_stop();
  }
  m_runs.cancel_all();
  co_await m_runs.join();
  co_await m_tasks.join();
  co_await m_journal.stop();
  m_entries.clear();
}

JobQueue::Entry* JobQueue::entry_of(const std::string& id) {
  auto found = m_entries.find(id);
  return found == m_entries.end() ? nullptr : &found->second;
}

bool JobQueue::may_see(const Job& job, std::string_view owner) {
  return owner.empty() || job.owner == owner;
}

void JobQueue::tell(const Job& job) {
  for (const auto& listener : m_listeners) {
    listener(job);
  }
}

Result<void> JobQueue::check(const JobStart& what) const {
  if (m_is_stopping) {
    return is_stopping();
  }
  if (what.tool.empty() || what.tool.size() > k_max_tool_name) {
    return fail(ErrorCode::invalid_argument,
                "a tool's name has from 1 to " + std::to_string(k_max_tool_name) + " bytes");
  }
  if (what.arguments.size() > k_max_job_arguments) {
    return fail(ErrorCode::too_large,
                "the arguments of a job have at most " + std::to_string(k_max_job_arguments)
                    + " bytes",
                "put what is large into a file and name that");
  }
  std::size_t bytes = what.arguments.size();
  for (const auto& [id, entry] : m_entries) {
    bytes += entry.job.arguments.size();
  }
  if (m_entries.size() >= m_options.limits.unfinished || bytes > m_options.limits.bytes) {
    return fail(ErrorCode::busy,
                std::to_string(m_entries.size()) + " jobs have not ended yet",
                "wait for some of them, or cancel them");
  }
  return {};
}

const JobQueue::Entry* JobQueue::same_as(const JobStart& what) const {
  for (const auto& [id, entry] : m_entries) {
    if (!entry.is_ending && !is_finished(entry.job.state) && entry.job.tool == what.tool
        && entry.job.owner == what.owner && entry.job.arguments == what.arguments
        && is_same_place(entry.caller, what.caller)) {
      return &entry;
    }
  }
  return nullptr;
}

// Here rather than by a timer, because an idle daemon does not wake up.
void JobQueue::tidy() {
  std::int64_t now = m_options.now_ms();
  for (auto& [id, entry] : m_entries) {
    if (entry.is_ending) {
      continue;
    }
    if (is_finished(entry.job.state)) {
      entry.is_ending = true;
      m_tasks.start(write_again(id, m_journal.update(to_row(entry.job))));
    } else if (entry.job.state == JobState::input_required
               && entry.job.updated_ms + entry.job.ttl_ms < now) {
      end(entry,
          JobState::failed,
          fail(ErrorCode::timed_out, "nobody answered what it asked", "start it again"));
    }
  }
}

asio::awaitable<Result<std::string>> JobQueue::begin(JobStart what) {
  if (!m_is_stopping) {
    tidy();
  }
  if (const Entry* same = what.repeat == Repeat::once ? same_as(what) : nullptr) {
    std::string id = same->job.id;
    AWAIT(Result<void> written, m_journal.written(same->first_row));
    CO_TRY(written);
    co_return id;
  }
  CO_TRY(check(what));
  std::string id = new_job_id();
  std::int64_t now = m_options.now_ms();
  Entry& entry = m_entries[id];
  entry.job = {.id = id,
               .owner = std::move(what.owner),
               .tool = std::move(what.tool),
               .arguments = std::move(what.arguments),
               .created_ms = now,
               .updated_ms = now,
               .ttl_ms = m_options.limits.ttl_ms};
  entry.caller = std::move(what.caller);
  entry.work = std::move(what.work);
  Journal::Ticket ticket = m_journal.insert(to_row(entry.job));
  entry.first_row = ticket;
  m_tasks.start(launch(id, ticket));
  AWAIT(Result<void> written, m_journal.written(ticket));
  if (!written) {
    Error error = std::move(written).error();
    error.message = "the job was not started: " + error.message;
    co_return fail(std::move(error));
  }
  co_return id;
}

asio::awaitable<Result<Job>> JobQueue::read(std::string id, std::string owner) {
  if (!is_job_id(id)) {
    co_return no_such_job(id);
  }
  auto look = [id](store::JobStore& jobs) -> Result<std::optional<Job>> {
    TRY_ASSIGN(std::optional<store::JobRow> row, jobs.find(id));
    if (!row) {
      return std::optional<Job>();
    }
    TRY_ASSIGN(Job job, from_row(std::move(*row)));
    return std::optional(std::move(job));
  };
  AWAIT(Result<std::optional<Job>> job, m_journal.read(std::move(look)));
  CO_TRY(job);
  if (!*job || !may_see(**job, owner)) {
    co_return no_such_job(id);
  }
  co_return std::move(**job);
}

asio::awaitable<Result<Job>> JobQueue::find(std::string id, std::string owner) {
  if (const Entry* entry = entry_of(id)) {
    if (!may_see(entry->job, owner)) {
      co_return no_such_job(id);
    }
    co_return entry->job;
  }
  AWAIT(Result<Job> job, read(std::move(id), std::move(owner)));
  co_return job;
}

asio::awaitable<Result<void>> JobQueue::rests(std::string id) {
  for (;;) {
    const Entry* entry = entry_of(id);
    if (entry == nullptr || (entry->job.state != JobState::working && !entry->is_ending)) {
      co_return Result<void>();
    }
    co_await m_changed.wait();
  }
}

asio::awaitable<Result<Job>>
JobQueue::wait_for(std::string id, std::string owner, runtime::Clock::duration limit) {
  AWAIT(Result<Job> job, find(id, owner));
  if (!job || job->state != JobState::working || limit <= runtime::Clock::duration::zero()) {
    co_return job;
  }
  AWAIT(Result<void> rested, runtime::with_timeout(limit, rests(id), "the job"));
  static_cast<void>(rested); // as it is, then
  AWAIT(Result<Job> later, find(std::move(id), std::move(owner)));
  co_return later;
}

std::string cursor_after(const Job& job) {
  return std::to_string(job.created_ms) + "." + job.id;
}

asio::awaitable<Result<JobPage>>
JobQueue::list(std::string owner, std::string cursor, std::size_t limit) {
  CO_TRY_ASSIGN(std::optional<store::JobPosition> after, position_of(cursor));
  std::size_t most = std::clamp<std::size_t>(limit, 1, k_max_page);
  auto look = [&](store::JobStore& jobs) {
    return jobs.list(owner, after, static_cast<std::int64_t>(most + 1));
  };
  AWAIT(Result<std::vector<store::JobRow>> rows, m_journal.read(std::move(look)));
  CO_TRY(rows);
  JobPage page;
  for (store::JobRow& row : *rows) {
    if (page.jobs.size() == most) {
      page.next_cursor = cursor_after(page.jobs.back());
      break;
    }
    if (const Entry* entry = entry_of(row.id)) {
      page.jobs.push_back(without_bulk(entry->job));
    } else {
      CO_TRY_ASSIGN(Job job, from_row(std::move(row)));
      page.jobs.push_back(std::move(job));
    }
  }
  co_return page;
}

asio::awaitable<Result<void>> JobQueue::cancel(std::string id, std::string owner) {
  Entry* entry = entry_of(id);
  if (entry == nullptr) {
    AWAIT(Result<Job> ended, read(std::move(id), std::move(owner)));
    CO_TRY(ended);
    co_return Result<void>();
  }
  if (!may_see(entry->job, owner)) {
    co_return no_such_job(id);
  }
  if (!entry->is_ending && !is_finished(entry->job.state)) {
    if (m_is_stopping) {
      co_return is_stopping();
    }
    entry->stopping.request_stop();
    std::optional<runtime::TaskId> running = entry->run;
    end(*entry, JobState::cancelled, {});
    if (running) {
      m_runs.cancel(*running);
    }
  }
  while ((entry = entry_of(id)) != nullptr && entry->is_ending) {
    co_await m_changed.wait();
  }
  co_return Result<void>();
}

} // namespace upskill::jobs
