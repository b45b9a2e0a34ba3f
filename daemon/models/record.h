#pragma once
#include "daemon/models/cassette.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/turns.h"

#include <memory>

namespace upskill::models {

// A model whose answers go into a cassette, too, refusals included: a replay shall tell the same.
// An answer that cannot be recorded is an error. Files are written on the pool, one at a time.
// Owner, thread, lifetime: as the model that it decorates, which it owns.
class RecordingModel : public Model {
public:
  RecordingModel(asio::any_io_executor executor,
                 std::unique_ptr<Model> inner,
                 Identify identify,
                 Cassette cassette,
                 runtime::Pool::Share pool);

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  std::unique_ptr<Model> m_inner;
  Questions m_questions;
  Cassette m_cassette;
  runtime::Pool::Share m_pool;
  runtime::Turns m_turns;
};

// Who answers from a cassette and asks nobody: what is not in it is not_found. Each file is read on
// the pool when it is asked for: thousands of long ones need not fit into memory. Answers have
// `cached` set: nothing was spent.
// Owner: an evaluation. Thread: that of its executor only. Lifetime: longer than its answers take.
class ReplayModel : public Model {
public:
  ReplayModel(Identify identify, Cassette cassette, runtime::Pool::Share pool);

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  Questions m_questions;
  Cassette m_cassette;
  runtime::Pool::Share m_pool;
};

} // namespace upskill::models
