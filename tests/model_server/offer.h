#pragma once
#include <optional>
#include <string_view>

namespace upskill::model_server {

// A skill that a student with tools (daemon/students/agent) may read before it does its task. Views
// of the request, as JSON has them.
struct Offer {
  std::string_view description;
  std::string_view location;
  std::string_view task;
};

// Of a request that begins a task; nothing where no skill is offered, or something was done
// already.
std::optional<Offer> offer_of(std::string_view body);

// Whether the task has a word of the description, of five letters and digits or more.
bool fits(const Offer& offer);

} // namespace upskill::model_server
