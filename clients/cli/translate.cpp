#include "clients/cli/translate.h"

#include <algorithm>

namespace upskill::cli {
namespace {

const Option* option_of(const Command& command, std::string_view field) {
  auto found = std::ranges::find(command.options, field, &Option::field);
  return found == command.options.end() ? nullptr : &*found;
}

// How it is said on the command line; a word has no dashes.
std::string label_of(const Option& option) {
  return "`" + std::string(option.position < 0 ? "--" : "") + option.name + "`";
}

// "params.limit: ...", "params.agent[2]: ..." (protocol/codec) and "`limit` ..." (the engine).
void translate_field(const Command& command, Error& error) {
  constexpr std::string_view k_params = "params.";
  std::string_view text = error.message;
  std::string_view field;
  std::string rest;
  if (text.starts_with(k_params)) {
    text.remove_prefix(k_params.size());
    std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) {
      return;
    }
    field = text.substr(0, std::min(colon, text.find_first_of(".[")));
    rest = text.substr(colon + 2);
    rest.insert(0, rest.starts_with("must ") || rest.starts_with("is ") ? " " : ": ");
  } else if (text.starts_with('`')) {
    field = text.substr(1, text.find('`', 1) - 1);
    rest = text.substr(std::min(field.size() + 2, text.size()));
    if (!rest.starts_with(" must ")) {
      return; // may as well be the name of a skill
    }
  }
  if (const Option* option = option_of(command, field)) {
    error.message = label_of(*option) + rest;
    error.hint = error.hint.empty() ? option->doc : error.hint;
  }
}

void translate_methods(std::string& text) {
  for (const MethodInfo& method : catalog()) {
    std::string name = "`" + std::string(method.name) + "`";
    // One plain word may be anything's name; one that is a command already needs no other.
    if (method.command.empty() || method.name.find('_') == std::string_view::npos) {
      continue;
    }
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      text.replace(at, name.size(), "`upskill " + std::string(method.command) + "`");
    }
  }
}

} // namespace

Error in_words_of(const Command& command, Error error) {
  translate_field(command, error);
  translate_methods(error.hint);
  return error;
}

} // namespace upskill::cli
