#pragma once
#include "daemon/handlers/eval_models.h"
#include "daemon/handlers/eval_request.h"
#include "daemon/handlers/eval_students.h"
#include "protocol/types/watch_reports.h"
#include "skills/regression/test.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace upskill::daemon {

// One version of a skill against another one (EvalRequest::against), or against no skill at all, by
// one model and student, with the cases of the newer one. All outlives the test.
struct VersionTest {
  const Workshop& workshop;
  const EvalParams& params;
  const EvalRequest& request;
  EvalModels& models;
  EvalModels& known; // the same, but only what was answered before counts
  bool& missing;     // set where that wants an answer that is not there
  StudentName name = {};
  WatchMeasure measure = WatchMeasure::forced;
  std::uint32_t runs = 3;                      // of each case, by the other version
  regression::TestOptions options = {};        // but for `accepted`, which is drawn
  std::string other = "the base";              // what people call that one
  std::function<void(std::size_t)> drawn = {}; // so many samples were, since it began
};

// Draws the samples of the other version first, then as many of the newer one as the test wants.
// What is in the cache of answers is not asked again: where that decides, nobody is. Cancelled, it
// ends what is under way first. Without an outcome of the other version, or of the budget, the
// verdict is undecided and says why. Errors: what opening a student gives.
asio::awaitable<Result<WatchedSubject>> hold_versions(VersionTest test);

} // namespace upskill::daemon
