#include "clients/cli/complain.h"

#include "clients/cli/page.h"
#include "clients/cli/text.h"

#include <unistd.h>

namespace upskill::cli {
namespace {

void say(std::string_view label, std::string_view code, const Error& error, bool plain) {
  bool colour = !plain && ::isatty(2) != 0;
  std::string text =
      colour ? std::string(code) + std::string(label) + "\x1b[0m" : std::string(label);
  text += " " + clean_line(error.message) + "\n";
  if (!error.hint.empty()) {
    text += "hint: " + clean_line(error.hint) + "\n";
  }
  write_all(2, text);
}

} // namespace

void complain(const Error& error, bool plain) {
  say("error:", "\x1b[31m", error, plain);
}

void warn(std::string_view message, std::string_view hint, bool plain) {
  say("warning:", "\x1b[33m", {ErrorCode::io, std::string(message), std::string(hint)}, plain);
}

} // namespace upskill::cli
