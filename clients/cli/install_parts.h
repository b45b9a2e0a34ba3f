#pragma once
#include "clients/cli/invocation.h"
#include "clients/cli/page.h"
#include "protocol/types/install.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::cli {

// What a person may do next, and the very command for it, if there is one.
struct NextStep {
  std::string text;
  std::string command = {};
};

// About a skill that was not installed. `has_several`: the source has more than this one, so that
// it must be named.
std::vector<NextStep>
next_steps(const Invocation& invocation, const InstalledSkill& skill, bool has_several);

// The command on a line of its own and never broken: it is there to be copied.
void print_steps(Page& page, const std::vector<NextStep>& steps, std::size_t indent);

// `NAME@HASH8`, which `--allow` takes.
std::string allowance_of(const std::string& skill, const std::string& hash);

} // namespace upskill::cli
