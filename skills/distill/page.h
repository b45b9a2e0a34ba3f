#pragma once
#include "skills/distill/beat_log.h"
#include "skills/distill/evidence.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace upskill::distill {

// A choice of evidence in source order, that knows at every moment how many bytes it takes with its
// beats' headings and the marks of its gaps. Lifetime: one call of Distiller::distilled.
class Page {
public:
  // `end`: behind the last event. `beats` outlives this.
  Page(const BeatLog& beats, Place end, std::size_t room);

  // Whether all of it fits; then it is on the page, and the unit outlives it.
  bool add(const Unit& unit);

  std::size_t room_left() const { return m_room - m_size; }

  std::string text() const;
  std::vector<ByteRange> ranges() const;

private:
  void put(const Item& item);
  void take_off(const Item& item);
  // What of the text an item changes: its line, the gaps beside it, the heading of its beat.
  std::size_t gap_at(std::uint64_t event) const;

  const BeatLog& m_beats;
  Place m_end;
  std::size_t m_room;
  std::size_t m_size;
  std::map<std::uint64_t, const Item*> m_items = {};      // by event
  std::map<std::uint32_t, std::size_t> m_beat_items = {}; // how many of each beat
};

} // namespace upskill::distill
