#pragma once
#include "daemon/watch/watch_types.h"

namespace upskill::watch {

// The root with every link on the way to it resolved, as far as it exists. Where that leads out of
// the boundary, its deepest folder that exists becomes the boundary.
WatchRoot resolved_root(const WatchRoot& root);

} // namespace upskill::watch
