#pragma once
#include "daemon/generation/student_room.h"
#include "daemon/generation/writer.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "skills/generate/description_loop.h"

#include <cstddef>
#include <exception>
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

  // Once. Cancelled, it ends what is under way first.
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
  bool m_has_news = false;
  std::exception_ptr m_failure = {}; // a bug of ours
  runtime::Condition m_changed;
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::generation
