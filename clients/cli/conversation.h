#pragma once
#include "clients/cli/invocation.h"
#include "clients/cli/page.h"
#include "clients/connect/call.h"
#include "protocol/base/result.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace upskill::cli {

// True where a daemon for this command alone is asked.
bool is_private(const Invocation& invocation, const Environment& environment);

// One command's talk with the daemon, over one connection, which the first call opens.
// Owner: the function that carries the command out; the three it is given must outlive it.
class Conversation {
public:
  Conversation(const Invocation& invocation, const Screen& screen, const Environment& environment)
      : m_invocation(invocation)
      , m_screen(screen)
      , m_environment(environment) {}

  // Calls the method of this invocation, with its values, and shows progress meanwhile. Errors are
  // in the words of the command line.
  Result<connect::CallReply> call(const Invocation& invocation);

  // The lock is free, and another may start, only when the process has gone.
  Result<void> wait_until_gone() const;

private:
  Result<connect::CallReply> call_once(const Invocation& invocation);

  const Invocation& m_invocation;
  const Screen& m_screen;
  const Environment& m_environment;
  std::optional<connect::LineStream> m_stream = {};
  std::int64_t m_calls = 0;
  pid_t m_daemon = 0;
};

} // namespace upskill::cli
