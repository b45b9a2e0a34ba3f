#pragma once

namespace upskill::daemon {

class Binder;
class Daemon;

// `status` and the `daemon_...` methods.
void bind_server_handlers(Binder& binder, Daemon& daemon);

} // namespace upskill::daemon
