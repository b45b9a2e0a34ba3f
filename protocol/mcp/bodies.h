#pragma once
#include "protocol/codec/writer.h"
#include "protocol/mcp/session_state.h"

namespace upskill::mcp {

// Writes what an answer has of its own into the result that was begun. Not for those that are no
// complete result: InputRequired and Refusal.
void write_body(JsonWriter& json, const Answer& answer, const CallNote& note);

// Of a tool that failed: text and hint, which a model can read and correct.
void write_failed_tool(JsonWriter& json, const Error& error);

// In the modern era. Every ErrorCode is in one of three kinds; see README.md.
int code_of(const Error& error);

} // namespace upskill::mcp
