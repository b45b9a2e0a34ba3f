#include "skills/trace/chat_message.h"

namespace upskill::trace {

ChatMessage::ChatMessage(EventBatch& batch)
    : m_batch(batch)
    , m_first(batch.events().size()) {}

bool ChatMessage::read(ondemand::value& message) {
  bool is_sound = true;
  bool is_whole = each_member(message, [&](std::string_view key, ondemand::value& value) {
    is_sound = is_sound && read_member(key, value);
  });
  return is_whole && is_sound;
}

bool ChatMessage::read_member(std::string_view key, ondemand::value& value) {
  if (m_batch.is_full()) { // a name may stand there as often as it likes
    return false;
  }
  if (is_one_of(key, {"role", "from"})) {
    m_role = m_batch.kept(raw_or_empty(value), 200);
    return true;
  }
  if (is_one_of(key, {"content", "value"})) {
    return read_content(value);
  }
  if (is_one_of(key, {"reasoningContent", "reasoning_content", "reasoning"})) {
    std::string_view text = raw_or_empty(value);
    if (!text.empty()) {
      m_batch.add(EventKind::assistant, EventForm::thinking).text.first = text;
    }
    return true;
  }
  if (is_one_of(key, {"toolCalls", "tool_calls"})) {
    return read_calls(value);
  }
  if (key == "tool_results") {
    return read_results(value);
  }
  if (key == "channels") {
    return read_channels(value);
  }
  return key == "usage" ? read_usage(value) : read_mark(key, value);
}

bool ChatMessage::read_mark(std::string_view key, ondemand::value& value) {
  if (is_one_of(key, {"toolCallId", "tool_call_id"})) {
    m_call = m_batch.kept(raw_or_empty(value));
  } else if (is_one_of(key, {"toolName", "name"})) {
    m_name = m_batch.kept(raw_or_empty(value));
  } else if (is_one_of(key, {"isError", "is_error"})) {
    m_is_error = is_true(value);
  } else if (key == "model") {
    m_model = m_batch.kept(raw_or_empty(value));
  } else if (is_one_of(key, {"stopReason", "stop_reason"})) {
    m_stop = raw_or_empty(value);
  } else if (key == "errorMessage") {
    m_error = raw_or_empty(value);
  } else if (key == "is_template") {
    m_is_template = is_true(value);
  } else if (key == "timestamp" && !m_batch.envelope.time_ms) {
    m_batch.envelope.time_ms = time_of(value);
  }
  return true;
}

bool ChatMessage::read_content(ondemand::value& content) {
  if (role_of(m_role) == Role::tool) {
    m_batch.add(EventKind::tool_result, EventForm::result);
    return add_content(content, m_batch);
  }
  if (std::optional<std::string_view> text = raw_string(content)) {
    if (!text->empty()) {
      m_batch.add(EventKind::meta, EventForm::text).text.first = *text;
    }
    return true;
  }
  bool is_sound = true;
  bool is_whole = each_element(
      content, [&](ondemand::value& block) { is_sound = is_sound && read_block(block); });
  return is_whole && is_sound;
}

bool ChatMessage::read_block(ondemand::value& block) {
  if (m_batch.is_full()) {
    return false;
  }
  std::size_t index = m_batch.events().size();
  // Added before its type is known: a block's members come in any order.
  m_batch.add(EventKind::meta, EventForm::text);
  if (std::optional<std::string_view> text = raw_string(block)) {
    m_batch.add_text(*text);
    return true;
  }
  std::string_view type;
  bool is_sound = true;
  bool is_whole = each_member(block, [&](std::string_view key, ondemand::value& value) {
    if (key == "type") {
      type = raw_or_empty(value);
    } else if (is_one_of(key, {"text", "thinking"})) {
      m_batch.add_text(raw_or_empty(value));
    } else {
      is_sound = is_sound && read_call_member(index, key, value);
    }
  });
  finish_block(m_batch.events()[index], type);
  return is_whole && is_sound;
}

void ChatMessage::finish_block(Event& event, std::string_view type) {
  if (is_one_of(type, {"thinking", "reasoning"})) {
    event.kind = EventKind::assistant;
    event.form = EventForm::thinking;
  } else if (is_one_of(type, {"tool_use", "toolCall", "tool_call", "server_tool_use"})) {
    event.kind = EventKind::tool_call;
    event.form = EventForm::call;
  } else if (type.ends_with("tool_result")) {
    event.kind = EventKind::tool_result;
    event.form = EventForm::result;
    event.exit_code = exit_code_of_output(event.text.first);
  } else if (is_image_type(type)) {
    event.images = 1;
  } else if (!is_one_of(type, {"", "text", "input_text", "output_text", "resource"})) {
    event.form = EventForm::unknown;
    event.name = m_batch.kept(type, 200);
  }
}

bool ChatMessage::read_calls(ondemand::value& calls) {
  ondemand::json_type type{};
  if (calls.type().get(type) != simdjson::SUCCESS) {
    return false;
  }
  bool is_sound = true;
  bool is_whole = true;
  if (type == ondemand::json_type::object) { // fast-agent's: its names are the ids
    is_whole = each_member(calls, [&](std::string_view id, ondemand::value& call) {
      is_sound = is_sound && read_call(id, call);
    });
  } else {
    is_whole = each_element(
        calls, [&](ondemand::value& call) { is_sound = is_sound && read_call({}, call); });
  }
  return is_whole && is_sound;
}

bool ChatMessage::read_call(std::string_view id, ondemand::value& call) {
  if (m_batch.is_full()) {
    return false;
  }
  std::size_t index = m_batch.events().size();
  m_batch.add(EventKind::tool_call, EventForm::call).call = m_batch.kept(id);
  bool is_sound = true;
  bool is_whole = each_member(call, [&](std::string_view key, ondemand::value& value) {
    if (!is_one_of(key, {"function", "params"})) {
      is_sound = is_sound && read_call_member(index, key, value);
      return;
    }
    is_sound = each_member(value,
                           [&](std::string_view name, ondemand::value& member) {
                             is_sound = is_sound && read_call_member(index, name, member);
                           })
               && is_sound;
  });
  return is_whole && is_sound;
}

bool ChatMessage::read_call_member(std::size_t index,
                                   std::string_view key,
                                   ondemand::value& value) {
  if (is_one_of(key, {"content", "resource"})) {
    return add_content(value, m_batch);
  }
  Event& event = m_batch.events()[index];
  if (is_one_of(key, {"arguments", "input", "args"})) {
    event.text = input_of(value);
  } else if (is_one_of(key, {"name", "function_name"})) {
    event.name = m_batch.kept(raw_or_empty(value));
  } else if (is_one_of(key, {"id", "tool_use_id", "toolCallId", "tool_call_id"})) {
    event.call = m_batch.kept(raw_or_empty(value));
  } else if (is_one_of(key, {"isError", "is_error"})) {
    event.is_error = is_true(value);
  }
  return true;
}

bool ChatMessage::read_results(ondemand::value& results) {
  bool is_sound = true;
  bool is_whole = each_member(results, [&](std::string_view id, ondemand::value& result) {
    if (m_batch.is_full() || !is_sound) {
      is_sound = false;
      return;
    }
    std::size_t index = m_batch.events().size();
    m_batch.add(EventKind::tool_result, EventForm::result).call = m_batch.kept(id);
    bool is_read = each_member(result, [&](std::string_view key, ondemand::value& value) {
      is_sound = is_sound && (key == "id" || read_call_member(index, key, value));
    });
    is_sound = is_sound && is_read;
    Event& event = m_batch.events()[index];
    event.exit_code = exit_code_of_output(event.text.first);
  });
  return is_whole && is_sound;
}

// fast-agent's: lists of blocks by name; most of them are its own affairs.
bool ChatMessage::read_channels(ondemand::value& channels) {
  bool is_sound = true;
  bool is_whole = each_member(channels, [&](std::string_view name, ondemand::value& blocks) {
    is_sound = is_sound && !m_batch.is_full();
    if (!is_sound) {
      return;
    }
    if (is_one_of(name, {"reasoning", "thinking"})) {
      m_batch.add(EventKind::assistant, EventForm::thinking);
      is_sound = is_sound && add_content(blocks, m_batch);
    } else if (name == "fast-agent-error") {
      m_batch.add(EventKind::meta, EventForm::error);
      is_sound = is_sound && add_content(blocks, m_batch);
    }
  });
  return is_whole && is_sound;
}

bool ChatMessage::read_usage(ondemand::value& value) {
  Usage usage;
  bool is_whole = read_chat_usage(value, usage);
  if (usage != Usage{}) {
    m_usage = usage;
  }
  return is_whole;
}

void ChatMessage::finish() {
  Role role = role_of(m_role);
  for (std::size_t i = m_first; i < m_batch.events().size(); ++i) {
    finish_event(m_batch.events()[i], role);
  }
  if (role == Role::assistant) {
    finish_assistant();
  }
}

void ChatMessage::finish_event(Event& event, Role role) {
  bool is_text = event.kind == EventKind::meta && event.form == EventForm::text;
  if (is_text && role == Role::user) {
    event.kind = EventKind::user;
    event.form = m_is_template ? EventForm::injected : form_of_user_words(event.text.first);
  } else if (is_text && role == Role::assistant) {
    event.kind = EventKind::assistant;
  } else if (is_text && role == Role::tool) {
    event.kind = EventKind::tool_result;
    event.form = EventForm::result;
  } else if (is_text && role == Role::instructions) {
    event.form = EventForm::instructions;
  } else if (is_text) {
    event.name = m_role;
  }
  if (role == Role::tool && event.kind == EventKind::tool_result) {
    event.call = event.call.empty() ? m_call : event.call;
    event.name = m_name;
    event.is_error = m_is_error;
    event.exit_code = exit_code_of_output(event.text.first);
  }
  if (role == Role::assistant) {
    event.model = m_model;
  }
}

void ChatMessage::finish_assistant() {
  if (m_usage && m_batch.events().size() == m_first) {
    m_batch.add(EventKind::meta, EventForm::usage).model = m_model;
  }
  if (m_usage) {
    m_batch.events()[m_first].usage = m_usage;
  }
  if (is_one_of(m_stop, {"stop", "endTurn", "end_turn"})) {
    for (std::size_t i = m_batch.events().size(); i-- > m_first;) {
      Event& event = m_batch.events()[i];
      if (event.kind == EventKind::assistant && event.form == EventForm::text) {
        event.form = EventForm::answer;
        break;
      }
    }
  } else if (is_one_of(m_stop, {"aborted", "cancelled"})) {
    m_batch.add(EventKind::user, EventForm::interrupt).text.first = m_error;
  } else if (m_stop == "error" || !m_error.empty()) {
    m_batch.add(EventKind::meta, EventForm::error).text.first = m_error;
  }
}

} // namespace upskill::trace
