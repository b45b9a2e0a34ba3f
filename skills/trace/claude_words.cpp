#include "skills/trace/claude_words.h"

#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace upskill::trace {
namespace {

struct Word {
  std::string_view letters;
  EventForm form;
};

constexpr std::string_view k_skill_base = "Base directory for this skill: ";

constexpr std::array k_beginnings = {
    Word{"[Request interrupted", EventForm::interrupt},
    Word{"This session is being continued", EventForm::summary},
    Word{"Caveat: The messages below", EventForm::injected},
    Word{"<command-", EventForm::command},
    Word{"<local-command-", EventForm::injected}, // what it printed, and a caveat
    Word{"<bash-stdout", EventForm::injected},
    Word{"<bash-stderr", EventForm::injected},
    Word{"<bash-", EventForm::command},
    Word{"<task-notification", EventForm::injected},
    Word{"<system-reminder", EventForm::injected},
    Word{"<teammate-message", EventForm::injected},
    Word{"<user-prompt-submit-hook", EventForm::injected},
    Word{"<ide_", EventForm::injected},
    Word{k_skill_base, EventForm::skill},
};

constexpr std::array k_types = {
    Word{"progress", EventForm::state},
    Word{"file-history-snapshot", EventForm::state},
    Word{"file-history-delta", EventForm::state},
    Word{"permission-mode", EventForm::state},
    Word{"last-prompt", EventForm::state},
    Word{"queue-operation", EventForm::state},
    Word{"worktree-state", EventForm::state},
    Word{"pr-link", EventForm::state},
    Word{"mode", EventForm::state},
    Word{"tag", EventForm::state},
    Word{"agent-name", EventForm::state},
    Word{"agent-color", EventForm::state},
    Word{"agent-setting", EventForm::state},
    Word{"attribution-snapshot", EventForm::state},
    Word{"content-replacement", EventForm::state},
    Word{"marble-origami-commit", EventForm::state},
    Word{"marble-origami-snapshot", EventForm::state},
    Word{"speculation-accept", EventForm::state},
    Word{"summary", EventForm::title},
    Word{"ai-title", EventForm::title},
    Word{"custom-title", EventForm::title},
};

constexpr std::array k_subtypes = {
    Word{"compact_boundary", EventForm::compaction},
    Word{"microcompact_boundary", EventForm::compaction},
    Word{"api_error", EventForm::error},
};

constexpr std::array k_attachments = {
    Word{"queued_command", EventForm::prompt},
    Word{"skill_listing", EventForm::skill},
    Word{"dynamic_skill", EventForm::skill},
    Word{"invoked_skills", EventForm::skill},
    Word{"nested_memory", EventForm::instructions},
    Word{"relevant_memories", EventForm::instructions},
};

EventForm form_of(std::span<const Word> words, std::string_view text, EventForm otherwise) {
  for (const Word& word : words) {
    if (text == word.letters) {
      return word.form;
    }
  }
  return otherwise;
}

} // namespace

EventForm form_of_claude_text(std::string_view raw) {
  for (const Word& word : k_beginnings) {
    if (raw.starts_with(word.letters)) {
      return word.form;
    }
  }
  return EventForm::prompt;
}

std::string_view claude_skill_of(std::string_view raw) {
  if (!raw.starts_with(k_skill_base)) {
    return {};
  }
  raw.remove_prefix(k_skill_base.size());
  std::string_view folder = raw.substr(0, raw.find("\\n"));
  std::size_t last = folder.find_last_not_of("/ ");
  folder = folder.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return folder.substr(folder.rfind('/') + 1);
}

std::optional<std::int32_t> claude_exit_code(std::string_view raw) {
  for (std::string_view letters :
       {std::string_view("Exit code "), std::string_view("Error: Exit code ")}) {
    if (raw.starts_with(letters)) {
      std::int32_t code = 0;
      std::string_view rest = raw.substr(letters.size());
      if (std::from_chars(rest.data(), rest.data() + rest.size(), code).ec == std::errc{}) {
        return code;
      }
    }
  }
  return std::nullopt;
}

EventForm form_of_claude_type(std::string_view type, std::string_view subtype) {
  if (type == "system") {
    return form_of(k_subtypes, subtype, EventForm::state);
  }
  return form_of(k_types, type, EventForm::unknown);
}

EventForm form_of_claude_attachment(std::string_view type) {
  return form_of(k_attachments, type, EventForm::injected);
}

} // namespace upskill::trace
