#pragma once
#include "protocol/mcp/session_state.h"

#include <span>
#include <string_view>

namespace upskill::mcp {

// In which era a method exists.
enum class Spoken { legacy, modern, both };

// The part of the Offer that a method belongs to; it does not exist where that is not offered.
enum class Part { always, resources, prompts, completion, skills, tasks };

struct Request {
  std::string_view method;
  Spoken spoken;
  void (*run)(SessionState&, Exchange&);
  Part part = Part::always;
};

// Null for a method that no era of ours has. To add one, add a row to the table in requests.cpp.
const Request* find_request(std::string_view method);
// All of them.
std::span<const Request> requests();

bool is_offered(const Offer& offer, Part part);

// The rows whose functions have a file of their own: subscribe.cpp,
void subscribe(SessionState& state, Exchange& exchange);
void unsubscribe(SessionState& state, Exchange& exchange);
void listen(SessionState& state, Exchange& exchange);
// and requests_outside.cpp, where each makes a Call.
void call_tool(SessionState& state, Exchange& exchange);
void list_resources(SessionState& state, Exchange& exchange);
void list_resource_templates(SessionState& state, Exchange& exchange);
void read_resource(SessionState& state, Exchange& exchange);
void read_directory(SessionState& state, Exchange& exchange);
void list_skills(SessionState& state, Exchange& exchange);
void get_skill(SessionState& state, Exchange& exchange);
void get_prompt(SessionState& state, Exchange& exchange);
void complete(SessionState& state, Exchange& exchange);
void get_task(SessionState& state, Exchange& exchange);
void update_task(SessionState& state, Exchange& exchange);
void cancel_task(SessionState& state, Exchange& exchange);

} // namespace upskill::mcp
