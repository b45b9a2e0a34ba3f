#include "daemon/generation/description_tuning.h"

#include "daemon/await.h"

#include <utility>

namespace upskill::generation {

using generate::DescriptionStep;

DescriptionTuning::DescriptionTuning(asio::any_io_executor executor,
                                     generate::Draft draft,
                                     const eval::CaseSuite& queries,
                                     generate::DescriptionOptions options,
                                     Writer& writer,
                                     StudentRoom& room,
                                     TuningHooks hooks)
    : m_loop(std::move(draft), queries, options)
    , m_writer(writer)
    , m_room(room)
    , m_hooks(std::move(hooks))
    , m_steps(executor) {}

asio::awaitable<void> DescriptionTuning::run() {
  StepHooks hooks;
  hooks.begin = [this] {
    for (DescriptionStep& step : m_loop.take_steps()) {
      m_steps.start(carry_out(std::move(step)));
    }
  };
  hooks.is_over = [this] { return m_loop.ending().has_value(); };
  AWAIT_DONE(m_steps.run(std::move(hooks)));
}

void DescriptionTuning::note_end() {
  std::string why = m_hooks.stopped ? m_hooks.stopped() : std::string();
  if (!why.empty()) {
    m_loop.stop(std::move(why));
  }
}

asio::awaitable<void> DescriptionTuning::carry_out(DescriptionStep step) {
  if (step.kind == DescriptionStep::Kind::evaluate) {
    AWAIT_DONE(evaluate(std::move(step)));
  } else {
    AWAIT_DONE(improve(std::move(step)));
  }
}

asio::awaitable<void> DescriptionTuning::evaluate(DescriptionStep step) {
  generate::Draft draft = m_loop.draft(step.description);
  students::OfferedSkill skill = offered(draft);
  auto progress = [this] {
    ++m_done;
    if (m_hooks.progress) {
      m_hooks.progress(m_done, m_loop.planned_samples());
    }
  };
  AWAIT(
      Result<Examined> examined,
      m_room.examine(
          0, part_of(m_loop.suite(), step.queries), std::move(skill), std::move(draft), progress));
  note_end();
  m_loop.evaluated(step.id, samples_of(std::move(examined)));
}

// A description is looked at as a part of its draft.
asio::awaitable<void> DescriptionTuning::improve(DescriptionStep step) {
  generate::Draft draft = m_loop.draft(step.description);
  generate::Prompt prompt = generate::describe_prompt(draft, m_loop.misfires_of(step.description));
  AWAIT(Result<std::string> written, m_writer.description(std::move(prompt)));
  if (written && m_hooks.look) {
    draft.description = std::move(*written);
    AWAIT(Result<generate::Draft> seen, m_hooks.look(std::move(draft), true));
    written = seen ? Result<std::string>(std::move(seen->description))
                   : Result<std::string>(fail(std::move(seen).error()));
  }
  note_end();
  m_loop.improved(step.id, std::move(written));
}

} // namespace upskill::generation
