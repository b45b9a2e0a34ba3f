#pragma once
#include <string_view>

namespace upskill::telemetry {

// Names the message that is being handled while the object lives, so that a crash can show it.
// Thread: the reactor's only.
class HandledMessage {
public:
  explicit HandledMessage(std::string_view line) noexcept;
  ~HandledMessage();
  HandledMessage(const HandledMessage&) = delete;
  HandledMessage& operator=(const HandledMessage&) = delete;
};

// On SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT: writes the signal and the message being handled,
// without its secrets and cut at 2 KB, to `log_descriptor` (and to standard error where that is
// another), then lets the signal end the process as it would have. Uses only what a signal handler
// may, on a stack of its own.
void install_crash_handler(int log_descriptor);

} // namespace upskill::telemetry
