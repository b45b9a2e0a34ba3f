#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "protocol/types/eval_reports.h"
#include "skills/regression/test.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>

namespace upskill::regression {

struct TestRunOptions {
  std::size_t in_flight = 4;
  // Draws one; nothing where it may not be asked, because nobody has said go.
  std::function<asio::awaitable<std::optional<EvalSample>>(WantedSample wanted)> draw = {};
  // Before each sample, with how many are under way; false while these may take what is left of the
  // budget, and with none of them: it is spent.
  std::function<bool(std::size_t under_way)> may_ask = [](std::size_t) { return true; };
  // Each sample as it comes in, errors too: for a journal, a budget, and whoever looks on.
  std::function<void(const WantedSample& wanted, const EvalSample& sample)> drawn = {};
};

// Draws the samples of one test, some at a time, until it has decided or nothing more may be asked.
// Owner: a watched skill. Thread: that of its executor only. Lifetime: until run() has returned.
class TestRun {
public:
  // `test` outlives it; outcomes that are known already were added to it.
  TestRun(asio::any_io_executor executor, Test& test, TestRunOptions options);

  // Once. Cancelled, it ends what is under way first, and leaves the test as far as it is; so it
  // does after an exception of `draw`, which is thrown on. Samples that are still under way when
  // the test decides are cancelled: nobody needs them.
  asio::awaitable<void> run();

private:
  asio::awaitable<void> draw_next();

  Test& m_test;
  std::size_t m_under_way = 0;
  TestRunOptions m_options;
  std::optional<WatchReason> m_end = {}; // why nothing more is asked, though nothing is decided
  std::exception_ptr m_failure = {};     // a bug of ours
  runtime::Condition m_added;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::regression
