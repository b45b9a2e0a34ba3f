#pragma once
#include "daemon/generation/step_runner.h"
#include "daemon/generation/student_room.h"
#include "daemon/generation/writer.h"
#include "daemon/runtime/asio.h"
#include "skills/generate/description_loop.h"

#include <cstddef>
#include <functional>
#include <string>

namespace upskill::generation {

struct TuningHooks {
  LookAtDraft look = {};                     // what every draft passes
  std::function<std::string()> stopped = {}; // why nothing may be asked any more
  std::function<void(std::size_t done, std::size_t of)> progress = {};
};

// Tries descriptions of a draft on trigger queries, as its loop wants: the first student of the
// room is asked, who must be one that picks its skills.
// Owner: a call. Thread: that of its executor. Lifetime: until run() has returned.
class DescriptionTuning {
public:
  // `writer` and `room` outlive it.
  DescriptionTuning(asio::any_io_executor executor,
                    generate::Draft draft,
                    const eval::CaseSuite& queries,
                    generate::DescriptionOptions options,
                    Writer& writer,
                    StudentRoom& room,
                    TuningHooks hooks);

  // Once, to the end of the loop. Cancelled, and after an exception, as StepRunner::run().
  asio::awaitable<void> run();

  const generate::DescriptionLoop& loop() const { return m_loop; }

private:
  asio::awaitable<void> carry_out(generate::DescriptionStep step);
  asio::awaitable<void> evaluate(generate::DescriptionStep step);
  asio::awaitable<void> improve(generate::DescriptionStep step);
  void note_end();

  generate::DescriptionLoop m_loop;
  Writer& m_writer;
  StudentRoom& m_room;
  TuningHooks m_hooks;
  std::size_t m_done = 0; // samples
  StepRunner m_steps;
};

} // namespace upskill::generation
