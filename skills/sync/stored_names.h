#pragma once
#include "skills/sync/tree.h"

namespace upskill::sync {

// Whether the folder that was just written, open here, lists every name of the tree as it was given
// and no other: some file systems store a name as another. Cheap where all names are plain ones.
bool has_all_names(int folder, const Tree& tree);

} // namespace upskill::sync
