#pragma once
#include "protocol/mcp/answer.h"

#include <string>
#include <string_view>

// How a person is asked before an agent changes something of theirs.
namespace upskill::daemon {

enum class PersonSaid { nothing, yes, no };

// What is missing or malformed is no answer: the person is asked again.
PersonSaid said_in(const std::string& input_responses);

// The question, and what is to be known when the answer comes.
mcp::InputRequired confirmation_of(std::string_view question, std::string state);

} // namespace upskill::daemon
