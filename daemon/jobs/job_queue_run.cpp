#include "daemon/await.h"
#include "daemon/jobs/job_queue.h"
#include "protocol/base/utf8.h"
#include "protocol/codec/writer.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <variant>

namespace upskill::jobs {
namespace {

constexpr std::string_view k_queued = "queued";
constexpr std::size_t k_max_message = 500;         // bytes
constexpr std::size_t k_max_requests = 256u << 10; // bytes
constexpr std::int64_t k_tell_every_ms = 100;

tl::unexpected<Error> wrong_work(std::string message) {
  return fail(ErrorCode::internal, std::move(message));
}

Result<void> check_sound(const mcp::InputRequired& required) {
  if (required.requests.empty() || required.requests.size() > k_max_job_requests) {
    return wrong_work("the tool asked nothing, or too much at a time");
  }
  std::size_t bytes = required.state.size();
  for (const mcp::InputRequest& request : required.requests) {
    auto is_same = [&](const mcp::InputRequest& other) { return other.key == request.key; };
    bytes += request.key.size() + request.params.size();
    if (request.key.empty() || std::ranges::count_if(required.requests, is_same) != 1) {
      return wrong_work("the tool asked two things by one name");
    }
  }
  return bytes <= k_max_requests ? Result<void>() : wrong_work("the tool asked at great length");
}

Result<void> check_sound(const mcp::ToolAnswer& answer) {
  if (answer.structured.size() + answer.text.size() + answer.content.size() > k_max_job_result) {
    return fail(ErrorCode::too_large,
                "the tool's answer is over " + std::to_string(k_max_job_result >> 20) + " MiB",
                "ask it for less at a time");
  }
  return {};
}

} // namespace

// The place among those that run, from the constructor to the destructor.
struct JobQueue::Slot {
  JobQueue& queue;
  const std::string& id;

  Slot(JobQueue& of, const std::string& job)
      : queue(of)
      , id(job) {}

  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  ~Slot() {
    --queue.m_running;
    if (Entry* entry = queue.entry_of(id)) {
      entry->run.reset();
    }
    queue.run_next();
  }
};

asio::awaitable<void> JobQueue::launch(std::string id, Journal::Ticket ticket) {
  AWAIT(Result<void> written, m_journal.written(std::move(ticket)));
  Entry* entry = entry_of(id);
  if (entry == nullptr) {
    co_return;
  }
  if (!written) {
    m_entries.erase(id);
    co_return;
  }
  line_up(*entry);
}

void JobQueue::line_up(Entry& entry) {
  if (m_is_stopping || entry.is_ending) {
    return;
  }
  m_waiting.push_back(entry.job.id);
  entry.job.message = m_running < m_options.limits.running ? "" : k_queued;
  tell(entry.job);
  run_next();
}

void JobQueue::run_next() {
  while (!m_is_stopping && m_running < m_options.limits.running && !m_waiting.empty()) {
    std::string id = std::move(m_waiting.front());
    m_waiting.pop_front();
    Entry* entry = entry_of(id);
    if (entry == nullptr || entry->is_ending || entry->job.state != JobState::working) {
      continue;
    }
    ++m_running;
    if (entry->job.message == k_queued) {
      entry->job.message.clear();
      tell(entry->job);
    }
    entry->run = m_runs.start(run(std::move(id)));
  }
}

JobRun JobQueue::run_of(Entry& entry) {
  JobRun run;
  run.id = entry.job.id;
  run.arguments = entry.job.arguments;
  run.state = std::exchange(entry.state, {});
  for (const auto& [key, json] : std::exchange(entry.answers, {})) {
    run.input_responses += run.input_responses.empty() ? "{" : ",";
    run.input_responses += json_string(key) + ":" + json;
  }
  if (!run.input_responses.empty()) {
    run.input_responses += "}";
  }
  run.progress = [this,
                  id = run.id](double done, std::optional<double> total, std::string_view message) {
    progress(id, done, total, message);
  };
  run.stopping = entry.stopping.get_token();
  return run;
}

asio::awaitable<void> JobQueue::run(std::string id) {
  Slot slot(*this, id);
  // The starter first notes that it runs; and works that never wait do not run in one another.
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto turn = asio::post(executor, asio::use_awaitable);
  co_await std::move(turn);
  Entry* entry = entry_of(id);
  if (entry == nullptr || entry->is_ending) {
    co_return;
  }
  JobRun run = run_of(*entry);
  JobWork work = entry->work; // what it captured is used after a cancelled job's entry is gone
  Result<mcp::Answer> answer = fail(ErrorCode::internal, "the daemon failed at this job");
  std::exception_ptr failure;
  try {
    AWAIT(answer, work(run));
  } catch (...) {
    failure = std::current_exception();
  }
  entry = entry_of(id);
  if (entry == nullptr || entry->is_ending) {
    co_return;
  }
  if (failure && runtime::is_cancellation(failure)) {
    answer = fail(ErrorCode::cancelled, "the job was cut off", "start it again");
  } else if (failure) {
    m_log.error("jobs: {} ({}): unhandled exception", id, entry->job.tool);
  }
  // The next daemon ends what this one's end cut off.
  if (m_is_stopping && !answer && answer.error().code == ErrorCode::cancelled) {
    co_return;
  }
  settle(*entry, std::move(answer));
}

void JobQueue::progress(const std::string& id,
                        double done,
                        std::optional<double> total,
                        std::string_view message) {
  Entry* entry = entry_of(id);
  if (entry == nullptr || entry->is_ending || !entry->run || !std::isfinite(done)) {
    return;
  }
  std::int64_t now = m_options.now_ms();
  entry->job.progress = done;
  entry->job.total = total && std::isfinite(*total) ? total : std::nullopt;
  entry->job.message = utf8_prefix(to_valid_utf8(message), k_max_message);
  entry->job.updated_ms = now;
  if (now - entry->told_ms >= k_tell_every_ms || now < entry->told_ms) {
    entry->told_ms = now;
    tell(entry->job);
  }
}

void JobQueue::settle(Entry& entry, Result<mcp::Answer> answer) {
  if (!answer) {
    end(entry, JobState::failed, tl::make_unexpected(std::move(answer).error()));
    return;
  }
  if (auto* required = std::get_if<mcp::InputRequired>(&*answer)) {
    if (Result<void> sound = check_sound(*required); !sound) {
      end(entry, JobState::failed, tl::make_unexpected(sound.error()));
    } else {
      ask(entry, std::move(*required));
    }
  } else if (auto* said = std::get_if<mcp::ToolAnswer>(&*answer)) {
    if (Result<void> sound = check_sound(*said); !sound) {
      end(entry, JobState::failed, tl::make_unexpected(sound.error()));
    } else {
      JobState state = said->is_error ? JobState::failed : JobState::completed;
      end(entry, state, std::move(*said));
    }
  } else if (auto* refusal = std::get_if<mcp::Refusal>(&*answer)) {
    end(entry, JobState::failed, fail(ErrorCode::internal, std::move(refusal->message)));
  } else {
    end(entry, JobState::failed, wrong_work("the tool gave what is no answer to a call"));
  }
}

// The job works on until its questions are on disk.
void JobQueue::ask(Entry& entry, mcp::InputRequired required) {
  Job asking = entry.job;
  asking.state = JobState::input_required;
  asking.message.clear();
  asking.requests = std::move(required.requests);
  asking.updated_ms = m_options.now_ms();
  entry.state = std::move(required.state);
  Journal::Ticket ticket = m_journal.update(to_row(asking));
  m_tasks.start(tell_questions(std::move(asking), std::move(ticket)));
}

asio::awaitable<void> JobQueue::tell_questions(Job asking, Journal::Ticket ticket) {
  AWAIT(Result<void> written, m_journal.written(std::move(ticket)));
  if (!written) {
    m_log.error("jobs: what {} asks could not be written: {}", asking.id, written.error().message);
  }
  Entry* entry = entry_of(asking.id);
  if (entry == nullptr || entry->is_ending) {
    co_return;
  }
  entry->job = std::move(asking);
  m_changed.notify_all();
  tell(entry->job);
}

void JobQueue::end(Entry& entry, JobState state, std::optional<Result<mcp::ToolAnswer>> outcome) {
  Job ended = entry.job;
  ended.state = state;
  ended.message.clear();
  ended.requests.clear();
  ended.outcome = std::move(outcome);
  ended.updated_ms = m_options.now_ms();
  entry.is_ending = true;
  std::erase(m_waiting, ended.id);
  Journal::Ticket ticket = m_journal.update(to_row(ended));
  m_tasks.start(tell_end(std::move(ended), std::move(ticket)));
}

asio::awaitable<void> JobQueue::tell_end(Job ended, Journal::Ticket ticket) {
  AWAIT(Result<void> written, m_journal.written(std::move(ticket)));
  if (written) {
    m_entries.erase(ended.id);
  } else {
    m_log.error("jobs: the end of {} could not be written: {}", ended.id, written.error().message);
    if (Entry* entry = entry_of(ended.id)) {
      entry->job = ended;
      entry->is_ending = false; // tidy() tries again
    }
  }
  m_changed.notify_all();
  tell(ended);
  if (written && !m_is_stopping) {
    tidy();
  }
}

asio::awaitable<void> JobQueue::write_again(std::string id, Journal::Ticket ticket) {
  AWAIT(Result<void> written, m_journal.written(std::move(ticket)));
  Entry* entry = entry_of(id);
  if (entry == nullptr) {
    co_return;
  }
  if (written) {
    m_entries.erase(id);
  } else {
    entry->is_ending = false;
  }
  m_changed.notify_all();
}

} // namespace upskill::jobs
