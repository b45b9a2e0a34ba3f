#include "skills/trace/chat_message.h"
#include "skills/trace/cursor_words.h"
#include "skills/trace/readers.h"

#include <vector>

namespace upskill::trace {
namespace {

// Cursor's agent transcripts: {role, message{content}}, without ids, times or results (facts:
// traces.md, 1.3).
class CursorReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    m_texts.clear();
    ChatMessage message(m_batch);
    std::string_view type;
    bool is_user = false;
    bool is_sound = true;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      if (key == "type") {
        type = m_batch.kept(raw_or_empty(value), 200);
      } else if (key == "role") {
        is_user = raw_or_empty(value) == "user";
        is_sound = is_sound && message.read_member(key, value);
      } else if (key == "message") {
        is_sound = is_sound && message.read(value);
      }
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (message.role().empty()) {
      Event& event = m_batch.add(EventKind::meta, EventForm::unknown);
      event.name = type;
      event.form = type.starts_with("turn_") ? EventForm::state : EventForm::unknown;
      return true;
    }
    message.finish();
    if (is_user) {
      unwrap();
    }
    return true;
  }

private:
  // What a person typed and what Cursor put around it stand in one text.
  void unwrap() {
    m_texts.assign(m_batch.events().begin(), m_batch.events().end());
    m_batch.drop_events();
    for (const Event& whole : m_texts) {
      if (whole.kind != EventKind::user || whole.images > 0) {
        m_batch.add(whole.kind, whole.form) = whole;
        continue;
      }
      take_apart_cursor_text(whole.text.first, [&](CursorText what, std::string_view text) {
        if (m_batch.is_full()) {
          return;
        }
        if (what == CursorText::timestamp) {
          m_batch.envelope.time_ms = cursor_time(text);
          return;
        }
        bool is_query = what == CursorText::query;
        bool is_all = text.size() == trim_raw(whole.text.first).size();
        EventForm form = is_query ? EventForm::prompt : form_of_user_words(text);
        // Beside a query, all else is the program's.
        bool is_program = !is_query && !is_all && form == EventForm::prompt;
        m_batch.add(EventKind::user, is_program ? EventForm::injected : form).text.first = text;
      });
    }
  }

  std::vector<Event> m_texts = {};
};

} // namespace

std::unique_ptr<Reader> make_cursor_reader() {
  return std::make_unique<CursorReader>();
}

} // namespace upskill::trace
