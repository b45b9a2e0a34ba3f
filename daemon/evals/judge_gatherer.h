#pragma once
#include "daemon/evals/gatherer.h"
#include "daemon/evals/spending.h"
#include "daemon/models/model.h"
#include "skills/eval/judge.h"

#include <optional>
#include <string>

namespace upskill::evals {

// Asks a model what `judge` and `at_least_as_good` want to know, one question after the other; as
// many samples do so at a time as the evaluation has in flight. A judge that cannot be asked leaves
// an opinion that says why. Behind gatherers of files: it looks into them.
// Owner: a call. Thread: that of the evaluation's executor. Lifetime: longer than the evaluation.
class JudgeGatherer : public Gatherer {
public:
  // Null: no judge is named. `model` outlives it, and is asked as `model_name`.
  JudgeGatherer(models::Model* model, std::string model_name);

  asio::awaitable<void>
  gather(const eval::Case& one, const eval::Needs& needs, students::Work& work) override;

  const Spending& spent() const { return m_spent; }

  // Why the first question that could not be asked could not.
  const std::optional<Error>& first_error() const { return m_first_error; }

private:
  asio::awaitable<Result<std::string>> ask(eval::JudgePrompt prompt);

  models::Model* m_model;
  std::string m_model_name;
  Spending m_spent = {};
  std::optional<Error> m_first_error = {};
};

} // namespace upskill::evals
