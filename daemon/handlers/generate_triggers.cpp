#include "daemon/handlers/generate_triggers.h"

#include "daemon/await.h"

#include <utility>

namespace upskill::daemon {
asio::awaitable<Result<GenerateTriggers>> tune_description(TriggerTuning tuning,
                                                           generate::Draft& draft) {
  AWAIT(Result<eval::CaseSuite> queries,
        tuning.cases.queries(draft, tuning.task, k_trigger_queries));
  CO_TRY(queries);
  generate::DescriptionOptions options;
  options.runs = tuning.room.options().runs;
  options.seed = tuning.seed;
  generation::DescriptionTuning work(tuning.executor,
                                     draft,
                                     *queries,
                                     options,
                                     tuning.teacher,
                                     tuning.room,
                                     std::move(tuning.hooks));
  AWAIT_DONE(work.run());
  const generate::DescriptionLoop& loop = work.loop();
  const generate::DescriptionEnding& ending = *loop.ending();
  if (ending.error) {
    co_return fail(*ending.error);
  }
  GenerateTriggers told;
  told.train = static_cast<std::int64_t>(loop.train_queries());
  told.held_out = static_cast<std::int64_t>(loop.held_out_queries());
  told.before = loop.trigger(0).value_or(EvalTrigger());
  told.after = loop.trigger(ending.description).value_or(EvalTrigger());
  told.changed = ending.description != 0;
  told.why = ending.why;
  draft = loop.draft(ending.description);
  co_return told;
}

} // namespace upskill::daemon
