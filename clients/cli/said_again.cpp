#include "clients/cli/said_again.h"

#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

// `~`, `#` and `=` mean something at the start of a word.
bool is_plain(std::string_view text) {
  constexpr std::string_view k_plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-./:@+,=%#~";
  return !text.empty() && text.find_first_not_of(k_plain) == std::string_view::npos
         && text.front() != '#' && text.front() != '~' && text.front() != '=';
}

} // namespace

std::string shell_word(std::string_view text) {
  std::string clean = clean_line(text);
  if (clean.starts_with("~/") && clean.size() > 2) {
    return "~/" + shell_word(std::string_view(clean).substr(2));
  }
  if (is_plain(clean)) {
    return clean;
  }
  std::string out = "'";
  for (char c : clean) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string said_again(const Invocation& invocation,
                       std::initializer_list<std::string_view> without) {
  std::string words = "upskill " + invocation.command.words;
  std::string options;
  for (const Option& option : invocation.command.options) {
    auto found = invocation.values.find(option.field);
    bool is_left_out = std::ranges::find(without, option.field) != without.end();
    if (found == invocation.values.end() || is_left_out || option.negates || option.is_ours) {
      continue;
    }
    if (option.kind == ValueKind::flag) {
      options += " --" + option.name;
      continue;
    }
    for (const std::string& value : found->second) {
      if (option.position >= 0) {
        words += " " + shell_word(value);
      } else if (option.field == "scope" && invocation.flag("project")) {
        continue; // it is implied
      } else {
        options += " --" + option.name + " " + shell_word(value);
      }
    }
  }
  return words + options;
}

} // namespace upskill::cli
