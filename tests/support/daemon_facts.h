#pragma once
#include "tests/support/daemon_process.h"

#include <nlohmann/json_fwd.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What a daemon says about itself and to others, and what the system says about it.
namespace upskill::tests {

// What a tool answers to a person on the socket who has nothing else in flight.
nlohmann::json ask(Client& client, std::string_view tool, std::string_view arguments = "{}");
std::int64_t counter(Client& client, const std::string& name);
std::int64_t rss_bytes(Client& client);

// Of test_daemon: says that its list of resources has changed.
void change_list(Client& client);

// Of a process of this user.
std::size_t open_descriptors(pid_t process);
std::chrono::nanoseconds cpu_time(pid_t process);

// Sanitizers take more of both, and keep freed memory for a while.
bool is_sanitized();

// As much as the system allows; false, with the reason printed, where that is less.
bool can_open(std::size_t descriptors);

// What SIGTERM may take, and a little for the machine.
inline constexpr std::chrono::milliseconds k_stop_limit{2500};

} // namespace upskill::tests
