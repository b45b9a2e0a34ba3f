#include "skills/trace/gemini_record.h"
#include "skills/trace/gemini_words.h"
#include "skills/trace/readers.h"

#include <algorithm>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_name = 200; // bytes of a name or id

// Gemini CLI's sessions: lines, and the document of before, whose messages are the same (facts:
// traces.md, 1.3). A message is written again, whole and with the same id, whenever its tokens or
// tools change: the last one of an id counts, which a later stage sees to.
class GeminiReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    if (!m_record.read(object)) {
      return false;
    }
    Envelope& envelope = m_batch.envelope;
    envelope.id = name_of(m_record.id);
    envelope.session = name_of(m_record.session);
    envelope.cwd = m_batch.kept(m_record.folder);
    envelope.time_ms = m_record.time_ms;
    envelope.is_sidechain = m_record.is_sidechain;
    finish();
    return true;
  }

private:
  using Parts = std::span<const GeminiPart>;

  std::string_view name_of(std::string_view raw) { return m_batch.kept(raw, k_max_name); }

  Event& add_meta(EventForm form, std::string_view name) {
    Event& event = m_batch.add(EventKind::meta, form);
    event.name = name_of(name);
    return event;
  }

  void add_pieces(Parts parts) {
    for (const GeminiPart& part : parts) {
      m_batch.add_text(part.text);
    }
  }

  void finish() {
    std::string_view type = m_record.type;
    Parts content = m_record.of(m_record.content);
    if (m_record.is_change) {
      finish_change();
    } else if (!m_record.rewind.empty()) {
      m_batch.envelope.parent = name_of(m_record.rewind);
      add_meta(EventForm::rewind, "$rewindTo");
    } else if (type == "user") {
      finish_user(content);
    } else if (type == "gemini") {
      finish_answer(content);
    } else if (type == "info" && !content.empty() && is_gemini_interrupt(content.front().text)) {
      m_batch.add(EventKind::user, EventForm::interrupt).name = type;
    } else if (type == "error") {
      add_meta(EventForm::error, type);
      add_pieces(content);
    } else if (type == "info" || type == "warning") {
      add_meta(EventForm::state, type);
    } else if (m_record.is_head && type.empty()) {
      m_batch.envelope.time_ms = m_record.started_ms;
      m_batch.add(EventKind::meta, EventForm::session);
      add_title();
    } else {
      add_meta(EventForm::unknown, type);
    }
  }

  // A whole history comes with every compression, and mostly repeats what is there.
  void finish_change() {
    if (m_record.is_head) {
      add_meta(EventForm::session, "$set");
    }
    add_title();
    for (const GeminiCopy& copy : m_record.copies) {
      add_meta(EventForm::copy, copy.type).message = name_of(copy.id);
      for (const GeminiPart& part : m_record.of(copy.content)) {
        if (!part.is_thought && !part.is_result) {
          m_batch.add_text(part.text);
        }
      }
    }
    if (m_batch.events().empty()) {
      add_meta(EventForm::state, "$set");
    }
  }

  void add_title() {
    if (!m_record.title.empty()) {
      m_batch.add(EventKind::meta, EventForm::title).text.first = m_record.title;
    }
  }

  void finish_user(Parts content) {
    Parts shown = m_record.of(m_record.shown);
    if (shown.empty() && !content.empty() && std::ranges::all_of(content, &GeminiPart::is_result)) {
      add_meta(EventForm::copy, "functionResponse");
      add_pieces(content);
      return;
    }
    Parts typed = shown;
    Parts filled_in = content;
    if (shown.empty()) {
      auto files = std::ranges::find_if(
          content, [](const GeminiPart& part) { return begins_gemini_files(part.text); });
      typed = Parts(content.begin(), files);
      filled_in = Parts(files, content.end());
    }
    std::string_view first = typed.empty() ? std::string_view{} : typed.front().text;
    m_batch.add(EventKind::user, form_of_gemini_text(first)).images = m_record.images;
    add_pieces(typed);
    if (!filled_in.empty()) {
      m_batch.add(EventKind::user, EventForm::injected);
      add_pieces(filled_in);
    }
  }

  void finish_answer(Parts content) {
    add_thoughts(content);
    bool has_words = std::ranges::any_of(
        content, [](const GeminiPart& part) { return !part.is_thought && !part.text.empty(); });
    if (has_words) {
      m_batch.add(EventKind::assistant, EventForm::text);
      for (const GeminiPart& part : content) {
        if (!part.is_thought) {
          m_batch.add_text(part.text);
        }
      }
    }
    for (const GeminiCall& call : m_record.calls) {
      add_call(call);
    }
    if (m_batch.events().empty()) {
      m_batch.add(EventKind::meta, EventForm::usage);
    }
    for (Event& event : m_batch.events()) {
      event.message = m_batch.envelope.id;
      event.model = name_of(m_record.model);
    }
    m_batch.events().front().usage = m_record.usage;
  }

  void add_thoughts(Parts content) {
    bool has_parts = std::ranges::any_of(content, &GeminiPart::is_thought);
    if (m_record.thoughts.empty() && !has_parts) {
      return;
    }
    m_batch.add(EventKind::assistant, EventForm::thinking);
    for (std::string_view thought : m_record.thoughts) {
      m_batch.add_text(thought);
    }
    for (const GeminiPart& part : content) {
      if (part.is_thought) {
        m_batch.add_text(part.text);
      }
    }
  }

  void add_call(const GeminiCall& call) {
    Event& event = m_batch.add(EventKind::tool_call, EventForm::call);
    event.name = name_of(call.name);
    event.call = name_of(call.id);
    event.text = call.input;
    if (!call.has_result && !call.has_failed && call.status != "success") {
      return; // it still runs
    }
    Event& result = m_batch.add(EventKind::tool_result, EventForm::result);
    result.call = name_of(call.id);
    result.is_error = call.has_failed;
    for (const GeminiPart& part : m_record.of(call.result)) {
      m_batch.add_text(part.text);
      if (call.name == "run_shell_command") {
        result.exit_code = gemini_exit_code(part.text);
      }
    }
    if (!call.has_result) {
      result.text.first = call.shown;
    }
  }

  GeminiRecord m_record = {};
};

} // namespace

std::unique_ptr<Reader> make_gemini_reader() {
  return std::make_unique<GeminiReader>();
}

} // namespace upskill::trace
