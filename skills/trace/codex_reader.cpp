#include "skills/trace/codex_record.h"
#include "skills/trace/codex_words.h"
#include "skills/trace/readers.h"

#include <algorithm>
#include <utility>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_name = 200; // bytes of a name or id

bool is_codex_itself(std::string_view originator) {
  return originator.starts_with("codex") || originator.starts_with("Codex");
}

// Codex's rollouts, in the old form and the paginated one (facts: traces.md, 1.2). Both keep what
// the model saw as `response_item`; beside it stands what the person saw, as `event_msg` of many
// types (old) or of the type `item_completed` (paginated). A person's words are taken from the
// latter, where they are what was typed, and all else from the former: the other one of each pair
// is a `copy`, which keeps its words for a file in which its original is missing.
class CodexReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    if (!m_record.read(object, m_batch)) {
      return false;
    }
    m_batch.envelope.time_ms = m_record.time_ms;
    m_batch.envelope.turn = name_of(m_record.turn);
    finish();
    return true;
  }

private:
  std::string_view name_of(std::string_view raw) { return m_batch.kept(raw, k_max_name); }

  Event& add_meta(EventForm form, std::string_view name) {
    Event& event = m_batch.add(EventKind::meta, form);
    event.name = name_of(name);
    return event;
  }

  void finish() {
    std::string_view type = m_record.type;
    const CodexItem& payload = m_record.payload;
    if (type == "response_item") {
      finish_response();
    } else if (type == "event_msg") {
      finish_event();
    } else if (type == "session_meta") {
      finish_session();
    } else if (type == "turn_context") {
      m_batch.envelope.cwd = m_batch.kept(m_record.origin.cwd);
      add_meta(EventForm::model, type).model = name_of(payload.model);
    } else if (type == "compacted") {
      add_meta(EventForm::compaction, type).text.first = payload.words;
    } else if (type == "token_usage_record" && payload.total) {
      add_usage(type);
    } else {
      add_meta(form_of_codex_record(type), type);
    }
  }

  // `parent` is the session that started this one as its helper.
  void finish_session() {
    Envelope& envelope = m_batch.envelope;
    const CodexOrigin& origin = m_record.origin;
    envelope.session = name_of(m_record.payload.id);
    envelope.cwd = m_batch.kept(origin.cwd);
    envelope.version = name_of(origin.version);
    envelope.branch = name_of(origin.branch);
    envelope.forked_from = name_of(origin.forked_from);
    envelope.parent = name_of(origin.parent);
    envelope.agent = name_of(origin.nickname.empty() ? origin.agent_role : origin.nickname);
    envelope.is_sidechain = origin.is_helper || !origin.parent.empty();
    if (!is_codex_itself(origin.originator)) {
      envelope.harness = name_of(origin.originator);
    }
    add_meta(EventForm::session, "session_meta");
  }

  void finish_response() {
    std::string_view type = m_record.payload.type;
    if (type == "message") {
      finish_message();
    } else if (type == "reasoning") {
      finish_thinking();
    } else if (type == "agent_message") {
      add_words(EventKind::user, EventForm::injected, type); // of another agent
    } else if (type.ends_with("_call_output") || type == "tool_search_output") {
      finish_result();
    } else if (type.ends_with("_call")) {
      finish_call();
    } else {
      add_meta(form_of_codex_response(type), type);
    }
  }

  void finish_message() {
    const CodexItem& payload = m_record.payload;
    if (payload.role == "assistant") {
      bool is_last = payload.phase == "final_answer";
      add_words(EventKind::assistant, is_last ? EventForm::answer : EventForm::text, {});
    } else if (payload.role == "user") {
      add_user_parts();
    } else {
      bool is_skill =
          !m_record.parts.empty() && form_of_codex_text(m_record.parts.front()) == EventForm::skill;
      add_words(
          EventKind::meta, is_skill ? EventForm::skill : EventForm::instructions, payload.role);
    }
  }

  // Part by part: AGENTS.md and the environment share a message.
  void add_user_parts() {
    for (std::string_view part : m_record.parts) {
      EventForm form = form_of_codex_text(part);
      if (form == EventForm::prompt) {
        add_meta(EventForm::copy, "user").text.first = part;
      } else {
        add_user_text(part, form);
      }
    }
    if (m_record.parts.empty()) {
      add_meta(EventForm::copy, "user");
    }
    m_batch.events().front().images = m_record.images;
  }

  void add_user_text(std::string_view raw, EventForm form) {
    Event& event = m_batch.add(EventKind::user, form);
    event.text.first = raw;
    event.skill = form == EventForm::skill ? name_of(codex_skill_of(raw)) : std::string_view{};
  }

  // All parts as one text.
  Event& add_words(EventKind kind, EventForm form, std::string_view name) {
    Event& event = m_batch.add(kind, form);
    event.name = name_of(name);
    event.message = name_of(m_record.payload.id);
    event.images = m_record.images;
    for (std::string_view part : m_record.parts) {
      m_batch.add_text(part);
    }
    return event;
  }

  void finish_thinking() {
    if (std::ranges::all_of(m_record.parts, &std::string_view::empty)) {
      add_meta(EventForm::state, "reasoning"); // encrypted
    } else {
      add_words(EventKind::assistant, EventForm::thinking, {});
    }
  }

  void finish_call() {
    const CodexItem& payload = m_record.payload;
    std::string_view type = payload.type;
    type.remove_suffix(std::string_view("_call").size());
    Event& event = m_batch.add(EventKind::tool_call, EventForm::call);
    event.name = payload.name.empty() ? name_of(type) : tool_name();
    event.call = name_of(payload.call.empty() ? payload.id : payload.call);
    event.text = payload.input;
    event.images = type == "image_generation" ? 1 : 0;
  }

  std::string_view tool_name() {
    std::string_view name = name_of(m_record.payload.name);
    if (m_record.payload.tool_space.empty()) {
      return name;
    }
    std::string whole(name_of(m_record.payload.tool_space));
    whole += '.';
    whole += name;
    return m_batch.keep(std::move(whole));
  }

  void finish_result() {
    const CodexItem& payload = m_record.payload;
    Event& event = add_words(EventKind::tool_result, EventForm::result, {});
    event.message = {};
    event.call = name_of(payload.call);
    event.exit_code = payload.exit_code;
    if (payload.is_success) {
      event.is_error = !*payload.is_success;
    }
  }

  void finish_event() {
    const CodexItem& payload = m_record.payload;
    std::string_view type = payload.type;
    if (type == "item_completed") {
      finish_item();
    } else if (type == "user_message") {
      add_prompt(payload.words);
      m_batch.events().back().images = m_record.images;
    } else if (type == "token_count") {
      add_usage(type);
    } else if (type == "turn_aborted" && payload.reason != "review_ended") {
      m_batch.add(EventKind::user, EventForm::interrupt).name = type;
    } else {
      EventForm form = type == "turn_aborted" ? EventForm::state : form_of_codex_event(type);
      Event& event = add_other(form, type, payload);
      if (form == EventForm::rewind) {
        event.text = {payload.turns, {}, Encoding::json_value}; // so many turns, not to a record
      } else if (form != EventForm::state && form != EventForm::unknown) {
        event.text.first = payload.words;
      }
    }
  }

  // What a person typed; what an editor put before it is an event of its own.
  void add_prompt(std::string_view raw) {
    std::size_t start = start_of_codex_request(raw);
    if (start > 0) {
      add_user_text(raw.substr(0, start), EventForm::injected);
      raw.remove_prefix(start);
    }
    add_user_text(raw, form_of_codex_text(raw));
  }

  void finish_item() {
    const CodexItem& item = m_record.item;
    if (item.type == "UserMessage") {
      for (std::string_view part : m_record.parts) {
        add_prompt(part);
      }
      if (m_record.parts.empty()) {
        add_prompt({});
      }
      m_batch.events().back().images = m_record.images;
    } else if (item.type == "Plan") {
      Event& event = m_batch.add(EventKind::assistant, EventForm::text);
      event.message = name_of(item.id);
      event.text.first = item.words;
    } else if (item.type == "HookPrompt") {
      add_words(EventKind::user, EventForm::injected, item.type);
    } else {
      EventForm form = form_of_codex_item(item.type);
      add_other(form, item.type, item);
      for (std::string_view part : m_record.parts) {
        m_batch.add_text(part);
      }
    }
  }

  // A copy may tell how a call went more exactly than its result does.
  Event& add_other(EventForm form, std::string_view name, const CodexItem& item) {
    Event& event = add_meta(form, name);
    if (form == EventForm::copy) {
      event.message = name_of(item.id);
      event.call = name_of(item.call.empty() ? item.id : item.call);
      event.exit_code = item.exit_code;
      event.is_error = item.is_success ? std::optional<bool>(!*item.is_success) : std::nullopt;
    }
    return event;
  }

  // The sum of the session where it is told: it stays right when records are lost.
  void add_usage(std::string_view type) {
    const CodexItem& payload = m_record.payload;
    Event& event = add_meta(EventForm::usage, type);
    event.usage = payload.total ? payload.total : payload.last;
    if (event.usage) {
      event.usage->is_total = payload.total.has_value();
    } else {
      event.form = EventForm::state; // limits only
    }
  }

  CodexRecord m_record = {};
};

} // namespace

std::unique_ptr<Reader> make_codex_reader() {
  return std::make_unique<CodexReader>();
}

} // namespace upskill::trace
