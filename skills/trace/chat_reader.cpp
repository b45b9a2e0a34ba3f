#include "skills/trace/chat_message.h"
#include "skills/trace/readers.h"

namespace upskill::trace {
namespace {

// What a document says of itself, around its messages.
struct Head {
  std::string_view id = {};
  std::string_view title = {};
  std::string_view model = {};
  bool has_messages = false;
  bool has_more = false; // anything else
};

// Messages as chat programs keep them: fast-agent's histories, and any other JSON that holds
// {role, content}. What is something else stays as it is: nobody can tell who said what.
class ChatReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    std::string_view json;
    bool has_json = object.raw_json().get(json) == simdjson::SUCCESS && !object.reset().error();
    ChatMessage message(m_batch);
    Head head;
    bool is_sound = has_json;
    bool is_whole =
        has_json && each_member(object, [&](std::string_view key, ondemand::value& value) {
          is_sound = is_sound && read_member(key, value, head, message);
        });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (!message.role().empty()) {
      message.finish();
      m_batch.envelope.id = head.id;
    } else if (head.has_messages) {
      finish_head(head);
    } else {
      m_batch.drop_events();
      m_batch.add(EventKind::meta, EventForm::text).text = {
          trim_raw(json), {}, Encoding::json_value};
    }
    return true;
  }

private:
  bool read_member(std::string_view key, ondemand::value& value, Head& head, ChatMessage& message) {
    if (key == "messages") { // its elements are records of their own
      head.has_messages = true;
      return true;
    }
    head.has_more = true;
    if (key == "conversations") { // of ShareGPT: {from, value}
      head.has_messages = true;
      return read_conversation(value);
    }
    if (key == "message" && message.role().empty()) {
      return message.read(value);
    }
    if (key == "id") {
      head.id = m_batch.kept(raw_or_empty(value));
    } else if (key == "session_id" || key == "sessionId") {
      m_batch.envelope.session = m_batch.kept(raw_or_empty(value));
    } else if (key == "title") {
      head.title = raw_or_empty(value);
    } else if (key == "cwd") {
      m_batch.envelope.cwd = m_batch.kept(raw_or_empty(value));
    } else if (key == "model") {
      head.model = m_batch.kept(raw_or_empty(value));
    }
    return message.read_member(key, value);
  }

  bool read_conversation(ondemand::value& value) {
    bool is_sound = true;
    bool is_whole = each_element(value, [&](ondemand::value& element) {
      ChatMessage message(m_batch);
      is_sound = is_sound && message.read(element);
      message.finish();
    });
    return is_whole && is_sound;
  }

  void finish_head(const Head& head) {
    std::string_view& session = m_batch.envelope.session;
    session = session.empty() ? head.id : session;
    if (!head.has_more) {
      return;
    }
    m_batch.add(EventKind::meta, EventForm::session).model = head.model;
    if (!head.title.empty()) {
      m_batch.add(EventKind::meta, EventForm::title).text.first = head.title;
    }
  }
};

} // namespace

std::unique_ptr<Reader> make_chat_reader() {
  return std::make_unique<ChatReader>();
}

} // namespace upskill::trace
