#pragma once
#include <string_view>

// Who is asked, and on whose behalf: against DNS rebinding, where a web page reaches a server of
// this machine by a name that its author has pointed here (MCP facts, section 7). Only what a
// program of this machine would write passes; nothing is resolved.
namespace upskill::http {

// A Host field: `127.0.0.1`, `localhost` (any case) or `[::1]`, with or without a port.
bool is_local_host(std::string_view host);

// An Origin field: `http` or `https` and such a host. `null`, which sandboxed pages and files
// send, is none.
bool is_local_origin(std::string_view origin);

} // namespace upskill::http
