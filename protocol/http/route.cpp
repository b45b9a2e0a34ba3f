#include "protocol/http/route.h"

#include "protocol/base/bounds.h"
#include "protocol/base/mcp_bounds.h"

namespace upskill::http {
namespace {

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

} // namespace

std::optional<Route> route_of(std::string_view target) {
  std::string_view path = path_of(target);
  if (path == k_path) {
    return Route::mcp;
  }
  if (path == k_hook_path || !hook_event_of(target).empty()) {
    return Route::hook;
  }
  return std::nullopt;
}

std::string_view hook_event_of(std::string_view target) {
  std::string_view path = path_of(target);
  if (!path.starts_with(k_hook_path) || path.size() <= k_hook_path.size() + 1
      || path[k_hook_path.size()] != '/') {
    return {};
  }
  std::string_view event = path.substr(k_hook_path.size() + 1);
  return event.find('/') == std::string_view::npos ? event : std::string_view();
}

std::size_t max_body(Route route) {
  return route == Route::hook ? k_max_http_hook : k_max_line;
}

} // namespace upskill::http
