#pragma once
#include "skills/distill/distilled.h"
#include "skills/trace/event.h"
#include "skills/trace/remarks.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace upskill::distill {

// The beats of a session as they come, the last 4,096 of them. Owner: a Distiller. Thread: any, one
// at a time.
class BeatLog {
public:
  // A record that is a prompt; the beat before it is over.
  void begin(const trace::Envelope& envelope);
  // How its words begin, and what they say about the beat before it; the first words count.
  void say(std::string beginning, trace::Remark remark);

  // Whether the agent did something in the beat before, so that words may be about it.
  bool may_remark() const { return m_before.has_acted; }

  // Something that happened now.
  void extend(const trace::Envelope& envelope);
  void act();
  void answer();
  void fail();
  void succeed();
  void interrupt();
  void label(Label label);

  // The one that events belong to now.
  std::uint32_t number() const { return m_number; }

  // One of those that are still known.
  const Beat* find(std::uint32_t number) const;

  // All that are known. The last one's outcome is that of now.
  std::vector<Beat> beats() const;

  std::uint64_t count() const { return m_count; }

private:
  Beat& current();

  std::deque<Beat> m_beats = {};
  std::uint32_t m_number = 0;
  std::uint64_t m_count = 0;
  trace::Course m_course = {};
  trace::Course m_before = {};
};

} // namespace upskill::distill
