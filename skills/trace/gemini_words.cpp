#include "skills/trace/gemini_words.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upskill::trace {
namespace {

struct Word {
  std::string_view letters;
  EventForm form;
};

constexpr std::array k_beginnings = {
    Word{"<session_context", EventForm::injected},
    Word{"<hook_context", EventForm::injected},
    Word{"This is the Gemini CLI. We are setting up the context", EventForm::injected},
    Word{"System: Please continue.", EventForm::injected},
    Word{"<state_snapshot", EventForm::summary},
    Word{"<activated_skill", EventForm::skill},
};

constexpr std::size_t k_after_exit_code =
    400; // bytes of lines that may follow: signal, process ids

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || c == '-';
}

// `/chat save x`, and no path: commands are one lower-case word.
bool is_slash_command(std::string_view raw) {
  if (raw.size() < 2 || raw[0] != '/') {
    return false;
  }
  const char* end = std::find_if_not(raw.begin() + 1, raw.end(), is_letter);
  return end != raw.begin() + 1 && (end == raw.end() || *end == ' ');
}

} // namespace

EventForm form_of_gemini_text(std::string_view raw) {
  for (const Word& word : k_beginnings) {
    if (raw.starts_with(word.letters)) {
      return word.form;
    }
  }
  return is_slash_command(raw) ? EventForm::command : EventForm::prompt;
}

bool begins_gemini_files(std::string_view raw) {
  if (raw.starts_with("\\n")) {
    raw.remove_prefix(2);
  }
  return raw.starts_with("--- Content from referenced files ---");
}

bool is_gemini_interrupt(std::string_view raw) {
  return raw.starts_with("Request cancelled") || raw.starts_with("User cancelled");
}

std::optional<std::int32_t> gemini_exit_code(std::string_view raw) {
  constexpr std::string_view letters = "\\nExit Code: ";
  std::size_t at = raw.rfind(letters);
  if (at == std::string_view::npos || raw.size() - at > k_after_exit_code) {
    return std::nullopt;
  }
  std::int32_t code = 0;
  std::string_view rest = raw.substr(at + letters.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), code).ec != std::errc{}) {
    return std::nullopt;
  }
  return code;
}

} // namespace upskill::trace
