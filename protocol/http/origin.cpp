#include "protocol/http/origin.h"

#include "protocol/http/head.h"

#include <array>

namespace upskill::http {
namespace {

constexpr std::array<std::string_view, 3> k_hosts{"127.0.0.1", "localhost", "[::1]"};

// `:` and a port, or nothing.
bool is_port(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  text.remove_prefix(1);
  if (text.empty() || text.size() > 5) {
    return false;
  }
  unsigned port = 0;
  for (char c : text) {
    if (c < '0' || c > '9') {
      return false;
    }
    port = port * 10 + static_cast<unsigned>(c - '0');
  }
  return port <= 65535;
}

} // namespace

bool is_local_host(std::string_view host) {
  for (std::string_view name : k_hosts) {
    std::string_view rest = host.substr(host.size() < name.size() ? host.size() : name.size());
    if (equals_ignoring_case(host.substr(0, name.size()), name)
        && (rest.empty() || rest.front() == ':')) {
      return is_port(rest);
    }
  }
  return false;
}

bool is_local_origin(std::string_view origin) {
  for (std::string_view scheme : {"http://", "https://"}) {
    if (equals_ignoring_case(origin.substr(0, scheme.size()), scheme)) {
      return is_local_host(origin.substr(scheme.size()));
    }
  }
  return false;
}

} // namespace upskill::http
