#pragma once
#include "skills/sync/engine.h"

#include <string>
#include <string_view>

namespace upskill::daemon {

// How the engine calls the version that a person named as `take`: a hash in small letters, a path
// absolute, clean and by where its folder really is. `cwd` is the caller's folder; where it is
// empty, a path that is not absolute stays as it is. Looks at the disk.
std::string version_named(const std::string& take,
                          const sync::Engine& engine,
                          std::string_view home,
                          std::string_view cwd);

} // namespace upskill::daemon
