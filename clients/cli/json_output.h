#pragma once
#include "clients/cli/parse.h"

#include <string>
#include <string_view>

namespace upskill::cli {

// The one document of `--json`: as it is on one line when another program reads it, indented for a
// person.
void print_json(const std::string& document);
// A text as it is, or with `--json` an object with it as `field`.
void print_text(const Invocation& invocation, std::string_view field, std::string_view text);

} // namespace upskill::cli
