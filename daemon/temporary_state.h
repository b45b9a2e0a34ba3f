#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"

#include <string>

namespace upskill::daemon {

// State and data of a private daemon that was told of no state: a new folder of its own (0700) in
// TMPDIR or `/tmp`. What is in it ends with it. Owner: run_program. Lifetime: the daemon's.
class TemporaryState {
public:
  // Makes the folder, and points `places` at it.
  static Result<TemporaryState> make(const Environment& environment, Places& places);
  TemporaryState(TemporaryState&& other) noexcept;
  TemporaryState& operator=(TemporaryState&&) = delete;
  ~TemporaryState();

  // Now rather than when it goes out of scope, for an end that leaves no scope.
  void remove();

private:
  explicit TemporaryState(std::string folder);

  std::string m_folder; // empty when it is gone
};

} // namespace upskill::daemon
