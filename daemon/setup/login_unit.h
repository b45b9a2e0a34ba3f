#pragma once
#include "daemon/binder.h"
#include "protocol/base/paths.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::setup {

inline constexpr const char* k_unit_name = "upskilld.service";

// Why nothing can be started at login here: no systemd that listens to this user.
std::optional<Error> why_no_login(const Environment& environment);

// Where the unit lies (systemd.unit(5), user units).
std::string unit_path(const Places& places);

// The unit that `upskill daemon unit` prints.
std::string login_unit(std::string_view daemon_program);

// `systemctl --user WORDS`; 20 s at most.
daemon::Awaitable<void> systemctl(Environment environment, std::vector<std::string> words);

} // namespace upskill::setup
