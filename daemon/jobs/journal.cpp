#include "daemon/jobs/journal.h"

#include "daemon/await.h"
#include "daemon/jobs/job.h"

#include <algorithm>
#include <exception>

namespace upskill::jobs {
namespace {

// The end of a job whose daemon ended before it.
Error cut_off_error() {
  return {ErrorCode::cancelled,
          "the daemon was restarted while it ran",
          "start it again; what it had done is kept"};
}

} // namespace

Journal::Journal(asio::any_io_executor executor, telemetry::Log& log, JournalOptions options)
    : m_log(log)
    , m_options(std::move(options))
    , m_turns(executor)
    , m_committed(executor)
    , m_tasks(std::move(executor), [](std::exception_ptr failure) {
      std::rethrow_exception(std::move(failure)); // a bug: write_all() catches what it meets
    }) {}

Journal::Ticket Journal::put(store::JobRow row, bool is_new) {
  std::vector<Write>& writes = m_filling->writes;
  auto known = std::ranges::find(writes, row.id, [](const Write& write) { return write.row.id; });
  Ticket ticket{m_filling, static_cast<std::size_t>(known - writes.begin())};
  if (known != writes.end()) {
    known->row = std::move(row);
  } else {
    writes.push_back({std::move(row), is_new});
  }
  if (!m_is_writing) {
    m_is_writing = true;
    m_tasks.start(write_all());
  }
  return ticket;
}

asio::awaitable<Result<void>> Journal::written(Ticket ticket) {
  while (!ticket.batch->is_done()) {
    co_await m_committed.wait();
  }
  co_return ticket.batch->outcomes[ticket.at];
}

asio::awaitable<void> Journal::write_all() {
  while (!m_filling->writes.empty()) {
    runtime::Turns::Ticket ticket(m_turns);
    auto turn = ticket.called();
    co_await std::move(turn);
    // Taken in turn: what was put while another had it goes along.
    std::shared_ptr<Batch> batch = std::exchange(m_filling, std::make_shared<Batch>());
    std::int64_t now_ms = m_options.now_ms();
    auto job = [this, batch, now_ms] { return commit_all(batch->writes, now_ms); };
    std::vector<Result<void>> outcomes(
        batch->writes.size(), fail(ErrorCode::internal, "jobs.db: writing ended by an exception"));
    try {
      AWAIT(outcomes, runtime::offload(m_options.pool(), std::move(job)));
    } catch (const std::exception& problem) {
      m_log.error("jobs: writing to jobs.db: {}", problem.what());
    }
    batch->outcomes = std::move(outcomes);
    batch->writes.clear(); // which may be large, and tickets are kept
    m_committed.notify_all();
  }
  m_is_writing = false;
}

// What cannot be written, as a long result on a disk that is nearly full, keeps nothing else out.
std::vector<Result<void>> Journal::commit_all(const std::vector<Write>& writes,
                                              std::int64_t now_ms) {
  Result<void> together = open(now_ms);
  if (!together) {
    return std::vector<Result<void>>(writes.size(), together);
  }
  together = commit(writes, now_ms);
  std::vector<Result<void>> outcomes(writes.size(), together);
  if (together || writes.size() == 1) {
    return outcomes;
  }
  // Another program has the database: waiting for it once for each row would take minutes.
  bool is_busy = together.error().code == ErrorCode::busy;
  for (std::size_t i = 0; i < writes.size() && !is_busy; ++i) {
    outcomes[i] = commit(std::span(&writes[i], 1), now_ms);
    is_busy = !outcomes[i] && outcomes[i].error().code == ErrorCode::busy;
  }
  return outcomes;
}

Result<void> Journal::commit(std::span<const Write> writes, std::int64_t now_ms) {
  TRY_ASSIGN(store::Transaction transaction, m_store->begin());
  for (const Write& write : writes) {
    if (write.is_new) {
      TRY(m_store->insert(write.row));
    } else if (Result<void> done = m_store->update(write.row);
               !done && done.error().code != ErrorCode::not_found) {
      return done; // a job whose row is gone is told about all the same
    }
  }
  TRY(m_store->purge(now_ms, m_options.finished_kept));
  return transaction.commit();
}

Result<void> Journal::open(std::int64_t now_ms) {
  if (m_store) {
    return {};
  }
  TRY_ASSIGN(store::JobStore store, open_or_begin_anew(now_ms));
  TRY_ASSIGN(std::vector<store::JobRow> unfinished, store.unfinished());
  if (!unfinished.empty()) {
    TRY(store.fail_unfinished({}, stored_error(cut_off_error()), now_ms));
  }
  TRY(store.purge(now_ms, m_options.finished_kept));
  for (store::JobRow& row : unfinished) {
    m_cut_off.push_back(std::move(row.id));
  }
  m_store.emplace(std::move(store));
  return {};
}

// What is damaged is put aside: no more than the list of past jobs is lost by it.
Result<store::JobStore> Journal::open_or_begin_anew(std::int64_t now_ms) {
  Result<store::JobStore> store = store::JobStore::open(m_options.path);
  if (store || store.error().code != ErrorCode::corrupt) {
    return store;
  }
  m_log.warning("jobs: {}", store.error().message);
  TRY_ASSIGN(std::string aside, store::set_aside_database(m_options.path, now_ms));
  m_log.warning("jobs: what was in `{}` is now in `{}`", m_options.path, aside);
  return store::JobStore::open(m_options.path);
}

asio::awaitable<void> Journal::stop() {
  return m_tasks.join();
}

} // namespace upskill::jobs
