#pragma once
#include "skills/trace/event.h"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::trace {

// The events of one record while it is read. They are handed on together, once the whole record has
// been understood, because its envelope may come last, and because a record that turns out to be
// broken has no events. Nothing is allocated after the first records.
class EventBatch {
public:
  // More of them than any program writes into one record: some MiB, where a hostile one could ask
  // for a GiB.
  static constexpr std::size_t k_max_events = 16'384;

  Envelope envelope = {};

  void clear();

  // The reference is good until the next event is added.
  Event& add(EventKind kind, EventForm form);

  // One more piece of the text of the event that was added last.
  void add_text(std::string_view piece);

  // A short string, given as it stands between its quotes, as what it says: valid UTF-8, at most
  // `limit` bytes. The view lives until clear().
  std::string_view kept(std::string_view raw, std::size_t limit = 4096);
  // A string that is made here and has to live as long.
  std::string_view keep(std::string text);

  std::vector<Event>& events() { return m_events; }

  // There may be no more: the record is not to be read any further.
  bool is_full() const { return m_events.size() >= k_max_events; }

  // Forgets the events, and keeps the envelope.
  void drop_events();

  // Hands them on in order, with the record's envelope.
  void emit(EventSink& sink);

private:
  struct More {
    std::size_t begin = 0; // in m_pieces
    std::size_t count = 0;
  };

  std::vector<Event> m_events = {};
  std::vector<More> m_more = {}; // beside m_events: their texts' further pieces
  std::vector<std::string_view> m_pieces = {};
  std::deque<std::string> m_strings = {};
};

} // namespace upskill::trace
