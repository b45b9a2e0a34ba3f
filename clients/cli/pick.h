#pragma once
#include "clients/cli/pick_list.h"

#include <vector>

namespace upskill::cli {

// Whether a list with boxes can be shown: a terminal that takes keys and shows pictures.
bool can_show_list(const Environment& environment);

// Shows the list until it ends; the terminal is as it was before, whatever ends it. The places that
// were chosen, none where it was left; `cancelled` when interrupted.
Result<std::vector<std::size_t>>
pick_by_keys(std::string title, std::vector<PickItem> items, const Screen& screen);

// The same by a list with numbers and a question, on stderr.
Result<std::vector<std::size_t>>
pick_by_numbers(const std::string& title, const std::vector<PickItem>& items, const Screen& screen);

} // namespace upskill::cli
