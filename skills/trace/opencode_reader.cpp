#include "skills/trace/chat_message.h"
#include "skills/trace/readers.h"

namespace upskill::trace {
namespace {

// `info`, of a message or of the session.
struct Info {
  std::string_view id = {};
  std::string_view role = {};
  std::string_view session = {};
  std::string_view parent = {};
  std::string_view model = {};
  std::string_view title = {};
  std::string_view error = {}; // its name
  std::string_view error_text = {};
  std::string_view finish = {};
  std::optional<Usage> usage = {};
  bool is_summary = false; // what a compaction left
};

struct Part {
  std::string_view type = {};
  std::string_view mime = {};
  std::string_view file = {};
  std::string_view words = {}; // of a prompt for a helper
  bool is_synthetic = false;
};

// What a tool was given and did.
struct ToolState {
  std::string_view status = {};
  Text input = {{}, {}, Encoding::json_value};
  std::string_view output = {};
  std::string_view error = {};
  std::optional<std::int32_t> exit_code = {};
};

// OpenCode's export: messages are {info, parts}, and the document's own info is the session's
// (facts: traces.md, 1.3).
class OpencodeReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    Info info;
    bool is_sound = true;
    bool is_header = true;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      if (key == "info") {
        is_sound = is_sound && read_info(value, info);
      } else if (key == "parts") {
        is_header = false;
        is_sound = is_sound && each_element(value, [&](ondemand::value& part) {
                     is_sound = is_sound && read_part(part);
                   });
      }
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (is_header && info.role.empty()) {
      finish_header(info);
    } else {
      finish_message(info);
    }
    return true;
  }

private:
  bool read_info(ondemand::value& value, Info& info) {
    Envelope& envelope = m_batch.envelope;
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "id") {
        info.id = m_batch.kept(raw_or_empty(member));
      } else if (key == "sessionID") {
        info.session = m_batch.kept(raw_or_empty(member));
      } else if (key == "role") {
        info.role = raw_or_empty(member);
      } else if (key == "parentID") {
        info.parent = m_batch.kept(raw_or_empty(member));
      } else if (key == "directory") {
        envelope.cwd = m_batch.kept(raw_or_empty(member));
      } else if (key == "version") {
        envelope.version = m_batch.kept(raw_or_empty(member));
      } else if (key == "title") {
        info.title = raw_or_empty(member);
      } else {
        is_sound = is_sound && read_more(key, member, info);
      }
    });
    return is_whole && is_sound;
  }

  bool read_more(std::string_view key, ondemand::value& value, Info& info) {
    if (key == "modelID") {
      info.model = m_batch.kept(raw_or_empty(value));
    } else if (key == "finish") {
      info.finish = raw_or_empty(value);
    } else if (key == "summary") {
      info.is_summary = is_true(value); // a user's is an object
    } else if (key == "cost") {
      info.usage = info.usage.value_or(Usage{});
      info.usage->cost = number(value);
    } else if (key == "tokens") {
      info.usage = info.usage.value_or(Usage{});
      return read_tokens(value, *info.usage);
    } else if (key == "error") {
      return read_error(value, info);
    } else if (key == "time" || key == "path" || key == "model") {
      return each_member(value, [&](std::string_view name, ondemand::value& member) {
        if (name == "created") {
          m_batch.envelope.time_ms = time_of(member);
        } else if (name == "cwd") {
          m_batch.envelope.cwd = m_batch.kept(raw_or_empty(member));
        } else if (name == "modelID") {
          info.model = m_batch.kept(raw_or_empty(member));
        }
      });
    }
    return true;
  }

  bool read_tokens(ondemand::value& value, Usage& usage) {
    std::optional<std::int64_t> reasoning;
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "input") {
        usage.input = integer(member);
      } else if (key == "output") {
        usage.output = integer(member);
      } else if (key == "reasoning") {
        reasoning = integer(member);
      } else if (key == "cache") {
        is_sound = each_member(member, [&](std::string_view name, ondemand::value& count) {
          if (name == "read") {
            usage.cache_read = integer(count);
          } else if (name == "write") {
            usage.cache_write = integer(count);
          }
        });
      }
    });
    // Counted, and paid for, beside the output.
    if (usage.output && reasoning) {
      usage.output = *usage.output + *reasoning;
    }
    return is_whole && is_sound;
  }

  bool read_error(ondemand::value& value, Info& info) {
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "name") {
        info.error = m_batch.kept(raw_or_empty(member), 200);
      } else if (key == "data") {
        is_sound = each_member(member, [&](std::string_view name, ondemand::value& text) {
          info.error_text = name == "message" ? raw_or_empty(text) : info.error_text;
        });
      }
    });
    return is_whole && is_sound;
  }

  bool read_part(ondemand::value& value) {
    if (m_batch.is_full()) {
      return false;
    }
    std::size_t index = m_batch.events().size();
    m_batch.add(EventKind::meta, EventForm::text);
    Part part;
    ToolState state;
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      Event& event = m_batch.events()[index];
      if (key == "type") {
        part.type = raw_or_empty(member);
      } else if (key == "text") {
        event.text.first = raw_or_empty(member);
      } else if (key == "synthetic" || key == "ignored") {
        part.is_synthetic = part.is_synthetic || is_true(member);
      } else if (key == "tool") {
        event.name = m_batch.kept(raw_or_empty(member));
      } else if (key == "callID") {
        event.call = m_batch.kept(raw_or_empty(member));
      } else if (key == "state") {
        is_sound = is_sound && read_state(member, state);
      } else if (key == "mime") {
        part.mime = raw_or_empty(member);
      } else if (key == "filename") {
        part.file = raw_or_empty(member);
      } else if (key == "prompt") {
        part.words = raw_or_empty(member);
      }
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (part.type == "tool") {
      finish_tool(index, state);
    } else {
      finish_part(m_batch.events()[index], part);
    }
    return true;
  }

  bool read_state(ondemand::value& value, ToolState& state) {
    bool is_sound = true;
    bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "status") {
        state.status = raw_or_empty(member);
      } else if (key == "input") {
        state.input = input_of(member);
      } else if (key == "output") {
        state.output = raw_or_empty(member);
      } else if (key == "error") {
        state.error = raw_or_empty(member);
      } else if (key == "metadata") {
        is_sound = each_member(member, [&](std::string_view name, ondemand::value& number) {
          std::optional<std::int64_t> code = name == "exit" ? integer(number) : std::nullopt;
          if (code && *code == static_cast<std::int32_t>(*code)) {
            state.exit_code = static_cast<std::int32_t>(*code);
          }
        });
      }
    });
    return is_whole && is_sound;
  }

  // One part is the call and, once it has come to an end, its result.
  void finish_tool(std::size_t index, const ToolState& state) {
    Event& call = m_batch.events()[index];
    call.kind = EventKind::tool_call;
    call.form = EventForm::call;
    call.text = state.input;
    if (call.name == "skill") {
      call.skill = skill_of(state.input.first);
    }
    bool is_failure = state.status == "error";
    if (!is_failure && state.status != "completed") {
      return;
    }
    std::string_view name = call.name;
    std::string_view id = call.call;
    std::string_view skill = call.skill;
    Event& result = m_batch.add(EventKind::tool_result, EventForm::result);
    result.name = name;
    result.call = id;
    result.skill = skill;
    result.text.first = is_failure ? state.error : state.output;
    result.is_error = is_failure;
    result.exit_code = state.exit_code;
  }

  // {"name": NAME}
  std::string_view skill_of(std::string_view input) {
    constexpr std::string_view k_name = "\"name\"";
    std::size_t at = input.find(k_name);
    if (at == std::string_view::npos) {
      return {};
    }
    input = trim_raw(input.substr(at + k_name.size()));
    std::size_t quote = input.find('"');
    input.remove_prefix(quote == std::string_view::npos ? input.size() : quote + 1);
    return m_batch.kept(input.substr(0, input.find('"')), 200);
  }

  // Text keeps the form `text` until the role is known.
  void finish_part(Event& event, const Part& part) {
    if (part.type == "text") {
      event.form = part.is_synthetic ? EventForm::injected : EventForm::text;
    } else if (part.type == "reasoning") {
      event.form = EventForm::thinking;
    } else if (part.type == "file") {
      bool is_image = part.mime.starts_with("image/");
      event.form = is_image ? EventForm::text : EventForm::injected;
      event.name = "file";
      event.images = is_image ? 1 : 0;
      event.text.first = part.file;
    } else if (part.type == "subtask") {
      event.form = EventForm::command;
      event.name = "subtask";
      event.text.first = part.words;
    } else if (part.type == "compaction") {
      event.form = EventForm::compaction;
    } else if (part.type == "retry") {
      event.form = EventForm::error;
    } else {
      bool is_known = part.type == "step-start" || part.type == "step-finish"
                      || part.type == "patch" || part.type == "snapshot" || part.type == "agent";
      event.form = is_known ? EventForm::state : EventForm::unknown;
      event.name = m_batch.kept(part.type, 200);
    }
  }

  void finish_message(const Info& info) {
    m_batch.envelope.id = info.id;
    m_batch.envelope.parent = info.parent;
    m_batch.envelope.session = info.session;
    bool is_user = info.role == "user";
    for (Event& event : m_batch.events()) {
      if (event.kind == EventKind::meta) {
        finish_text(event, info, is_user);
      }
      if (!is_user) {
        event.message = info.id;
        event.model = info.model;
      }
    }
    if (!is_user) {
      finish_answer(info);
    }
  }

  void finish_text(Event& event, const Info& info, bool is_user) {
    bool is_words = event.form == EventForm::text || event.form == EventForm::injected
                    || event.form == EventForm::command;
    if (is_user && is_words) {
      event.kind = EventKind::user;
      event.form =
          event.form == EventForm::text ? form_of_user_words(event.text.first) : event.form;
    } else if (event.form == EventForm::text && info.is_summary) {
      event.kind = EventKind::user;
      event.form = EventForm::summary;
    } else if (event.form == EventForm::text || event.form == EventForm::thinking) {
      event.kind = EventKind::assistant;
    }
  }

  void finish_answer(const Info& info) {
    if (m_batch.events().empty() && info.usage) {
      Event& event = m_batch.add(EventKind::meta, EventForm::usage);
      event.message = info.id;
      event.model = info.model;
    }
    if (info.usage) {
      m_batch.events().front().usage = info.usage;
    }
    for (std::size_t i = m_batch.events().size(); i-- > 0 && info.finish == "stop";) {
      Event& event = m_batch.events()[i];
      if (event.kind == EventKind::assistant && event.form == EventForm::text) {
        event.form = EventForm::answer;
        break;
      }
    }
    if (!info.error.empty()) {
      bool is_person = info.error == "MessageAbortedError";
      Event& event = m_batch.add(is_person ? EventKind::user : EventKind::meta,
                                 is_person ? EventForm::interrupt : EventForm::error);
      event.name = info.error;
      event.text.first = info.error_text;
    }
  }

  void finish_header(const Info& info) {
    Envelope& envelope = m_batch.envelope;
    envelope.session = info.id;
    // A helper's session is one of its own, whose parent is the session that called it.
    envelope.parent = info.parent;
    envelope.is_sidechain = !info.parent.empty();
    m_batch.add(EventKind::meta, EventForm::session);
    if (!info.title.empty()) {
      m_batch.add(EventKind::meta, EventForm::title).text.first = info.title;
    }
  }
};

} // namespace

std::unique_ptr<Reader> make_opencode_reader() {
  return std::make_unique<OpencodeReader>();
}

} // namespace upskill::trace
