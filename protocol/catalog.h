#pragma once
#include "protocol/methods.h"

#include <span>
#include <string>
#include <string_view>

namespace upskill {

// A Method with its types erased.
struct MethodInfo {
  std::string_view name;
  std::string_view command;
  std::string_view summary;
  std::string_view description;
  Effect effect;
  Audience audience;
  Pace pace;
  std::string (*params_schema)(); // JSON Schema 2020-12, one line
  std::string (*result_schema)();
  // params_schema without what agents are not shown; null where they are shown all of it.
  std::string (*tool_schema)() = nullptr;
};

// Every method, in the order of for_each_method.
std::span<const MethodInfo> catalog();
// Null where there is none of that name.
const MethodInfo* find_method(std::string_view name);

} // namespace upskill
