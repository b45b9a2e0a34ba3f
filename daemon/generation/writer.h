#pragma once
#include "daemon/evals/ask_and_read.h"
#include "daemon/evals/spending.h"
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "skills/eval/case.h"
#include "skills/generate/draft.h"
#include "skills/generate/prompt.h"
#include "skills/generate/prompts.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace upskill::generation {

// Looks at a draft before it counts as one, and mends what can be mended; what the teacher must
// mend is an error. `is_last`: nobody will be asked again, so what can be done without is left out.
using LookAtDraft =
    std::function<asio::awaitable<Result<generate::Draft>>(generate::Draft draft, bool is_last)>;

// A model that writes: drafts, lessons, test cases, queries, descriptions. Each is asked for once
// more where it cannot be used, with what is wrong with it.
// Owner: a generation. Thread: that of its executor. Lifetime: longer than what it writes.
class Writer {
public:
  // `model` outlives it, and is asked as `name`.
  Writer(models::Model& model, std::string name);

  const std::string& name() const { return m_name; }

  // Errors of all of them: those of evals::ask_and_read.
  asio::awaitable<Result<generate::DraftReply>> draft(generate::Prompt prompt,
                                                      generate::DraftWanted wanted,
                                                      LookAtDraft look,
                                                      std::uint32_t sample);
  asio::awaitable<Result<std::string>> lesson(generate::Prompt prompt);
  asio::awaitable<Result<eval::CaseSuite>> cases(generate::CasesWanted wanted);
  asio::awaitable<Result<eval::CaseSuite>>
  counterexamples(generate::Brief brief, generate::Draft draft, std::size_t count);
  asio::awaitable<Result<eval::CaseSuite>>
  queries(generate::Draft draft, std::string task, std::size_t count);
  asio::awaitable<Result<std::string>> description(generate::Prompt prompt);

  const evals::Spending& spent() const { return m_spent; }

private:
  template <class T>
  asio::awaitable<Result<T>> write(generate::Prompt prompt,
                                   std::string_view written,
                                   std::function<Result<T>(std::string_view)> read);

  models::Model& m_model;
  std::string m_name;
  evals::Spending m_spent = {};
};

} // namespace upskill::generation
