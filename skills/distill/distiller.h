#pragma once
#include "skills/distill/beat_log.h"
#include "skills/distill/distilled.h"
#include "skills/distill/evidence.h"
#include "skills/distill/failures.h"
#include "skills/distill/heading.h"
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/novelty.h"
#include "skills/trace/text_filter.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::distill {

inline constexpr std::size_t k_default_tokens = 24000;
// Less is raised to it: the heading and the newest words of the person must fit.
inline constexpr std::size_t k_least_tokens = 1000;
inline constexpr std::size_t k_unlimited_tokens = static_cast<std::size_t>(-1) / 8;

struct DistillOptions {
  std::size_t tokens = k_default_tokens;          // of the text: bytes / 4
  std::vector<std::uint32_t> held_out_beats = {}; // by number: tests are made of them
};

// Makes evidence for a teacher of the events of one session, in bounded memory and always the same
// from the same events: what programs put in is stripped, what failed stays with what made it work,
// texts are cleaned and then cut. Nothing of an event that is left out is decoded. It may be asked
// at any time, and goes on. Owner: whoever reads the session. Thread: any, one at a time.
class Distiller : public trace::EventSink {
public:
  // `filter` cleans every text before it is cut, and lives as long as this; nothing: no cleaning.
  // `memory` bounds what is held of texts, in bytes.
  explicit Distiller(trace::Format format,
                     trace::TextFilter* filter = nullptr,
                     std::size_t memory = 16u << 20);

  void take(const trace::Event& event) override;

  // Never over the budget. Time: n log n in what is held.
  Distilled distilled(const DistillOptions& options = {}) const;

  const Heading& heading() const { return m_heading; }

  // Bytes that evidence takes now.
  std::size_t memory() const { return m_evidence.bytes(); }

private:
  // A call that has no result yet.
  struct Pending {
    std::uint64_t call = 0; // stable_hash
    std::string name = {};
    Attempt attempt = {};
    Item item = {};
    bool is_shell = false;
    bool reads_instructions = false; // what it gives is no evidence
  };

  // Many events that are told in one item.
  struct Run {
    enum class Kind : std::uint8_t { helper, plain } kind = Kind::plain;
    Item item = {};
    std::string agent = {};
    std::uint64_t events = 0;
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;
  };

  void take_user(const trace::Event& event);
  void take_prompt(const trace::Event& event);
  void take_command(const trace::Event& event);
  void take_assistant(const trace::Event& event);
  void take_call(const trace::Event& event);
  void take_result(const trace::Event& event);
  void take_failure(const trace::Event& event, std::optional<Pending> pending);
  void take_success(const trace::Event& event, std::optional<Pending> pending);
  void tell_size(Item& call) const;
  void take_meta(const trace::Event& event);
  void take_aside(const trace::Event& event);
  void take_plain(const trace::Event& event);

  Item item(std::string head, std::string text) const;
  void add(Tier tier, Item item);
  void leave_out(LeftOut why, std::uint64_t events = 1);
  void end_text(Tier tier);
  void end_run();
  static Unit unit_of(const Run& run);
  Distilled counted(const DistillOptions& options) const;
  std::deque<Unit> open_units() const;
  std::optional<Pending> claim(std::string_view call);

  Heading m_heading;
  trace::TextFilter* m_filter;
  trace::Novelties m_novelties;
  Evidence m_evidence;
  BeatLog m_beats = {};
  OpenFailures m_failures = {};
  std::deque<Pending> m_pending = {};
  std::optional<Unit> m_last_text = {}; // of the agent in this turn; perhaps its final answer
  std::optional<Run> m_run = {};
  std::array<std::uint64_t, k_left_out> m_left_out = {};
  Place m_here = {};                          // of the event that is taken
  Place m_after = {};                         // behind it
  std::optional<std::uint64_t> m_prompt = {}; // offset of the last record that is one
  bool m_is_decided = false;                  // whether this is a helper's file
};

} // namespace upskill::distill
