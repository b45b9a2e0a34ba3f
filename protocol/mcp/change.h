#pragma once
#include <string_view>

namespace upskill::mcp {

// What is not as it was, for the clients that asked to be told.
struct Change {
  enum class Kind {
    tool_list,
    prompt_list,
    resource_list,
    resources // what those hold whose URIs begin with `prefix`
  };
  using enum Kind;

  Kind kind = Kind::resource_list;
  std::string_view prefix = {};
};

} // namespace upskill::mcp
