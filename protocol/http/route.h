#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace upskill::http {

inline constexpr std::string_view k_path = "/mcp";
inline constexpr std::string_view k_hook_path = "/hook"; // and `/hook/EVENT`

// What is served at a path.
enum class Route {
  mcp,
  hook // what an agent's hook tells
};

// Of a request's target, whatever its query says; nothing where nothing is served. Paths are
// compared as they are sent: none that is served needs an escape.
std::optional<Route> route_of(std::string_view target);

// EVENT of `/hook/EVENT`; empty where the path names none.
std::string_view hook_event_of(std::string_view target);

// Bytes of a body.
std::size_t max_body(Route route);

} // namespace upskill::http
