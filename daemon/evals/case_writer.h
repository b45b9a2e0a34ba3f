#pragma once
#include "daemon/evals/spending.h"
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "skills/eval/case.h"
#include "skills/generate/test_cases.h"

#include <string>

namespace upskill::evals {

// Has a model write test cases for a skill that has none.
// Owner: a call. Thread: that of its executor. Lifetime: until write() has returned.
class CaseWriter {
public:
  // `model` outlives it, and is asked as `model_name`.
  CaseWriter(models::Model& model, std::string model_name);

  // A reply that cannot be read is asked for once more, with what is wrong with it. Errors: the
  // model's own; refused; corrupt where the second reply cannot be read either.
  asio::awaitable<Result<eval::CaseSuite>> write(generate::CaseRequest request);

  const Spending& spent() const { return m_spent; }

private:
  models::Model& m_model;
  std::string m_model_name;
  Spending m_spent = {};
};

} // namespace upskill::evals
