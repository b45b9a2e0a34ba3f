#include "clients/hook/answer.h"

#include "protocol/hook/payload.h"

#include <algorithm>
#include <array>

namespace upskill::hook {
namespace {

// Cursor's events that wait for a decision. Its editor takes an answer without `permission` for a
// failure of the hook, and then stops the tool.
constexpr std::array<std::string_view, 6> k_cursor_permissions{"preToolUse",
                                                               "beforeShellExecution",
                                                               "beforeMCPExecution",
                                                               "beforeReadFile",
                                                               "beforeTabFileRead",
                                                               "subagentStart"};

// Cursor runs what Claude Code was configured with too, under Claude's names.
bool is_same_event(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() && !a.empty() && lower(a.front()) == lower(b.front())
         && a.substr(1) == b.substr(1);
}

std::string_view answer_to_cursor(std::string_view event) {
  auto is_this = [&](std::string_view other) { return is_same_event(event, other); };
  if (std::any_of(k_cursor_permissions.begin(), k_cursor_permissions.end(), is_this)) {
    return "{\"permission\":\"allow\"}\n";
  }
  return is_this("beforeSubmitPrompt") ? "{\"continue\":true}\n" : "{}\n";
}

} // namespace

std::string_view answer_to(std::string_view agent, std::string_view event) {
  if (agent == k_cursor) {
    return answer_to_cursor(event);
  }
  // Where stdout is empty, Gemini takes what is on stderr for the answer.
  return agent == k_gemini_cli ? "{}\n" : "";
}

} // namespace upskill::hook
