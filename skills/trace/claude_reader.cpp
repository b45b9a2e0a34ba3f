#include "skills/trace/claude_words.h"
#include "skills/trace/json_record.h"
#include "skills/trace/readers.h"

#include <utility>

namespace upskill::trace {
namespace {

// What decides, beside its content, what a record is.
struct Marks {
  std::string_view type = {};
  std::string_view subtype = {};
  std::string_view origin = {};        // `human`, `task-notification`
  std::string_view prompt_source = {}; // `typed`, `queued`, `system`, `sdk`
  std::string_view request = {};
  std::string_view skill = {}; // that was at work
  std::string_view title = {};
  std::string_view content = {};    // of a system record
  std::string_view attachment = {}; // its type
  std::string_view model = {};
  std::string_view message = {};
  std::optional<Usage> usage = {};
  bool is_meta = false;
  bool is_summary = false;
  bool is_failure = false; // an answer that reports what went wrong with the model's server
  bool is_sound = true;
};

EventForm form_of_user_text(std::string_view raw, const Marks& marks) {
  EventForm form = form_of_claude_text(raw);
  if (marks.is_summary) {
    return EventForm::summary;
  }
  if (form != EventForm::prompt) {
    return form;
  }
  bool is_person =
      marks.origin == "human" || marks.prompt_source == "typed" || marks.prompt_source == "queued";
  bool is_program = marks.is_meta || (!marks.origin.empty() && marks.origin != "human")
                    || marks.prompt_source == "system";
  return is_program && !is_person ? EventForm::injected : EventForm::prompt;
}

// Claude Code's JSONL (facts: traces.md, 1.1).
class ClaudeReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    Marks marks;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      read_member(key, value, marks);
    });
    if (!is_whole || !marks.is_sound) {
      return false;
    }
    if (marks.type == "user") {
      finish_user(marks);
    } else if (marks.type == "assistant") {
      finish_assistant(marks);
    } else if (marks.type == "attachment") {
      finish_attachment(marks);
    } else {
      finish_other(marks);
    }
    return true;
  }

private:
  void read_member(std::string_view key, ondemand::value& value, Marks& marks) {
    Envelope& envelope = m_batch.envelope;
    if (key == "message") {
      marks.is_sound = marks.is_sound && read_message(value, marks);
    } else if (key == "type") {
      marks.type = raw_or_empty(value);
    } else if (key == "uuid") {
      envelope.id = m_batch.kept(raw_or_empty(value));
    } else if (key == "parentUuid") {
      envelope.parent = m_batch.kept(raw_or_empty(value));
    } else if (key == "sessionId") {
      envelope.session = m_batch.kept(raw_or_empty(value));
    } else if (key == "timestamp") {
      envelope.time_ms = time_of(value);
    } else if (key == "cwd") {
      envelope.cwd = m_batch.kept(raw_or_empty(value));
    } else if (key == "gitBranch") {
      envelope.branch = m_batch.kept(raw_or_empty(value));
    } else if (key == "forkedFrom") {
      marks.is_sound = each_member(value,
                                   [&](std::string_view name, ondemand::value& member) {
                                     if (name == "sessionId") {
                                       envelope.forked_from = m_batch.kept(raw_or_empty(member));
                                     }
                                   })
                       && marks.is_sound;
    } else if (key == "version") {
      envelope.version = m_batch.kept(raw_or_empty(value));
    } else if (key == "isSidechain") {
      envelope.is_sidechain = is_true(value);
    } else if (key == "agentId") {
      envelope.agent = m_batch.kept(raw_or_empty(value));
    } else if (key == "promptId") {
      envelope.turn = m_batch.kept(raw_or_empty(value));
    } else {
      read_mark(key, value, marks);
    }
  }

  void read_mark(std::string_view key, ondemand::value& value, Marks& marks) {
    if (key == "requestId") {
      marks.request = raw_or_empty(value);
    } else if (key == "attributionSkill") {
      marks.skill = m_batch.kept(raw_or_empty(value));
    } else if (key == "isMeta") {
      marks.is_meta = is_true(value);
    } else if (key == "isCompactSummary") {
      marks.is_summary = is_true(value);
    } else if (key == "isApiErrorMessage") {
      marks.is_failure = is_true(value);
    } else if (key == "promptSource") {
      marks.prompt_source = raw_or_empty(value);
    } else if (key == "subtype") {
      marks.subtype = raw_or_empty(value);
    } else if (key == "content") {
      marks.content = raw_or_empty(value);
    } else if (key == "summary" || key == "aiTitle" || key == "customTitle" || key == "title") {
      marks.title = raw_or_empty(value);
    } else if (key == "origin") {
      each_member(value, [&](std::string_view name, ondemand::value& member) {
        if (name == "kind") {
          marks.origin = raw_or_empty(member);
        }
      });
    } else if (key == "attachment") {
      marks.is_sound = marks.is_sound && read_attachment(value, marks);
    }
  }

  // {role, content, model, id, usage}; blocks become events, whose kind the record's type decides.
  bool read_message(ondemand::value& message, Marks& marks) {
    bool is_sound = true;
    bool is_whole = each_member(message, [&](std::string_view key, ondemand::value& value) {
      if (key == "content") {
        is_sound = is_sound && read_content(value);
      } else if (key == "model") {
        marks.model = m_batch.kept(raw_or_empty(value));
      } else if (key == "id") {
        marks.message = m_batch.kept(raw_or_empty(value));
      } else if (key == "usage") {
        is_sound = is_sound && read_usage(value, marks);
      }
    });
    return is_whole && is_sound;
  }

  bool read_content(ondemand::value& content) {
    if (std::optional<std::string_view> text = raw_string(content)) {
      m_batch.add(EventKind::meta, EventForm::text);
      m_batch.add_text(*text);
      return true;
    }
    bool is_sound = true;
    bool is_whole = each_element(
        content, [&](ondemand::value& block) { is_sound = is_sound && read_block(block); });
    return is_whole && is_sound;
  }

  bool read_block(ondemand::value& block) {
    // Added before its type is known: a block's members come in any order.
    std::size_t index = m_batch.events().size();
    m_batch.add(EventKind::meta, EventForm::unknown);
    std::string_view type;
    bool is_sound = true;
    bool is_whole = each_member(block, [&](std::string_view key, ondemand::value& value) {
      Event& event = m_batch.events()[index];
      if (key == "type") {
        type = raw_or_empty(value);
      } else if (key == "text" || key == "thinking") {
        m_batch.add_text(raw_or_empty(value));
      } else if (key == "content") {
        is_sound = is_sound && read_result(value);
      } else if (key == "input") {
        event.text = {raw_json(value), {}, Encoding::json_value};
      } else if (key == "name") {
        event.name = m_batch.kept(raw_or_empty(value));
      } else if (key == "id" || key == "tool_use_id") {
        event.call = m_batch.kept(raw_or_empty(value));
      } else if (key == "is_error") {
        event.is_error = is_true(value);
      }
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    finish_block(m_batch.events()[index], type);
    return true;
  }

  void finish_block(Event& event, std::string_view type) {
    if (type == "text") {
      event.form = EventForm::text;
    } else if (type == "thinking") {
      event.form = EventForm::thinking;
    } else if (type == "tool_use" || type == "server_tool_use") {
      event.kind = EventKind::tool_call;
      event.form = EventForm::call;
      if (event.name == "Skill") {
        event.skill = skill_of_input(event.text.first);
      }
    } else if (type.ends_with("tool_result")) {
      event.kind = EventKind::tool_result;
      event.form = EventForm::result;
      event.exit_code = claude_exit_code(event.text.first);
    } else if (type == "image" || type == "document") {
      event.form = EventForm::text;
      event.images = 1;
    } else if (type == "redacted_thinking") {
      event.form = EventForm::state;
      event.name = "redacted_thinking";
    } else {
      event.name = m_batch.kept(type);
    }
  }

  // A string, or blocks of text and images.
  bool read_result(ondemand::value& content) {
    if (std::optional<std::string_view> text = raw_string(content)) {
      m_batch.add_text(*text);
      return true;
    }
    return each_element(content, [&](ondemand::value& block) {
      std::string_view text;
      std::string_view type;
      each_member(block, [&](std::string_view key, ondemand::value& value) {
        if (key == "text") {
          text = raw_or_empty(value);
        } else if (key == "type") {
          type = raw_or_empty(value);
        }
      });
      if (type == "image") {
        ++m_batch.events().back().images;
      } else if (!text.empty()) {
        m_batch.add_text(text);
      }
    });
  }

  bool read_usage(ondemand::value& value, Marks& marks) {
    Usage usage;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& count) {
      if (key == "input_tokens") {
        usage.input = integer(count);
      } else if (key == "output_tokens") {
        usage.output = integer(count);
      } else if (key == "cache_read_input_tokens") {
        usage.cache_read = integer(count);
      } else if (key == "cache_creation_input_tokens") {
        usage.cache_write = integer(count);
      }
    });
    marks.usage = usage;
    return is_whole;
  }

  // `queued_command` holds words that were typed in the middle of a turn.
  bool read_attachment(ondemand::value& value, Marks& marks) {
    bool is_sound = true;
    m_batch.add(EventKind::meta, EventForm::injected);
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "type") {
        marks.attachment = m_batch.kept(raw_or_empty(member));
      } else if (key == "prompt" || key == "content") {
        is_sound = is_sound && read_result(member);
      } else if (key == "commandMode" && raw_or_empty(member) != "prompt") {
        marks.is_meta = true;
      }
    });
    return is_whole && is_sound;
  }

  // {"skill": NAME}, or {"command": NAME} in older versions.
  std::string_view skill_of_input(std::string_view input) {
    for (std::string_view key :
         {std::string_view("\"skill\":\""), std::string_view("\"command\":\"")}) {
      std::size_t at = input.find(key);
      if (at != std::string_view::npos) {
        input.remove_prefix(at + key.size());
        return m_batch.kept(input.substr(0, input.find('"')), 200);
      }
    }
    return {};
  }

  void finish_user(const Marks& marks) {
    for (Event& event : m_batch.events()) {
      if (event.kind == EventKind::meta && event.form == EventForm::text) {
        event.kind = EventKind::user;
        event.form = form_of_user_text(event.text.first, marks);
        event.skill = event.form == EventForm::skill
                          ? m_batch.kept(claude_skill_of(event.text.first), 200)
                          : std::string_view{};
      }
    }
  }

  void finish_assistant(const Marks& marks) {
    // Thinking that is only a signature says nothing.
    std::string_view message = message_key(marks);
    if (m_batch.events().empty()) {
      m_batch.add(EventKind::meta, EventForm::usage);
    }
    for (Event& event : m_batch.events()) {
      if (event.kind == EventKind::meta
          && (event.form == EventForm::text || event.form == EventForm::thinking)) {
        event.kind = marks.is_failure ? EventKind::meta : EventKind::assistant;
        event.form = marks.is_failure ? EventForm::error : event.form;
      }
      event.message = message;
      event.model = marks.model == "<synthetic>" ? std::string_view{} : marks.model;
      event.skill = event.skill.empty() ? marks.skill : event.skill;
    }
    m_batch.events().front().usage = marks.usage;
  }

  // Records of one answer repeat both; either may be missing.
  std::string_view message_key(const Marks& marks) {
    if (marks.request.empty()) {
      return marks.message;
    }
    std::string key(marks.message);
    key += '/';
    key += marks.request;
    return m_batch.keep(std::move(key));
  }

  void finish_attachment(const Marks& marks) {
    if (m_batch.events().empty()) {
      m_batch.add(EventKind::meta, EventForm::unknown);
    }
    Event& event = m_batch.events().back();
    event.form = form_of_claude_attachment(marks.attachment);
    event.name = marks.attachment;
    if (event.form == EventForm::prompt) {
      event.kind = EventKind::user;
      EventForm form = form_of_claude_text(event.text.first);
      event.form = form == EventForm::prompt && marks.is_meta ? EventForm::injected : form;
    }
  }

  void finish_other(const Marks& marks) {
    EventForm form = form_of_claude_type(marks.type, marks.subtype);
    m_batch.drop_events();
    Event& event = m_batch.add(EventKind::meta, form);
    event.name = m_batch.kept(marks.type == "system" ? marks.subtype : marks.type);
    if (form == EventForm::title) {
      event.text.first = marks.title;
    } else if (form == EventForm::error || form == EventForm::compaction) {
      event.text.first = marks.content;
    }
  }
};

} // namespace

std::unique_ptr<Reader> make_claude_reader() {
  return std::make_unique<ClaudeReader>();
}

} // namespace upskill::trace
