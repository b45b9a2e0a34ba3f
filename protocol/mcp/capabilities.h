#pragma once
#include "protocol/mcp/answer.h"
#include "protocol/mcp/call.h"
#include "protocol/mcp/version.h"

#include <optional>
#include <string>
#include <string_view>

namespace upskill::mcp {

// What the checked JSON of a client's capabilities declares, as far as it concerns us; nothing when
// it is not an object, or one of those members has another form than the schema says. Members that
// are not known may hold anything.
std::optional<ClientCapabilities> read_capabilities(std::string_view json, Version version);

// The JSON object of what an InputRequired asks for and the client has not declared; empty when
// nothing is missing.
std::string missing_for(const InputRequired& required, const ClientCapabilities& client);

inline constexpr std::string_view k_tasks_extension = "io.modelcontextprotocol/tasks";
inline constexpr std::string_view k_skills_extension = "io.modelcontextprotocol/skills";

// What a client must declare to be given a task.
inline constexpr std::string_view k_tasks_capability =
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

constexpr std::optional<LogLevel> log_level_from(std::string_view name) {
  for (std::size_t i = 0; i < k_log_level_names.size(); ++i) {
    if (k_log_level_names[i] == name) {
      return static_cast<LogLevel>(i);
    }
  }
  return std::nullopt;
}

constexpr std::string_view method_of(InputKind kind) {
  switch (kind) {
  case InputKind::elicitation:
    return "elicitation/create";
  case InputKind::sampling:
    return "sampling/createMessage";
  case InputKind::roots:
    break;
  }
  return "roots/list";
}

} // namespace upskill::mcp
