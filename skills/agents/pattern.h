#pragma once
#include "protocol/base/paths.h"
#include "skills/agents/agent.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::agents {

enum class PatternKind {
  user,    // a folder of the user's
  project, // a folder below a project
  sign     // what an agent is detected by: `./x` too, and a place may end at its anchor
};

// What is wrong with a pattern, as the end of a sentence, or nothing. A pattern may not leave the
// folder that it starts in, and a folder of skills must have a name of its own below it, so that no
// table can make HOME or `/` a place that is written to.
std::optional<std::string> pattern_problem(std::string_view pattern, PatternKind kind);

// What is wrong with the part that follows a choice of patterns; it may be empty.
std::optional<std::string> tail_problem(std::string_view tail);

// Whether something exists at an absolute path; links are followed.
using Exists = std::function<bool(const std::string& path)>;

// The absolute normalized path, or nothing where a variable that it needs is not set. A variable
// that holds no absolute path counts as not set, as the XDG specification has it. `project` may be
// empty; then a pattern below the project is nowhere.
std::optional<std::string> resolve_pattern(std::string_view pattern,
                                           const Places& places,
                                           const Environment& environment,
                                           std::string_view project);

std::optional<std::string> resolve_place(const PlacePattern& place,
                                         const Places& places,
                                         const Environment& environment,
                                         std::string_view project,
                                         const Exists& exists);

} // namespace upskill::agents
