#include "clients/cli/ask.h"

#include "clients/cli/page.h"
#include "clients/connect/interrupt.h"

#include <unistd.h>

namespace upskill::cli {
namespace {

constexpr std::size_t k_longest = 4000; // bytes of an answer

} // namespace

bool can_ask() {
  return ::isatty(0) != 0 && ::isatty(2) != 0;
}

Result<std::string> ask_line(std::string_view question) {
  write_all(2, question);
  std::string line;
  for (;;) {
    pollfd entry{0, POLLIN, 0};
    if (connect::wait({&entry, 1}, -1) < 0) {
      write_all(2, "\n");
      return fail(ErrorCode::cancelled, "interrupted");
    }
    char byte = 0;
    ssize_t got = ::read(0, &byte, 1);
    if (got <= 0 || byte == '\n' || line.size() >= k_longest) {
      return line;
    }
    line += byte;
  }
}

Reply ask(std::string_view question) {
  Result<std::string> line = ask_line(std::string(question) + " [y/N] ");
  if (!line) {
    return Reply::interrupted;
  }
  return *line == "y" || *line == "Y" || *line == "yes" || *line == "Yes" ? Reply::yes : Reply::no;
}

} // namespace upskill::cli
