#include "skills/trace/event_batch.h"

#include "protocol/base/utf8.h"

#include <utility>

namespace upskill::trace {

void EventBatch::clear() {
  envelope = {};
  drop_events();
  m_strings.clear();
}

void EventBatch::drop_events() {
  m_events.clear();
  m_more.clear();
  m_pieces.clear();
}

Event& EventBatch::add(EventKind kind, EventForm form) {
  Event& event = m_events.emplace_back();
  event.kind = kind;
  event.form = form;
  event.text.encoding = Encoding::json_string;
  m_more.push_back({m_pieces.size(), 0});
  return event;
}

void EventBatch::add_text(std::string_view piece) {
  Event& event = m_events.back();
  More& more = m_more.back();
  if (event.text.first.empty() && more.count == 0) {
    event.text.first = piece;
    return;
  }
  m_pieces.push_back(piece);
  ++more.count;
}

std::string_view EventBatch::kept(std::string_view raw, std::size_t limit) {
  bool is_plain = raw.size() <= limit;
  for (std::size_t i = 0; is_plain && i < raw.size(); ++i) {
    is_plain = raw[i] != '\\' && static_cast<unsigned char>(raw[i]) < 0x80;
  }
  if (is_plain) {
    return raw;
  }
  return keep(Text{raw, {}, Encoding::json_string}.decoded(limit));
}

std::string_view EventBatch::keep(std::string text) {
  return m_strings.emplace_back(std::move(text));
}

void EventBatch::emit(EventSink& sink) {
  for (std::size_t i = 0; i < m_events.size(); ++i) {
    Event& event = m_events[i];
    event.part = static_cast<std::uint32_t>(i);
    event.envelope = &envelope;
    event.text.more = std::span(m_pieces).subspan(m_more[i].begin, m_more[i].count);
    sink.take(event);
  }
}

} // namespace upskill::trace
