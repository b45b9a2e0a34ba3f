#pragma once
#include "skills/sync/cover.h"
#include "skills/sync/index.h"

#include <map>
#include <string>
#include <string_view>

namespace upskill::sync {

// Skills that lie in the folders of a scope and that `--exclude` keeps out of sync: name -> where.
using LeftAlone = std::map<std::string, RootSet>;

// Whether the copy of this skill in this root is neither read nor written by sync.
bool is_kept_out(const Scope& scope, RootIndex root, std::string_view skill);

// No round looks at them, so they are looked for on the disk each time; without a rule of exclusion
// nothing is read. Nothing for a scope that is not synchronised, and of roots that cannot be looked
// at.
LeftAlone left_alone_of(const Scope& scope);

} // namespace upskill::sync
