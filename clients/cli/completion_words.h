#pragma once
#include "clients/cli/command.h"

#include <string>
#include <string_view>
#include <vector>

// What words are good for an option or a positional, the same in every shell.
namespace upskill::cli {

bool takes_path(const Option& option);
bool takes_skill(const Option& option);
bool takes_agent(const Option& option);
// Its choices, or those its description names among others.
std::vector<std::string> values_of(const Option& option);
// Whether other commands have an option of its name with other values.
bool is_of_its_command(const Option& option);

// Completing must start nothing: agents are only asked for where a daemon runs.
constexpr std::string_view k_list_agents =
    "upskill daemon status >/dev/null 2>&1 && upskill agents --all 2>/dev/null "
    "| while read -r agent rest; do [ \"$agent\" = AGENT ] || echo \"$agent\"; done";

} // namespace upskill::cli
