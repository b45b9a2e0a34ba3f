#include "skills/document/fields.h"

#include <algorithm>
#include <array>

namespace upskill::document {
namespace {

constexpr std::array<std::string_view, 6> k_specified{
    "name", "description", "license", "compatibility", "metadata", "allowed-tools"};

struct ExtraField {
  std::string_view field;
  std::string_view agent;
};

// One row for each field and agent (skills facts, section 8; Pi: its list of allowed fields).
constexpr std::array k_extra{
    ExtraField{"when_to_use", "Claude Code"},
    ExtraField{"argument-hint", "Claude Code"},
    ExtraField{"arguments", "Claude Code"},
    ExtraField{"disable-model-invocation", "Claude Code"},
    ExtraField{"disable-model-invocation", "Pi"},
    ExtraField{"user-invocable", "Claude Code"},
    ExtraField{"disallowed-tools", "Claude Code"},
    ExtraField{"model", "Claude Code"},
    ExtraField{"effort", "Claude Code"},
    ExtraField{"context", "Claude Code"},
    ExtraField{"agent", "Claude Code"},
    ExtraField{"background", "Claude Code"},
    ExtraField{"hooks", "Claude Code"},
    ExtraField{"paths", "Claude Code"},
    ExtraField{"shell", "Claude Code"},
    ExtraField{"display-name", "Claude Code"},
    ExtraField{"default-enabled", "Claude Code"},
    ExtraField{"fallback", "Claude Code"},
};

} // namespace

bool is_specified_field(std::string_view field) {
  return std::ranges::find(k_specified, field) != k_specified.end();
}

std::string agents_that_use(std::string_view field) {
  std::string agents;
  for (const ExtraField& row : k_extra) {
    if (row.field == field) {
      agents += agents.empty() ? "" : " and ";
      agents += row.agent;
    }
  }
  return agents;
}

} // namespace upskill::document
