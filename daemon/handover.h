#pragma once
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// How a bridge (`upskill mcp`) gives an agent's descriptors away (decisions: descriptor handover).
namespace upskill::daemon {

// [the agent's input, the agent's output, the memfd of what must survive us]
inline constexpr std::size_t k_handed_over = 3;

struct Received {
  ssize_t bytes = -1; // as read(2) has it, with errno
  std::vector<UniqueFd> descriptors = {};
};

// read(2) from a socket that may bring descriptors. Where more than k_handed_over come, all of them
// are closed at once.
Received receive_with_descriptors(int socket, std::span<char> room);

// Whether a line is `upskill/handover`; the error is what to refuse it with (a version we do not
// speak).
Result<bool> is_handover(std::string_view line);

// The same pipe or socket without blocking: a pipe is opened anew, because its O_NONBLOCK would
// show at the agent's end too; a socket has the flag set, where it is harmless. invalid_argument
// for anything else, which cannot be waited for.
Result<UniqueFd> without_blocking(UniqueFd descriptor, int access_mode);

// Of the process at the other end of a Unix socket; what cannot be known is left out.
AgentPlace place_of_peer(int socket);

std::string accepted_line(pid_t pid);
std::string refused_line(const Error& error);
inline constexpr std::string_view k_ended_line =
    "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/ended\"}\n";
inline constexpr std::string_view k_stopping_line =
    "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/stopping\"}\n";

} // namespace upskill::daemon
