#pragma once
#include "daemon/generation/sampling_desk.h"
#include "daemon/generation/step_runner.h"
#include "daemon/generation/student_room.h"
#include "daemon/generation/writer.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "skills/generate/loop.h"
#include "skills/generate/prompts.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::generation {

// What a skill is made of. `brief.evidence` is not used: each session's is in `evidence`.
struct GenerationInputs {
  generate::Brief brief = {};
  std::vector<std::string> evidence = {};         // of one session: drafted from; of several: a
                                                  // lesson each, and a draft of all lessons
  std::string held_out = {};                      // evidence that only test cases are made of
  std::optional<generate::Draft> current = {};    // a skill that is improved
  std::optional<students::OfferedSkill> old = {}; // the same, as students meet it
  eval::CaseSuite own_cases = {};                 // of that skill
  generate::LoopOptions loop = {};
};

// Who writes; all outlive the generation.
struct Writers {
  Writer& teacher;
  Writer& cases;
  Writer* counterexamples = nullptr;
};

struct GenerationHooks {
  LookAtDraft look = {};
  // Why nothing may be asked any more; empty while it may.
  std::function<std::string()> stopped = {};
  std::function<void(std::size_t done, std::size_t of, std::string_view doing)> progress = {};
  // Where the calling agent is the teacher.
  SamplingDesk* sampling = nullptr;
};

// Carries out what a loop wants: everything that does not depend on something else at the same
// time. Owner: a call. Thread: that of its executor. Lifetime: until run() has returned.
class Generation {
public:
  // `room` outlives it.
  Generation(asio::any_io_executor executor,
             GenerationInputs inputs,
             Writers writers,
             StudentRoom& room,
             GenerationHooks hooks);

  // Once: to the end of the loop, or until nothing can go on before the client has answered
  // (needs_client()). Cancelled, and after an exception, as StepRunner::run().
  asio::awaitable<void> run();

  const generate::Loop& loop() const { return m_loop; }

  bool needs_client() const { return m_needs_client; }

  // Samples that were answered before.
  std::size_t cached() const { return m_cached; }

private:
  using DraftFiles = std::map<std::string, generate::DraftFile>;
  class Asking;

  void begin_steps();
  asio::awaitable<void> carry_out(generate::Step step);
  asio::awaitable<void> work_of(generate::Step step);
  asio::awaitable<void> write_cases(generate::Step step);
  asio::awaitable<void> write_draft(generate::Step step);
  asio::awaitable<void> refine(generate::Step step);
  asio::awaitable<void> look_for_counterexamples(generate::Step step);
  asio::awaitable<void> evaluate(generate::Step step);
  // Nothing: no session has a lesson.
  asio::awaitable<Result<std::optional<generate::Prompt>>> first_prompt();
  asio::awaitable<void> learn(std::size_t number);
  asio::awaitable<Result<generate::DraftReply>>
  ask_for_draft(generate::Prompt prompt, DraftFiles before, std::uint32_t sample);
  generate::CasesWanted cases_wanted() const;
  bool waits_for_client() const;
  void note_end();
  void tell(std::string_view doing);

  GenerationInputs m_inputs;
  Writers m_writers;
  StudentRoom& m_room;
  GenerationHooks m_hooks;
  generate::Loop m_loop;
  std::vector<std::optional<Result<std::string>>> m_lessons = {};
  std::size_t m_evaluating = 0; // steps
  std::size_t m_asking = 0;     // questions to writers
  std::size_t m_done = 0;       // samples and texts
  std::size_t m_planned = 0;
  std::size_t m_cached = 0;
  bool m_is_learning = false;
  bool m_needs_client = false;
  runtime::Condition m_learned; // a lesson came
  StepRunner m_steps;
};

} // namespace upskill::generation
