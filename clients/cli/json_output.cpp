#include "clients/cli/json_output.h"

#include "clients/cli/page.h"
#include "clients/connect/text_reader.h"
#include "protocol/codec/writer.h"

#include <unistd.h>

namespace upskill::cli {

void print_json(const std::string& document) {
  write_all(1, (::isatty(1) != 0 ? connect::indented_json(document) : document) + "\n");
}

void print_text(const Invocation& invocation, std::string_view field, std::string_view text) {
  if (invocation.json) {
    print_json("{" + json_string(field) + ":" + json_string(text) + "}");
  } else {
    write_all(1, text);
  }
}

} // namespace upskill::cli
