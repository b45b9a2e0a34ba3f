#include "skills/trace/chat_message.h"
#include "skills/trace/readers.h"

#include <utility>

namespace upskill::trace {
namespace {

struct Entry {
  std::string_view type = {};
  std::string_view role = {}; // of its message
  std::string_view model = {};
  std::string_view summary = {};
  std::string_view name = {}; // of the session; a label; the type of an extension's message
  std::string_view origin = {};
  std::string_view command = {}; // that the person ran
  std::string_view output = {};
  std::optional<std::int32_t> exit_code = {};
};

// A path `.../<time>_<id>.jsonl` names the session that this one was branched from.
std::string_view session_of_path(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  constexpr std::string_view k_ending = ".jsonl";
  if (name.ends_with(k_ending)) {
    name.remove_suffix(k_ending.size());
  }
  return name.substr(name.rfind('_') + 1);
}

// pi's sessions, version 3 and what came before it (facts: traces.md, 1.3).
class PiReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    Entry entry;
    ChatMessage message(m_batch);
    bool is_sound = true;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      is_sound = is_sound && read_member(key, value, entry, message);
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (entry.type == "message") {
      message.finish();
      finish_message(entry);
    } else if (entry.type == "session") {
      finish_session(entry);
    } else {
      finish_other(entry);
    }
    return true;
  }

private:
  bool
  read_member(std::string_view key, ondemand::value& value, Entry& entry, ChatMessage& message) {
    Envelope& envelope = m_batch.envelope;
    if (m_batch.is_full()) {
      return false;
    }
    if (key == "message") {
      return read_message(value, entry, message);
    }
    if (key == "type") {
      entry.type = m_batch.kept(raw_or_empty(value), 200);
    } else if (key == "id") {
      envelope.id = m_batch.kept(raw_or_empty(value));
    } else if (key == "parentId") {
      envelope.parent = m_batch.kept(raw_or_empty(value));
    } else if (key == "timestamp") {
      envelope.time_ms = time_of(value);
    } else if (key == "cwd") {
      envelope.cwd = m_batch.kept(raw_or_empty(value));
    } else if (key == "modelId") {
      entry.model = m_batch.kept(raw_or_empty(value));
    } else if (key == "parentSession" || key == "branchedFrom") {
      entry.origin = m_batch.kept(raw_or_empty(value));
    } else if (key == "summary") {
      entry.summary = raw_or_empty(value);
    } else if (key == "name" || key == "label" || key == "customType") {
      entry.name = raw_or_empty(value);
    } else if (key == "content") { // of an extension's message
      m_batch.add(EventKind::user, EventForm::injected);
      return add_content(value, m_batch);
    }
    return true;
  }

  bool read_message(ondemand::value& value, Entry& entry, ChatMessage& message) {
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "command") {
        entry.command = raw_or_empty(member);
      } else if (key == "output") {
        entry.output = raw_or_empty(member);
      } else if (key == "exitCode") {
        std::optional<std::int64_t> code = integer(member);
        if (code && *code == static_cast<std::int32_t>(*code)) {
          entry.exit_code = static_cast<std::int32_t>(*code);
        }
      } else if (key == "summary") {
        entry.summary = raw_or_empty(member);
      } else if (key == "customType") {
        entry.name = raw_or_empty(member);
      } else {
        is_sound = is_sound && message.read_member(key, member);
      }
    });
    entry.role = message.role();
    return is_whole && is_sound;
  }

  void finish_message(const Entry& entry) {
    if (entry.role == "bashExecution") {
      add_command(entry);
    } else if (entry.role == "custom" || entry.role == "hookMessage") {
      for (Event& event : m_batch.events()) {
        event.kind = EventKind::user;
        event.form = EventForm::injected;
        event.name = m_batch.kept(entry.name, 200);
      }
    } else if (entry.role == "branchSummary" || entry.role == "compactionSummary") {
      add_summary(entry);
    } else if (entry.role == "assistant") {
      for (Event& event : m_batch.events()) {
        event.message = m_batch.envelope.id;
      }
    }
  }

  // A shell line of the person, and what it printed.
  void add_command(const Entry& entry) {
    Event& event = m_batch.add(EventKind::user, EventForm::command);
    event.name = "bash";
    event.exit_code = entry.exit_code;
    m_batch.add_text(entry.command);
    if (!entry.output.empty()) {
      m_batch.add_text(entry.output);
    }
  }

  void add_summary(const Entry& entry) {
    Event& event = m_batch.add(EventKind::user, EventForm::summary);
    event.name = entry.role.empty() ? entry.type : entry.role;
    event.text.first = entry.summary;
  }

  void finish_session(const Entry& entry) {
    m_batch.drop_events();
    Envelope& envelope = m_batch.envelope;
    envelope.session = std::exchange(envelope.id, {});
    envelope.forked_from = session_of_path(entry.origin);
    Event& event = m_batch.add(EventKind::meta, EventForm::session);
    event.model = entry.model;
  }

  void finish_other(const Entry& entry) {
    if (entry.type == "custom_message") {
      for (Event& event : m_batch.events()) {
        event.name = m_batch.kept(entry.name, 200);
      }
      return;
    }
    m_batch.drop_events();
    Event& event = m_batch.add(EventKind::meta, EventForm::state);
    event.name = entry.type;
    if (entry.type == "model_change") {
      event.form = EventForm::model;
      event.model = entry.model;
    } else if (entry.type == "session_info") {
      event.form = EventForm::title;
      event.text.first = entry.name;
    } else if (entry.type == "label") {
      event.text.first = entry.name;
    } else if (entry.type == "compaction") {
      event.form = EventForm::compaction;
      add_summary(entry);
    } else if (entry.type == "branch_summary") {
      m_batch.drop_events();
      add_summary(entry);
    } else if (entry.type != "thinking_level_change" && entry.type != "custom"
               && entry.type != "context_transform" && entry.type != "ephemeral") {
      event.form = EventForm::unknown;
    }
  }
};

} // namespace

std::unique_ptr<Reader> make_pi_reader() {
  return std::make_unique<PiReader>();
}

} // namespace upskill::trace
