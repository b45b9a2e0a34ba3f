#include "clients/cli/ask.h"

#include "clients/cli/page.h"
#include "clients/connect/interrupt.h"

#include <unistd.h>

#include <string>

namespace upskill::cli {

bool can_ask() {
  return ::isatty(0) != 0 && ::isatty(2) != 0;
}

Reply ask(std::string_view question) {
  write_all(2, std::string(question) + " [y/N] ");
  std::string line;
  for (;;) {
    pollfd entry{0, POLLIN, 0};
    if (connect::wait({&entry, 1}, -1) < 0) {
      write_all(2, "\n");
      return Reply::interrupted;
    }
    char byte = 0;
    ssize_t got = ::read(0, &byte, 1);
    if (got <= 0 || byte == '\n' || line.size() > 100) {
      break;
    }
    line += byte;
  }
  return line == "y" || line == "Y" || line == "yes" || line == "Yes" ? Reply::yes : Reply::no;
}

} // namespace upskill::cli
