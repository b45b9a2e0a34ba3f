#pragma once
#include "protocol/mcp/session_state.h"

#include <string_view>

namespace upskill::mcp {

// In which era a method exists.
enum class Spoken { legacy, modern, both };

struct Request {
  std::string_view method;
  Spoken spoken;
  void (*run)(SessionState&, Exchange&);
};

// Null for a method that no era of ours has. To add one, add a row to the table in requests.cpp.
const Request* find_request(std::string_view method);

// The rows whose functions have a file of their own (subscribe.cpp).
void subscribe(SessionState& state, Exchange& exchange);
void unsubscribe(SessionState& state, Exchange& exchange);
void listen(SessionState& state, Exchange& exchange);

// A member of the parameters that must be a URI; nothing, with the error written, when it is not.
std::optional<std::string> uri_parameter(Exchange& exchange);

} // namespace upskill::mcp
