#include "daemon/handlers/setup.h"

#include <utility>

namespace upskill::daemon {

void bind_setup_handlers(Binder& binder, setup::SetupDesk& desk) {
  binder.on(k_setup_plan, [&desk](SetupParams params, RequestContext context) {
    params.dry_run = true;
    return desk.apply(std::move(params), std::move(context.caller.cwd));
  });
  binder.on(k_setup_apply, [&desk](SetupParams params, RequestContext context) {
    return desk.apply(std::move(params), std::move(context.caller.cwd));
  });
  binder.on(k_setup_remove, [&desk](SetupRemoveParams params, RequestContext context) {
    return desk.remove(std::move(params), std::move(context.caller.cwd));
  });
}

} // namespace upskill::daemon
