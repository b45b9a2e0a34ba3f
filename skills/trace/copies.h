#pragma once
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/novelty.h"
#include "skills/trace/recent_ids.h"

#include <cstddef>
#include <cstdint>
#include <unordered_set>

namespace upskill::trace {

// Leaves out what a session that was read before has, too: a fork begins as what it was forked from
// (facts: traces.md, 1.1 and 1.2). Records are known by their ids; those of Codex have none, and
// its forks and helpers replay whole turns, which are known by theirs: other programs count turns
// from 0. The first session that has one keeps it, and may write it again; what a fork is known to
// replay is not the fork's, and goes by for whoever counts it.
// Owner: whoever reads several sessions, one of these for each. Thread: any, one at a time.
class DropCopies : public EventSink {
public:
  // `seen` is of all sessions that were read before, and gets what this one has. Both outlive it.
  DropCopies(Format format, RecentIds& seen, EventSink& next)
      : m_has_turns(format == Format::codex)
      , m_seen(seen)
      , m_next(next) {}

  void take(const Event& event) override;

private:
  static constexpr std::size_t k_most_turns = 65'536; // of one session; what is over is no copy

  bool is_copy(const Envelope& record);
  void enter_turn(std::string_view turn);

  bool m_has_turns;
  RecentIds& m_seen;
  RecentIds m_own = {}; // ids that no session before had
  EventSink& m_next;
  Novelties m_novelties{512}; // only of what is replayed
  std::uint64_t m_record = 0; // offset
  bool m_is_first = true;
  bool m_is_copy = false;                         // the record
  bool m_is_replayed = false;                     // the turn that it is in
  std::unordered_set<std::uint64_t> m_turns = {}; // of this session alone, as hashes
};

} // namespace upskill::trace
