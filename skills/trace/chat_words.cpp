#include "skills/trace/chat_words.h"

#include "skills/trace/claude_words.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upskill::trace {
namespace {

struct RoleWord {
  std::string_view letters;
  Role role;
};

constexpr std::array k_roles = {
    RoleWord{"user", Role::user},
    RoleWord{"human", Role::user},
    RoleWord{"assistant", Role::assistant},
    RoleWord{"agent", Role::assistant},
    RoleWord{"ai", Role::assistant},
    RoleWord{"model", Role::assistant},
    RoleWord{"gpt", Role::assistant},
    RoleWord{"bot", Role::assistant},
    RoleWord{"tool", Role::tool},
    RoleWord{"toolResult", Role::tool},
    RoleWord{"function", Role::tool},
    RoleWord{"observation", Role::tool},
    RoleWord{"system", Role::instructions},
    RoleWord{"developer", Role::instructions},
};

struct Beginning {
  std::string_view letters;
  EventForm form;
};

// Beside Claude Code's.
constexpr std::array k_beginnings = {
    Beginning{"<environment_context", EventForm::injected},
    Beginning{"<environment_details", EventForm::injected},
    Beginning{"<system_reminder", EventForm::injected},
    Beginning{"<system_notification", EventForm::injected},
    Beginning{"<user_info", EventForm::injected},
    Beginning{"<git_status", EventForm::injected},
    Beginning{"<project_layout", EventForm::injected},
    Beginning{"<attached_files", EventForm::injected},
    Beginning{"<additional_data", EventForm::injected},
    Beginning{"<open_and_recently_viewed_files", EventForm::injected},
    Beginning{"<subagent_notification", EventForm::injected},
    Beginning{"<turn_aborted", EventForm::interrupt},
    Beginning{"<rules", EventForm::instructions},
    Beginning{"<always_applied_workspace_rules", EventForm::instructions},
    Beginning{"<user_instructions", EventForm::instructions},
    Beginning{"# AGENTS.md", EventForm::instructions},
    Beginning{"<available_skills", EventForm::skill},
    Beginning{"<agent_skills", EventForm::skill},
    Beginning{"<skill ", EventForm::skill},
    Beginning{"<skill>", EventForm::skill},
};

std::optional<std::int32_t> number_after(std::string_view line, std::string_view letters) {
  std::size_t at = line.find(letters);
  // Words of the output itself are not ours: only `Command ` and its like may stand before.
  if (at == std::string_view::npos || at > 16) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(at + letters.size());
  std::int32_t code = 0;
  auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), code);
  std::size_t used = static_cast<std::size_t>(end - rest.data());
  bool is_end = trim_raw(rest.substr(used)).find_first_not_of(".)]") == std::string_view::npos;
  return failure == std::errc{} && is_end ? std::optional(code) : std::nullopt;
}

} // namespace

Role role_of(std::string_view word) {
  const auto* found = std::ranges::find(k_roles, word, &RoleWord::letters);
  return found == k_roles.end() ? Role::unknown : found->role;
}

EventForm form_of_user_words(std::string_view raw) {
  raw = trim_raw(raw);
  for (const Beginning& beginning : k_beginnings) {
    if (raw.starts_with(beginning.letters)) {
      return beginning.form;
    }
  }
  return form_of_claude_text(raw);
}

std::optional<std::int32_t> exit_code_of_output(std::string_view raw) {
  if (std::optional<std::int32_t> code = claude_exit_code(raw)) {
    return code;
  }
  raw = trim_raw(raw);
  std::string_view line = raw.substr(raw.size() - std::min<std::size_t>(raw.size(), 200));
  std::size_t feed = line.rfind('\n');
  line.remove_prefix(feed == std::string_view::npos ? 0 : feed + 1);
  std::size_t escape = line.rfind("\\n");
  line.remove_prefix(escape == std::string_view::npos ? 0 : escape + 2);
  line = trim_raw(line);
  for (std::string_view letters : {"exited with code ", "exit code was ", "exit code: "}) {
    if (std::optional<std::int32_t> code = number_after(line, letters)) {
      return code;
    }
  }
  return std::nullopt;
}

std::string_view trim_raw(std::string_view raw) {
  constexpr std::string_view k_blanks = " \t\r\n";
  constexpr std::array<std::string_view, 3> k_escapes{"\\n", "\\r", "\\t"};
  auto is_escape = [&](std::string_view two) {
    return std::ranges::find(k_escapes, two) != k_escapes.end();
  };
  while (!raw.empty()) {
    std::size_t size = raw.size();
    if (k_blanks.find(raw.front()) != std::string_view::npos) {
      raw.remove_prefix(1);
    } else if (is_escape(raw.substr(0, 2))) {
      raw.remove_prefix(2);
    } else if (k_blanks.find(raw.back()) != std::string_view::npos) {
      raw.remove_suffix(1);
    } else if (size > 2 && is_escape(raw.substr(size - 2)) && raw[size - 3] != '\\') {
      raw.remove_suffix(2);
    } else {
      break;
    }
  }
  return raw;
}

} // namespace upskill::trace
