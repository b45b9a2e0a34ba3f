#include "skills/trace/copies.h"

#include <string>

namespace upskill::trace {

void DropCopies::take(const Event& event) {
  const Envelope& envelope = *event.envelope;
  if (m_novelties.of(event) == Novelty::replayed) {
    return m_next.take(event);
  }
  if (m_is_first || m_record != envelope.offset) {
    m_is_first = false;
    m_record = envelope.offset;
    m_is_copy = is_copy(envelope);
  }
  if (!m_is_copy) {
    m_next.take(event);
  }
}

bool DropCopies::is_copy(const Envelope& record) {
  if (!record.id.empty()) {
    if (m_seen.insert(record.id)) {
      m_own.insert(record.id);
      return false;
    }
    return !m_own.contains(record.id);
  }
  if (m_has_turns && !record.turn.empty()) {
    enter_turn(record.turn);
  }
  return m_is_replayed;
}

// What follows belongs to it until a record names another turn.
void DropCopies::enter_turn(std::string_view turn) {
  std::uint64_t hash = stable_hash(turn);
  if (m_turns.contains(hash)) {
    m_is_replayed = false;
    return;
  }
  // Marked, so that no record's id is taken for it.
  bool is_new = m_seen.insert("turn " + std::string(turn));
  m_is_replayed = !is_new && m_turns.size() < k_most_turns;
  if (!m_is_replayed && m_turns.size() < k_most_turns) {
    m_turns.insert(hash);
  }
}

} // namespace upskill::trace
