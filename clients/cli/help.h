#pragma once
#include "clients/cli/command.h"
#include "clients/cli/page.h"

#include <string>
#include <string_view>

namespace upskill::cli {

// `upskill help`: what there is, grouped, with examples.
void show_overview(Page& page);
// `upskill help sync`: the commands below a word.
void show_group(Page& page, std::string_view word);
// `upskill help COMMAND`.
void show_command(Page& page, const Command& command);

// The same for a program: `{"commands":[...]}` with the command, those of the group, or all of
// them.
std::string help_document(const Command& command);

} // namespace upskill::cli
