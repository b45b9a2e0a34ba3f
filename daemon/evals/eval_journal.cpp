#include "daemon/evals/eval_journal.h"

#include "daemon/await.h"

#include <exception>

namespace upskill::evals {
namespace {

// Of what waits to be written.
constexpr std::size_t k_most_writes = 1024;
constexpr std::size_t k_most_bytes = 32u << 20;

} // namespace

EvalJournal::EvalJournal(asio::any_io_executor executor,
                         telemetry::Log& log,
                         EvalJournalOptions options)
    : m_log(log)
    , m_options(std::move(options))
    , m_turns(executor)
    , m_served(executor)
    , m_tasks(std::move(executor), [](std::exception_ptr failure) {
      std::rethrow_exception(std::move(failure)); // a bug: serve_all() catches what it meets
    }) {}

asio::awaitable<std::optional<std::string>> EvalJournal::lookup(models::AnswerKey key) {
  std::shared_ptr<Batch> batch = m_filling;
  std::size_t at = batch->reads.size();
  batch->reads.push_back({.key = key});
  serve_soon();
  while (!batch->is_done) {
    co_await m_served.wait();
  }
  co_return std::move(batch->reads[at].value);
}

asio::awaitable<void> EvalJournal::keep(models::AnswerKey key, std::string value, Keep which) {
  while (m_filling->writes.size() >= k_most_writes || m_filling->bytes >= k_most_bytes) {
    co_await m_served.wait();
  }
  m_filling->bytes += value.size();
  m_filling->writes.push_back({key, std::move(value), which});
  serve_soon();
}

void EvalJournal::serve_soon() {
  if (!m_is_serving) {
    m_is_serving = true;
    m_tasks.start(serve_all());
  }
}

asio::awaitable<void> EvalJournal::serve_all() {
  while (!m_filling->is_empty()) {
    runtime::Turns::Ticket ticket(m_turns);
    AWAIT_DONE(ticket.called());
    // Taken in turn: what was put while another had it goes along.
    std::shared_ptr<Batch> batch = std::exchange(m_filling, std::make_shared<Batch>());
    std::int64_t now_ms = m_options.now_ms();
    auto job = [this, batch, now_ms] { serve(*batch, now_ms); };
    try {
      AWAIT_DONE(runtime::offload(m_options.pool(), std::move(job)));
    } catch (const std::exception& problem) {
      batch->problem = problem.what();
    }
    tell(batch->problem);
    batch->writes.clear();
    batch->is_done = true;
    m_served.notify_all();
  }
  m_is_serving = false;
}

// Once for each problem: a disk that is full is no news with every answer.
void EvalJournal::tell(const std::string& problem) {
  if (!problem.empty() && problem != m_told) {
    m_log.warning("evals: answers are not kept: {}", problem);
  }
  m_told = problem;
}

void EvalJournal::serve(Batch& batch, std::int64_t now_ms) {
  Result<void> done = open(now_ms);
  if (done && !batch.writes.empty()) {
    done = write(batch.writes, now_ms);
  }
  if (!done) {
    batch.problem = done.error().message;
  }
  if (m_store && !batch.reads.empty()) {
    Result<void> found = read(batch.reads, now_ms);
    if (!found) {
      batch.problem = found.error().message;
    }
  }
}

Result<void> EvalJournal::write(const std::vector<Write>& writes, std::int64_t now_ms) {
  TRY_ASSIGN(store::Transaction transaction, m_store->begin());
  for (const Write& one : writes) {
    Result<void> written;
    if (one.which == Keep::newest) {
      written = m_store->replace_answer(one.key.question, one.key.sample, one.value, now_ms);
    } else if (auto added =
                   m_store->add_answer(one.key.question, one.key.sample, one.value, now_ms);
               !added) {
      written = fail(std::move(added).error());
    }
    if (!written && written.error().code != ErrorCode::too_large) {
      return written; // and a long one keeps no other out
    }
  }
  TRY(m_store->purge_answers());
  return transaction.commit();
}

Result<void> EvalJournal::read(std::vector<Read>& reads, std::int64_t now_ms) {
  for (Read& one : reads) {
    TRY_ASSIGN(std::optional<store::AnswerRow> row,
               m_store->find_answer(one.key.question, one.key.sample, now_ms));
    if (row) {
      one.value = std::move(row->value);
    }
  }
  return {};
}

Result<void> EvalJournal::open(std::int64_t now_ms) {
  if (m_store) {
    return {};
  }
  Result<store::EvalStore> opened = store::EvalStore::open(m_options.path, m_options.bounds);
  if (!opened && opened.error().code == ErrorCode::corrupt) {
    m_log.warning("evals: {}", opened.error().message);
    TRY_ASSIGN(std::string aside, store::set_aside_database(m_options.path, now_ms));
    m_log.warning("evals: what was in `{}` is now in `{}`", m_options.path, aside);
    opened = store::EvalStore::open(m_options.path, m_options.bounds);
  }
  TRY_ASSIGN(store::EvalStore store, std::move(opened));
  m_store.emplace(std::move(store));
  return {};
}

asio::awaitable<void> EvalJournal::rest() {
  runtime::Turns::Ticket ticket(m_turns);
  AWAIT_DONE(ticket.called());
  auto job = [this] { m_store.reset(); };
  AWAIT_DONE(runtime::offload(m_options.pool(), std::move(job)));
}

asio::awaitable<void> EvalJournal::stop() {
  return m_tasks.join();
}

} // namespace upskill::evals
