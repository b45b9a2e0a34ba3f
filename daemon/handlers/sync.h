#pragma once
#include "daemon/binder.h"
#include "daemon/sync/service.h"

namespace upskill::daemon {

// The methods about keeping copies in agreement.
void bind_sync_handlers(Binder& binder, SyncService& service);

} // namespace upskill::daemon
