#include "skills/distill/distiller.h"
#include "skills/distill/page.h"
#include "skills/distill/rendering.h"
#include "skills/trace/excerpt.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

// What of the evidence gets into the text.
namespace upskill::distill {
namespace {

std::uint64_t newest_event(const Unit& unit) {
  std::uint64_t newest = 0;
  for (const Item& item : unit.items) {
    newest = std::max(newest, item.end.event);
  }
  return newest;
}

bool holds(const std::vector<std::uint32_t>& beats, std::uint32_t beat) {
  return std::find(beats.begin(), beats.end(), beat) != beats.end();
}

bool is_of_beats(const Unit& unit, const std::vector<std::uint32_t>& beats) {
  return std::any_of(unit.items.begin(), unit.items.end(), [&](const Item& item) {
    return holds(beats, item.beat);
  });
}

void count(std::array<std::uint64_t, k_left_out>& left_out, LeftOut why, std::uint64_t events) {
  left_out[static_cast<std::size_t>(why)] += events;
}

// Where a page is full, so many in a row that do not fit end their tier: the older ones are not
// tried one by one.
class Misfits {
public:
  bool are_few(Tier tier) const { return tier != m_tier || m_count < k_most; }

  void tell(Tier tier, bool fits) {
    m_count = fits ? 0 : tier == m_tier ? m_count + 1 : 1;
    m_tier = tier;
  }

private:
  static constexpr std::size_t k_most = 200;
  Tier m_tier = Tier::human;
  std::size_t m_count = 0;
};

// The same with less of its text: it has to fit, whatever the budget.
Unit shortened(const Unit& unit, std::size_t bytes) {
  Unit shorter = unit;
  for (Item& item : shorter.items) {
    item.text = trace::excerpt(std::move(item.text), {2 * bytes / 3, bytes / 3}, nullptr);
  }
  return shorter;
}

// Everything that is known, most valuable first: by tier, and the newest of a tier.
void put_in_order(std::vector<const Unit*>& units) {
  std::sort(units.begin(), units.end(), [](const Unit* one, const Unit* other) {
    if (one->tier != other->tier) {
      return one->tier < other->tier;
    }
    return newest_event(*one) > newest_event(*other);
  });
}

} // namespace

Distilled Distiller::counted(const DistillOptions& options) const {
  Distilled result;
  result.events = m_after.event;
  result.tokens_before = m_after.said / 4;
  result.left_out = m_left_out;
  count(result.left_out, LeftOut::memory, m_evidence.forgotten());
  result.beats = m_beats.beats();
  result.beats_in_all = m_beats.count();
  for (Beat& beat : result.beats) {
    beat.is_held_out = holds(options.held_out_beats, beat.number);
    for (std::size_t label = 0; label < k_labels; ++label) {
      result.labels[label] += beat.labels[label] ? 1 : 0;
    }
  }
  return result;
}

// What is not over yet is evidence as it is; a call that waits, and what may be the last answer.
std::deque<Unit> Distiller::open_units() const {
  std::deque<Unit> open;
  for (const Pending& pending : m_pending) {
    open.push_back({Tier::call, {pending.item}});
  }
  if (m_last_text) {
    open.push_back(*m_last_text);
    open.back().tier = Tier::answer;
  }
  if (m_run) {
    open.push_back(unit_of(*m_run));
  }
  return open;
}

Distilled Distiller::distilled(const DistillOptions& options) const {
  Distilled result = counted(options);
  std::deque<Unit> open = open_units(); // grows at its end, where nothing else moves
  std::vector<const Unit*> units;
  for (std::size_t tier = 0; tier < k_tiers; ++tier) {
    for (const Unit& unit : m_evidence.of(static_cast<Tier>(tier))) {
      units.push_back(&unit);
    }
  }
  for (const Unit& unit : open) {
    units.push_back(&unit);
  }
  for (const OpenFailures::Open& failure : m_failures.all()) {
    units.push_back(&failure.unit);
  }
  put_in_order(units);

  std::size_t bytes = 4 * std::clamp(options.tokens, k_least_tokens, k_unlimited_tokens);
  Page page(m_beats, m_after, bytes - std::min(bytes, heading_room(m_heading, result)));
  Misfits misfits;
  for (const Unit* unit : units) {
    if (is_of_beats(*unit, options.held_out_beats)) {
      count(result.left_out, LeftOut::held_out, unit->events());
      continue;
    }
    bool is_first = result.kept_by_tier[static_cast<std::size_t>(unit->tier)] == 0;
    bool is_kept = misfits.are_few(unit->tier) && page.add(*unit);
    // The newest words of the person are there in any case.
    if (!is_kept && is_first && unit->tier == Tier::human) {
      for (std::size_t room = page.room_left(); !is_kept && room > 0; room /= 2) {
        is_kept = page.add(open.emplace_back(shortened(*unit, room)));
      }
    }
    if (is_kept) {
      result.kept += unit->events();
      result.kept_by_tier[static_cast<std::size_t>(unit->tier)] += unit->events();
    } else {
      count(result.left_out, LeftOut::budget, unit->events());
    }
    misfits.tell(unit->tier, is_kept);
  }
  result.text = heading_text(m_heading, result) + page.text();
  result.tokens_after = (result.text.size() + 3) / 4;
  result.ranges = page.ranges();
  return result;
}

} // namespace upskill::distill
