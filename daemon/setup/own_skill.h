#pragma once
#include "skills/sync/new_version.h"

namespace upskill::setup {

// The skill about ourselves, `daemon/setup/skill/upskill` as it was built in, with its test cases.
sync::NewFiles own_skill();

} // namespace upskill::setup
