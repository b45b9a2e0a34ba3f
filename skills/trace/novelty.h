#pragma once
#include "skills/trace/event.h"
#include "skills/trace/recent_ids.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace upskill::trace {

// How an event stands to what its own file says elsewhere.
enum class Novelty : std::uint8_t {
  fresh,
  repeated, // an earlier record of the same id said it
  replayed  // of the session that this one was forked from
};

// Tells of each event of one file whether it is new. Some programs write a record again, whole and
// with the same id, when there is more of it: of such a one only what the earlier ones did not say
// is fresh, known by its call, or its place and length. A fork begins with what it was forked from
// (facts: traces.md, 1.1 and 1.2): only what the file itself tells is believed, which is where a
// copied record names the session it is from, is older than the fork, or is of a turn that is.
// Memory is bounded, and can be kept. Owner: a stage. Thread: any, one at a time.
class Novelties {
public:
  static constexpr std::size_t k_slots = 131072;

  // `slots`: a power of two; at least half as many events are remembered.
  explicit Novelties(std::size_t slots = k_slots)
      : m_ids(slots) {}

  // Every event of the file, in order.
  Novelty of(const Event& event);

private:
  friend struct NoveltyState;

  void begin_record(const Event& event);
  bool is_replay(const Event& event);
  void enter_turn(std::string_view turn);
  bool is_repeated(const Event& event);

  RecentIds m_ids;
  // Of the record that is read; nothing of it is kept.
  std::optional<std::uint64_t> m_record = {};
  std::uint64_t m_id = 0;
  std::array<std::uint16_t, EnumNames<EventForm>::names.size()> m_said = {}; // events by form
  bool m_is_replayed = false;
  // Of the file.
  std::string m_session = {};                 // its own id
  std::optional<std::int64_t> m_made_ms = {}; // when it began, Unix time
  bool m_is_forked = false;
  bool m_is_replaying = false; // up to the next turn
  bool m_has_turns = false;    // one was entered
};

} // namespace upskill::trace
