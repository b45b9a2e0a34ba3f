#pragma once
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/types/evals.h"
#include "skills/eval/grade.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::students {

// One case for a student, with the skill or without. Checks and expected texts are not in it: what
// is graded is never shown to who is graded.
struct Task {
  std::string input = {};
  std::map<std::string, std::string> files = {}; // text by relative path
  EvalArm arm = EvalArm::with_skill;
  std::uint32_t sample = 1; // tells repetitions apart
};

// What a student made of it.
struct Work {
  eval::Observation observation = {};
  models::Usage usage = {};
  std::optional<double> cost = {};
  std::int64_t milliseconds = 0;
  std::string model = {}; // as the server names it
};

// Who answers cases. An error is nobody's failure: the model was not there, the budget is spent.
// Owner: an evaluation. Thread: that of its executor only. Lifetime: longer than its work.
class Student {
public:
  virtual ~Student() = default;

  virtual std::string_view name() const = 0; // `chat`, ...
  virtual asio::awaitable<Result<Work>> work(Task task) = 0;
};

} // namespace upskill::students
