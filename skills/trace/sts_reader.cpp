#include "skills/trace/chat_message.h"
#include "skills/trace/readers.h"

#include <utility>

namespace upskill::trace {
namespace {

// The Session Trace Simple Format of Hugging Face: a head, and then one message a line (facts:
// traces.md, Interchange).
class StsReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    ChatMessage message(m_batch);
    std::string_view type;
    std::string_view title;
    std::string_view helper; // our own exports tell it
    bool is_sound = true;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      if (key == "type") {
        type = m_batch.kept(raw_or_empty(value), 200);
      } else if (key == "name") {
        title = raw_or_empty(value);
      } else if (key == "agentId") {
        helper = m_batch.kept(raw_or_empty(value));
      } else if (key == "message") {
        is_sound = is_sound && message.read(value);
      } else {
        read_mark(key, value);
      }
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (type == "message") {
      message.finish();
    } else {
      m_batch.envelope.agent = helper;
      m_batch.envelope.is_sidechain = !helper.empty();
      finish_head(type, title);
    }
    return true;
  }

private:
  void read_mark(std::string_view key, ondemand::value& value) {
    Envelope& envelope = m_batch.envelope;
    if (key == "id") {
      envelope.id = m_batch.kept(raw_or_empty(value));
    } else if (key == "harness") {
      envelope.harness = m_batch.kept(raw_or_empty(value), 200);
    } else if (key == "timestamp") {
      envelope.time_ms = time_of(value);
    } else if (key == "cwd") {
      envelope.cwd = m_batch.kept(raw_or_empty(value));
    }
  }

  void finish_head(std::string_view type, std::string_view title) {
    m_batch.drop_events();
    if (type != "session") {
      m_batch.add(EventKind::meta, EventForm::unknown).name = type;
      return;
    }
    m_batch.envelope.session = std::exchange(m_batch.envelope.id, {});
    m_batch.add(EventKind::meta, EventForm::session);
    if (!title.empty()) {
      m_batch.add(EventKind::meta, EventForm::title).text.first = title;
    }
  }
};

} // namespace

std::unique_ptr<Reader> make_sts_reader() {
  return std::make_unique<StsReader>();
}

} // namespace upskill::trace
