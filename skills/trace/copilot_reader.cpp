#include "skills/trace/copilot_record.h"
#include "skills/trace/copilot_words.h"
#include "skills/trace/readers.h"

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_name = 200; // bytes of a name or id

// Copilot CLI's events.jsonl (facts: traces.md, 1.3). A call stands in the message that asks for it
// and again where it begins: the former counts.
class CopilotReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    if (!m_record.read(object)) {
      return false;
    }
    const CopilotData& data = m_record.data;
    Envelope& envelope = m_batch.envelope;
    envelope.time_ms = m_record.time_ms;
    envelope.id = name_of(m_record.id);
    envelope.parent = name_of(m_record.parent);
    envelope.agent = name_of(m_record.agent);
    envelope.is_sidechain = !m_record.agent.empty();
    envelope.turn = name_of(data.turn);
    envelope.cwd = m_batch.kept(data.cwd);
    envelope.branch = name_of(data.branch);
    finish();
    return true;
  }

private:
  std::string_view name_of(std::string_view raw) { return m_batch.kept(raw, k_max_name); }

  void finish() {
    std::string_view type = m_record.type;
    if (type == "user.message") {
      finish_user();
    } else if (type == "assistant.message") {
      finish_answer();
    } else if (type == "tool.execution_complete") {
      finish_result();
    } else if (type == "tool.user_requested") {
      Event& event = m_batch.add(EventKind::user, EventForm::command);
      event.name = name_of(m_record.data.call.name);
      event.call = name_of(m_record.data.call.id);
      event.text = m_record.data.call.input;
    } else if (type == "abort") {
      m_batch.add(EventKind::user, EventForm::interrupt).name = type;
    } else {
      finish_other();
    }
  }

  // A helper's task is no person's.
  void finish_user() {
    const CopilotData& data = m_record.data;
    EventForm form = form_of_copilot_text(data.source, data.content);
    bool is_helpers = !m_record.agent.empty() && form == EventForm::prompt;
    Event& event = m_batch.add(EventKind::user, is_helpers ? EventForm::injected : form);
    event.text.first = data.content;
    event.images = data.images;
    constexpr std::string_view skill = "skill-";
    if (form == EventForm::skill && data.source.starts_with(skill)) {
      event.skill = name_of(data.source.substr(skill.size()));
    }
  }

  void finish_answer() {
    const CopilotData& data = m_record.data;
    if (!data.reasoning.empty()) {
      m_batch.add(EventKind::assistant, EventForm::thinking).text.first = data.reasoning;
    }
    if (!data.content.empty()) {
      bool is_last = data.phase == "final_answer";
      m_batch.add(EventKind::assistant, is_last ? EventForm::answer : EventForm::text).text.first =
          data.content;
    }
    for (const CopilotCall& call : data.calls) {
      Event& event = m_batch.add(EventKind::tool_call, EventForm::call);
      event.name = name_of(call.name);
      event.call = name_of(call.id);
      event.text = call.input;
    }
    if (m_batch.events().empty()) {
      m_batch.add(EventKind::meta, EventForm::usage); // reasoning that is encrypted
    }
    for (Event& event : m_batch.events()) {
      event.message = name_of(data.message);
      event.model = name_of(data.model);
    }
    m_batch.events().front().usage = data.usage;
  }

  void finish_result() {
    const CopilotData& data = m_record.data;
    Event& event = m_batch.add(EventKind::tool_result, EventForm::result);
    event.call = name_of(data.call.id);
    event.model = name_of(data.model);
    event.text.first = data.result.empty() ? data.failure : data.result;
    event.images = data.images;
    event.exit_code = data.exit_code ? data.exit_code : copilot_exit_code(data.result);
    if (data.is_success) {
      event.is_error = !*data.is_success;
    }
  }

  void finish_other() {
    std::string_view type = m_record.type;
    const CopilotData& data = m_record.data;
    EventForm form = data.total ? EventForm::usage : form_of_copilot_type(type);
    Event& event = m_batch.add(EventKind::meta, form);
    event.name = name_of(type);
    event.usage = data.total;
    if (form == EventForm::session) {
      m_batch.envelope.session = name_of(data.session);
      m_batch.envelope.version = name_of(data.version);
      event.model = name_of(data.model);
    } else if (form == EventForm::rewind) {
      m_batch.envelope.parent = name_of(data.rewind);
    } else if (form == EventForm::model || form == EventForm::usage) {
      event.model = name_of(data.model);
    } else if (form == EventForm::copy) {
      event.call = name_of(data.call.id);
      event.message = name_of(data.message);
      event.text.first = data.content.empty() ? data.words : data.content;
    } else if (form != EventForm::state && form != EventForm::unknown) {
      event.text.first = data.content.empty() ? data.words : data.content;
      if (event.text.first.empty()) {
        event.text.first = data.failure;
      }
      event.skill = form == EventForm::skill ? name_of(data.name) : std::string_view{};
    }
  }

  CopilotRecord m_record = {};
};

} // namespace

std::unique_ptr<Reader> make_copilot_reader() {
  return std::make_unique<CopilotReader>();
}

} // namespace upskill::trace
