#include "skills/trace/novelty.h"

#include "protocol/base/utf8.h"

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_session = 1024; // bytes of an id

std::uint64_t joined(std::uint64_t hash, std::uint64_t more) {
  return (hash ^ more) * 0x9E3779B97F4A7C15u + (hash << 7) + (hash >> 5);
}

// When an id was made, where it is a UUID of version 7, which begin with that (RFC 9562, 5.7).
std::optional<std::int64_t> time_of_id(std::string_view id) {
  if (id.size() != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7') {
    return std::nullopt;
  }
  std::int64_t time_ms = 0;
  for (std::size_t i = 0; i < 13; ++i) {
    char c = id[i];
    if (i == 8) {
      continue;
    }
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) {
      return std::nullopt;
    }
    time_ms = time_ms * 16 + digit;
  }
  return time_ms;
}

} // namespace

Novelty Novelties::of(const Event& event) {
  if (m_record != event.envelope->offset) {
    m_record = event.envelope->offset;
    begin_record(event);
  }
  if (m_is_replayed) {
    return Novelty::replayed;
  }
  return is_repeated(event) ? Novelty::repeated : Novelty::fresh;
}

void Novelties::begin_record(const Event& event) {
  const Envelope& envelope = *event.envelope;
  m_id = envelope.id.empty() ? 0 : stable_hash(envelope.id);
  m_said.fill(0);
  m_is_replayed = is_replay(event);
}

bool Novelties::is_replay(const Event& first) {
  const Envelope& record = *first.envelope;
  bool is_head = first.form == EventForm::session;
  if (m_session.empty() && !record.session.empty()) {
    m_session = utf8_prefix(record.session, k_max_session);
    m_made_ms = is_head ? record.time_ms : std::nullopt;
  }
  if (is_head) {
    if (m_is_forked && !record.session.empty() && record.session != m_session) {
      // Codex: the head of the other one, and then what it said.
      m_is_replaying = true;
      return true;
    }
    m_is_forked = m_is_forked || !record.forked_from.empty() || record.is_sidechain;
    return false;
  }
  if (!record.forked_from.empty()) {
    return true;
  }
  if (!m_is_forked) {
    return false;
  }
  if (m_made_ms && record.time_ms && *record.time_ms < *m_made_ms) {
    return true;
  }
  if (!record.turn.empty()) {
    enter_turn(record.turn);
  } else if (!m_has_turns && first.kind == EventKind::user && first.form == EventForm::prompt) {
    m_is_replaying = false; // no turn tells whose it is: better twice than never
  }
  return m_is_replaying;
}

// Times of what is replayed are those of the fork, but ids of turns stay what they were.
void Novelties::enter_turn(std::string_view turn) {
  std::optional<std::int64_t> own = time_of_id(m_session);
  std::optional<std::int64_t> begun = time_of_id(turn);
  m_has_turns = true;
  m_is_replaying = own && begun && *begun < *own;
}

bool Novelties::is_repeated(const Event& event) {
  std::uint64_t place = m_said[static_cast<std::size_t>(event.form)]++;
  if (m_id == 0) {
    return false;
  }
  std::uint64_t key = joined(m_id, static_cast<std::uint64_t>(event.form) + 1);
  if (event.call.empty()) {
    key = joined(joined(key, place), event.text.raw_size());
  } else {
    key = joined(key, stable_hash(event.call));
  }
  return !m_ids.insert(key);
}

} // namespace upskill::trace
