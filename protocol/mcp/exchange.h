#pragma once
#include "protocol/mcp/session_state.h"

#include <optional>
#include <string>
#include <string_view>

// What the functions of requests.h have in common: parameters, and calls to the outside. Each
// answers nothing, or false, with the error written, when the request is refused.
namespace upskill::mcp {

void refuse(Exchange& exchange, int code, std::string_view text, std::string_view data = {});

std::optional<std::string> string_parameter(Exchange& exchange, std::string_view name);
// Empty where there is none, which means the first page.
std::optional<std::string> cursor_parameter(Exchange& exchange);
std::optional<std::string> uri_parameter(Exchange& exchange);

// One of the pages that were written once.
void answer_page(Exchange& exchange, const std::vector<std::string>& pages);

// Modern: what the client answers to an InputRequired of a try before.
bool take_input_responses(Exchange& exchange, Call& call);

// Gives a call to the outside, unless the client has too many in flight.
void start(SessionState& state, Exchange& exchange, Call&& call);

} // namespace upskill::mcp
