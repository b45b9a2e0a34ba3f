#include "skills/distill/beat_log.h"

#include <utility>

namespace upskill::distill {
namespace {

constexpr std::size_t k_beats = 4096;

void set(Beat& beat, Label label) {
  beat.labels[static_cast<std::size_t>(label)] = true;
}

} // namespace

void BeatLog::begin(const trace::Envelope& envelope) {
  if (!m_beats.empty()) {
    m_beats.back().outcome = outcome_of(m_course, trace::Remark::none);
  }
  ++m_number;
  ++m_count;
  m_before = std::exchange(m_course, trace::Course{});
  Beat& beat = m_beats.emplace_back();
  beat.number = m_number;
  beat.begin = envelope.offset;
  beat.end = envelope.offset + envelope.length;
  beat.time_ms = envelope.time_ms;
  if (m_beats.size() > k_beats) {
    m_beats.pop_front();
  }
}

void BeatLog::say(std::string beginning, trace::Remark remark) {
  Beat& beat = current();
  if (!beat.prompt.empty()) {
    return;
  }
  beat.prompt = std::move(beginning);
  if (remark == trace::Remark::none || m_beats.size() < 2 || !may_remark()) {
    return;
  }
  Beat& before = m_beats[m_beats.size() - 2];
  set(before, remark == trace::Remark::correction ? Label::corrected : Label::approved);
  before.outcome = outcome_of(m_before, remark);
}

void BeatLog::extend(const trace::Envelope& envelope) {
  if (!m_beats.empty()) {
    m_beats.back().end = envelope.offset + envelope.length;
  }
}

// What comes before the first prompt has a beat of its own, once something happens in it.
Beat& BeatLog::current() {
  if (m_beats.empty()) {
    m_beats.emplace_back();
    ++m_count;
  }
  return m_beats.back();
}

void BeatLog::act() {
  current();
  m_course = {true, false, false, false};
}

void BeatLog::answer() {
  current();
  m_course = {true, true, false, false};
}

void BeatLog::fail() {
  label(Label::error);
  // Stopping a tool makes it fail, too.
  m_course = {true, false, true, m_course.is_interrupted};
}

void BeatLog::succeed() {
  current();
  m_course = {true, false, false, m_course.is_interrupted};
}

void BeatLog::interrupt() {
  label(Label::interrupted);
  m_course.is_interrupted = true;
}

void BeatLog::label(Label label) {
  set(current(), label);
}

const Beat* BeatLog::find(std::uint32_t number) const {
  if (m_beats.empty() || number < m_beats.front().number || number > m_beats.back().number) {
    return nullptr;
  }
  // Numbers follow each other without a gap.
  return &m_beats[number - m_beats.front().number];
}

std::vector<Beat> BeatLog::beats() const {
  std::vector<Beat> beats(m_beats.begin(), m_beats.end());
  if (!beats.empty()) {
    beats.back().outcome = outcome_of(m_course, trace::Remark::none);
  }
  return beats;
}

} // namespace upskill::distill
