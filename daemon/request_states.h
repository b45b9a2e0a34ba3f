#pragma once
#include "daemon/runtime/deadlines.h"
#include "protocol/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::daemon {

// What a handler wants back with a client's answers travels through the client, which may be anyone
// (MCP facts, section 3: `requestState`): it is sealed with a key of this process, for one caller,
// one call with these parameters, and an hour. A daemon that was restarted refuses it, and the
// client asks anew. It is readable: a handler puts no secret into it.
// Owner: Services. Thread: any.
class RequestStates {
public:
  using Time = runtime::Clock::time_point;

  RequestStates();

  // `binding` names who asked for what; seal() and open() must be given the same.
  std::string seal(std::string_view state, std::string_view binding, Time now) const;
  // Errors: refused for anything that seal() did not make for this binding, timed_out.
  Result<std::string> open(std::string_view sealed, std::string_view binding, Time now) const;

private:
  std::string code_of(std::string_view payload, std::string_view binding) const;

  std::array<unsigned char, 32> m_key;
};

} // namespace upskill::daemon
