#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <optional>
#include <string>

namespace upskill::daemon {

// Makes the folder (and those above it) when absent, and refuses it unless it is a real folder of
// this user's that nobody else can enter (mode 0700): a foreign or linked one could hand the socket
// to somebody else.
Result<void> make_private_folder(const std::string& path);

// The right to be the one daemon of a state directory: a lock that the system drops when the
// process ends, however it ends. The file holds our pid. Owner: Daemon, before everything that
// touches the state. Lifetime: the process's.
class SingleInstance {
public:
  // Nothing when another daemon has it. Fails where the run folder is refused.
  static Result<std::optional<SingleInstance>> acquire(const Places& places);

  SingleInstance(SingleInstance&&) noexcept = default;
  SingleInstance& operator=(SingleInstance&&) noexcept = default;

private:
  explicit SingleInstance(UniqueFd lock);

  UniqueFd m_lock;
};

} // namespace upskill::daemon
