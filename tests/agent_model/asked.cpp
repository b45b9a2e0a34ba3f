#include "tests/agent_model/asked.h"

namespace upskill::agent_model {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string event(std::string_view name, const Json& data) {
  std::string bytes;
  if (!name.empty()) {
    bytes += "event: ";
    bytes += name;
    bytes += '\n';
  }
  return bytes + "data: " + dump(data) + "\n\n";
}

const Json& at(const Json& object, const char* name) {
  static const Json k_null;
  if (!object.is_object()) {
    return k_null;
  }
  auto found = object.find(name);
  return found == object.end() ? k_null : *found;
}

std::string string_at(const Json& object, const char* name) {
  const Json& value = at(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string text_of(const Json& content) {
  if (content.is_string()) {
    return content.get<std::string>() + "\n";
  }
  std::string text;
  if (content.is_array()) {
    for (const Json& part : content) {
      text += text_of(part);
    }
  } else if (content.is_object()) {
    // Gemini's results of tools are objects; of a search for tools Claude Code tells their names.
    for (const char* name : {"text", "content", "output", "response", "tool_name"}) {
      text += text_of(at(content, name));
    }
  }
  return text;
}

} // namespace upskill::agent_model
