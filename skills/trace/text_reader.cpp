#include "skills/trace/chat_words.h"
#include "skills/trace/event_batch.h"
#include "skills/trace/readers.h"
#include "skills/trace/section_splitter.h"

namespace upskill::trace {
namespace {

// Text of no known form, in sections and paragraphs (SectionSplitter). Where no line says who
// speaks, nobody can tell.
class TextReader : public Reader {
public:
  void read(const Record& record, EventSink& sink) override {
    m_batch.clear();
    m_batch.envelope.offset = record.offset;
    m_batch.envelope.length = record.length;
    std::string_view line = record.bytes.substr(0, record.bytes.find('\n'));
    std::size_t words = 0;
    Speaker speaker = speaker_of_text_line(line, words);
    Event& event = m_batch.add(EventKind::meta, EventForm::text);
    event.text = {record.bytes, {}, Encoding::plain};
    if (speaker != Speaker::nobody) {
      event.text.first = trim_raw(record.bytes.substr(words));
      if (event.text.empty()) { // named, and nothing said
        return;
      }
      finish(event, speaker);
    }
    m_batch.emit(sink);
  }

private:
  static void finish(Event& event, Speaker speaker) {
    if (speaker == Speaker::user) {
      event.kind = EventKind::user;
      event.form = form_of_user_words(event.text.first);
    } else if (speaker == Speaker::assistant) {
      event.kind = EventKind::assistant;
    } else if (speaker == Speaker::tool) {
      event.kind = EventKind::tool_result;
      event.form = EventForm::result;
      event.exit_code = exit_code_of_output(event.text.first);
    } else {
      event.form = EventForm::instructions;
    }
  }

  EventBatch m_batch = {};
};

} // namespace

std::unique_ptr<Reader> make_text_reader() {
  return std::make_unique<TextReader>();
}

} // namespace upskill::trace
