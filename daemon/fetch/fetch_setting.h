#pragma once
#include "daemon/models/curl.h"
#include "skills/install/discover.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::fetch {

// Whose words the address is. What a person names may lie in a private network; what others name
// (agents, redirects, an index) may not, but where the person's configuration says so.
enum class NamedBy : std::uint8_t { person, other };

// How long each part of one exchange may take: servers of files answer sooner than models.
inline constexpr models::HttpDeadlines k_fetch_deadlines{.connect = std::chrono::seconds(10),
                                                         .first_byte = std::chrono::seconds(30),
                                                         .idle = std::chrono::seconds(30),
                                                         .total = std::chrono::minutes(5)};

struct FetchSetting {
  NamedBy by = NamedBy::person;
  std::vector<std::string> private_hosts =
      {}; // `host` or `host:port`, of the person's configuration
  install::Depth depth = install::Depth::shadowed;
  std::string home = {};                // whose settings of git count
  models::Environment environment = {}; // of the call: proxies
  std::function<void(std::string_view what)> progress = [](std::string_view) {};
  models::HttpDeadlines deadlines = k_fetch_deadlines;
  std::uint64_t most_brought = 1u << 30; // bytes of all skills together, as of a repository
};

} // namespace upskill::fetch
