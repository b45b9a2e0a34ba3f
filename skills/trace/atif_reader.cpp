#include "skills/trace/chat_message.h"
#include "skills/trace/readers.h"

#include <algorithm>
#include <vector>

namespace upskill::trace {
namespace {

constexpr int k_max_depth = 8; // of helpers within helpers

struct Step {
  std::string_view source = {};
  std::string_view model = {};
  std::optional<Usage> usage = {};
  bool is_copy = false; // of a step that stands elsewhere
  std::string_view skill = {};
};

// Harbor's Agent Trajectory Interchange Format, to version 1.7 (facts: traces.md, Interchange).
// Records are steps, whole trajectories of helpers, and the document around them.
class AtifReader : public JsonReader {
protected:
  bool read_object(ondemand::object object) override {
    m_has_agent = false;
    m_title = {};
    m_failed.clear();
    m_total.reset();
    m_trajectory = {};
    m_model = {};
    Step step;
    bool has_steps = false;
    bool is_sound = true;
    bool is_whole = each_member(object, [&](std::string_view key, ondemand::value& value) {
      has_steps = has_steps || key == "steps";
      is_sound = is_sound && read_member(key, value, step, 0);
    });
    if (!is_whole || !is_sound) {
      return false;
    }
    if (m_has_agent || has_steps) {
      finish_trajectory();
    } else {
      finish_step(0, step);
    }
    return true;
  }

private:
  bool read_member(std::string_view key, ondemand::value& value, Step& step, int depth) {
    if (key == "steps" || key == "subagent_trajectories") {
      return depth < k_max_depth && read_list(value, depth);
    }
    return read_step_member(key, value, step)
           && (key == "extra" || read_trajectory_member(key, value));
  }

  // Of a helper, whose trajectory is one record.
  bool read_list(ondemand::value& list, int depth) {
    bool is_sound = true;
    bool is_whole = each_element(list, [&](ondemand::value& element) {
      Step step;
      std::size_t first = m_batch.events().size();
      bool is_step = true;
      bool is_read = each_member(element, [&](std::string_view key, ondemand::value& value) {
        is_step = is_step && key != "steps" && key != "agent";
        is_sound = is_sound && read_member(key, value, step, depth + 1);
      });
      is_sound = is_sound && is_read;
      if (is_step) {
        finish_step(first, step);
      }
    });
    return is_whole && is_sound;
  }

  bool read_step_member(std::string_view key, ondemand::value& value, Step& step) {
    if (m_batch.is_full()) {
      return false;
    }
    Envelope& envelope = m_batch.envelope;
    if (key == "source") {
      step.source = m_batch.kept(raw_or_empty(value), 200);
    } else if (key == "message") {
      return add_words(value, EventKind::meta, EventForm::text);
    } else if (key == "reasoning_content") {
      return add_words(value, EventKind::assistant, EventForm::thinking);
    } else if (key == "tool_calls") {
      bool is_sound = true;
      bool is_whole = each_element(
          value, [&](ondemand::value& call) { is_sound = is_sound && read_call(call); });
      return is_whole && is_sound;
    } else if (key == "observation") {
      return read_observation(value);
    } else if (key == "metrics") {
      Usage usage;
      bool is_whole = read_chat_usage(value, usage);
      step.usage = usage == Usage{} ? std::nullopt : std::optional(usage);
      return is_whole;
    } else if (key == "model_name") {
      step.model = m_batch.kept(raw_or_empty(value));
    } else if (key == "is_copied_context") {
      step.is_copy = is_true(value);
    } else if (key == "extra") {
      return read_extra(value, step);
    } else if (key == "timestamp" && !envelope.time_ms) {
      envelope.time_ms = time_of(value);
    } else if (key == "step_id" && envelope.id.empty()) {
      std::optional<std::int64_t> number = integer(value);
      envelope.id =
          number ? m_batch.keep(std::to_string(*number)) : m_batch.kept(raw_or_empty(value));
    }
    return true;
  }

  bool add_words(ondemand::value& value, EventKind kind, EventForm form) {
    std::optional<std::string_view> text = raw_string(value);
    if (text && text->empty()) {
      return true;
    }
    ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS || type == ondemand::json_type::null) {
      return true;
    }
    m_batch.add(kind, form);
    return add_content(value, m_batch);
  }

  bool read_call(ondemand::value& call) {
    if (m_batch.is_full()) {
      return false;
    }
    std::size_t index = m_batch.events().size();
    m_batch.add(EventKind::tool_call, EventForm::call);
    return each_member(call, [&](std::string_view key, ondemand::value& value) {
      Event& event = m_batch.events()[index];
      if (key == "tool_call_id") {
        event.call = m_batch.kept(raw_or_empty(value));
      } else if (key == "function_name") {
        event.name = m_batch.kept(raw_or_empty(value));
      } else if (key == "arguments") {
        event.text = input_of(value);
      }
    });
  }

  bool read_observation(ondemand::value& observation) {
    bool is_sound = true;
    bool is_whole = each_member(observation, [&](std::string_view key, ondemand::value& results) {
      if (key == "results") {
        is_sound = is_sound && each_element(results, [&](ondemand::value& result) {
                     is_sound = is_sound && read_result(result);
                   });
      }
    });
    return is_whole && is_sound;
  }

  bool read_result(ondemand::value& result) {
    if (m_batch.is_full()) {
      return false;
    }
    std::size_t index = m_batch.events().size();
    m_batch.add(EventKind::tool_result, EventForm::result);
    bool is_sound = true;
    bool is_whole = each_member(result, [&](std::string_view key, ondemand::value& value) {
      Event& event = m_batch.events()[index];
      if (key == "source_call_id") {
        event.call = m_batch.kept(raw_or_empty(value));
      } else if (key == "content") {
        is_sound = is_sound && add_content(value, m_batch);
      } else if (key == "extra") {
        is_sound = each_member(value,
                               [&](std::string_view name, ondemand::value& member) {
                                 if (name == "is_error") {
                                   event.is_error = is_true(member);
                                 } else if (name == "exit_code") {
                                   event.exit_code = exit_code_of(member);
                                 }
                               })
                   && is_sound;
      }
    });
    Event& event = m_batch.events()[index];
    event.exit_code = event.exit_code ? event.exit_code : exit_code_of_output(event.text.first);
    return is_whole && is_sound;
  }

  static std::optional<std::int32_t> exit_code_of(ondemand::value& value) {
    std::optional<std::int64_t> code = integer(value);
    bool is_code = code && *code == static_cast<std::int32_t>(*code);
    return is_code ? std::optional(static_cast<std::int32_t>(*code)) : std::nullopt;
  }

  // What is said of the whole; the format has no place for cwd and branch but `extra`.
  bool read_trajectory_member(std::string_view key, ondemand::value& value) {
    Envelope& envelope = m_batch.envelope;
    if (key == "session_id") {
      envelope.session = m_batch.kept(raw_or_empty(value));
    } else if (key == "trajectory_id") {
      m_trajectory = m_batch.kept(raw_or_empty(value));
    } else if (key == "agent") {
      m_has_agent = true;
      return read_agent(value);
    } else if (key == "final_metrics") {
      Usage usage;
      bool is_whole = read_chat_usage(value, usage);
      if (usage != Usage{}) {
        usage.is_total = true;
        m_total = usage;
      }
      return is_whole;
    }
    return true;
  }

  bool read_agent(ondemand::value& agent) {
    Envelope& envelope = m_batch.envelope;
    bool is_sound = true;
    bool is_whole = each_member(agent, [&](std::string_view key, ondemand::value& value) {
      if (key == "name" && envelope.harness.empty()) {
        envelope.harness = m_batch.kept(raw_or_empty(value), 200);
      } else if (key == "version" && envelope.version.empty()) {
        envelope.version = m_batch.kept(raw_or_empty(value), 200);
      } else if (key == "model_name" && m_model.empty()) {
        m_model = m_batch.kept(raw_or_empty(value));
      } else if (key == "extra") {
        Step none;
        is_sound = read_extra(value, none);
      }
    });
    return is_whole && is_sound;
  }

  bool read_extra(ondemand::value& extra, Step& step) {
    Envelope& envelope = m_batch.envelope;
    return each_member(extra, [&](std::string_view key, ondemand::value& value) {
      if (key == "cwd") {
        envelope.cwd = m_batch.kept(raw_or_empty(value));
      } else if (key == "branch" || key == "git_branch") {
        envelope.branch = m_batch.kept(raw_or_empty(value));
      } else if (key == "forked_from") {
        envelope.forked_from = m_batch.kept(raw_or_empty(value));
      } else if (key == "skill") {
        step.skill = m_batch.kept(raw_or_empty(value), 200);
      } else if (key == "title") {
        m_title = raw_or_empty(value);
      } else if (key == "failed_calls") {
        each_element(value, [&](ondemand::value& call) {
          m_failed.push_back(m_batch.kept(raw_or_empty(call)));
        });
      }
    });
  }

  // Our own exports tell so in the step's `extra`: a result has no place for it.
  void finish_results(std::size_t first) {
    for (std::size_t i = first; i < m_batch.events().size() && !m_failed.empty(); ++i) {
      Event& event = m_batch.events()[i];
      if (event.kind == EventKind::tool_result && !event.is_error
          && std::find(m_failed.begin(), m_failed.end(), event.call) != m_failed.end()) {
        event.is_error = true;
      }
    }
    m_failed.clear();
  }

  void finish_step(std::size_t first, const Step& step) {
    finish_results(first);
    Role role = role_of(step.source);
    std::vector<Event>& events = m_batch.events();
    if (events.size() == first && step.usage) {
      m_batch.add(EventKind::meta, EventForm::usage);
    }
    if (events.size() == first && role == Role::unknown) {
      m_batch.add(EventKind::meta, EventForm::unknown).name = step.source;
    }
    for (std::size_t i = first; i < events.size(); ++i) {
      Event& event = events[i];
      if (event.kind == EventKind::meta && event.form == EventForm::text) {
        finish_words(event, role, step);
      }
      event.skill = event.kind == EventKind::tool_result ? std::string_view{} : step.skill;
      event.model = role == Role::assistant ? step.model : std::string_view{};
      if (step.is_copy) {
        event.kind = EventKind::meta;
        event.form = EventForm::copy;
      }
    }
    if (step.usage && !step.is_copy) {
      events[first].usage = step.usage;
    }
  }

  void finish_words(Event& event, Role role, const Step& step) {
    if (role == Role::user) {
      event.kind = EventKind::user;
      event.form = form_of_user_words(event.text.first);
    } else if (role == Role::assistant) {
      event.kind = EventKind::assistant;
    } else if (role == Role::instructions && !step.skill.empty()) {
      event.kind = EventKind::user;
      event.form = EventForm::skill;
    } else if (role == Role::instructions) {
      event.form = EventForm::instructions;
    } else {
      event.name = step.source;
    }
  }

  // The document itself has its steps as records of their own; a helper's come before this.
  void finish_trajectory() {
    Envelope& envelope = m_batch.envelope;
    envelope.id = {};
    bool is_helper = !m_batch.events().empty();
    // A document of a helper alone has the session of its parent, and an id of its own.
    bool is_helpers_own = !m_trajectory.empty() && m_trajectory != envelope.session;
    envelope.is_sidechain = is_helper || is_helpers_own;
    envelope.agent = envelope.is_sidechain ? m_trajectory : std::string_view{};
    Event& session =
        m_batch.add(EventKind::meta, is_helper ? EventForm::state : EventForm::session);
    session.model = m_model;
    session.name = is_helper ? "subagent_trajectory" : std::string_view{};
    if (is_helper) {
      return;
    }
    if (!m_title.empty()) {
      m_batch.add(EventKind::meta, EventForm::title).text.first = m_title;
    }
    if (m_total) {
      m_batch.add(EventKind::meta, EventForm::usage).usage = m_total;
    }
  }

  bool m_has_agent = false;
  std::string_view m_title = {};
  std::vector<std::string_view> m_failed = {}; // ids of calls, of the step that is read
  std::string_view m_trajectory = {};
  std::string_view m_model = {};
  std::optional<Usage> m_total = {};
};

} // namespace

std::unique_ptr<Reader> make_atif_reader() {
  return std::make_unique<AtifReader>();
}

} // namespace upskill::trace
