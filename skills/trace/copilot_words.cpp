#include "skills/trace/copilot_words.h"

#include <array>
#include <charconv>

namespace upskill::trace {
namespace {

struct Word {
  std::string_view letters;
  EventForm form;
};

constexpr std::array k_types = {
    Word{"tool.execution_start", EventForm::copy}, // of the request in the assistant's message
    Word{"assistant.reasoning", EventForm::copy},  // of `reasoningText`
    Word{"session.task_complete", EventForm::copy},
    Word{"session.error", EventForm::error},
    Word{"subagent.failed", EventForm::error},
    Word{"session.title_changed", EventForm::title},
    Word{"session.compaction_complete", EventForm::compaction},
    Word{"session.snapshot_rewind", EventForm::rewind},
    Word{"session.model_change", EventForm::model},
    Word{"session.start", EventForm::session},
    Word{"skill.invoked", EventForm::skill},
    Word{"system.message", EventForm::instructions},
    Word{"system.notification", EventForm::injected},
};

// Families of types of which all others are state.
constexpr std::array<std::string_view, 22> k_families{
    "session.",        "assistant.",        "tool.",        "subagent.",  "skill.", "hook.",
    "permission.",     "user_input.",       "elicitation.", "sampling.",  "mcp.",   "mcp_app.",
    "external_tool.",  "command.",          "commands.",    "system.",    "model.", "capabilities.",
    "exit_plan_mode.", "pending_messages.", "canvas.",      "extensions."};

constexpr std::array k_beginnings = {
    Word{"<system_notification", EventForm::injected},
    Word{"<system_reminder", EventForm::injected},
    Word{"<current_datetime", EventForm::injected},
    Word{"<skill-context", EventForm::skill},
};

constexpr std::size_t k_end = 100; // bytes in which the exit code stands

} // namespace

EventForm form_of_copilot_type(std::string_view type) {
  for (const Word& word : k_types) {
    if (type == word.letters) {
      return word.form;
    }
  }
  for (std::string_view family : k_families) {
    if (type.starts_with(family)) {
      return EventForm::state;
    }
  }
  return EventForm::unknown;
}

EventForm form_of_copilot_text(std::string_view source, std::string_view raw) {
  if (source.starts_with("skill-")) {
    return EventForm::skill;
  }
  if (source.starts_with("command-")) {
    return EventForm::command;
  }
  if (!source.empty() && source != "user") {
    return EventForm::injected;
  }
  for (const Word& word : k_beginnings) {
    if (raw.starts_with(word.letters)) {
      return word.form;
    }
  }
  return EventForm::prompt;
}

std::optional<std::int32_t> copilot_exit_code(std::string_view raw) {
  constexpr std::string_view letters = " exit code ";
  std::string_view end = raw.substr(raw.size() - std::min(raw.size(), k_end));
  std::size_t at = end.rfind(letters);
  std::size_t bracket = end.rfind('<');
  if (at == std::string_view::npos || bracket == std::string_view::npos || bracket > at) {
    return std::nullopt;
  }
  std::int32_t code = 0;
  std::string_view rest = end.substr(at + letters.size());
  auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), code);
  if (error != std::errc{} || stop == rest.data() + rest.size() || *stop != '>') {
    return std::nullopt;
  }
  return code;
}

} // namespace upskill::trace
