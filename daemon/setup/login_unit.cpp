#include "daemon/setup/login_unit.h"

#include "daemon/await.h"
#include "daemon/runtime/child_process.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace upskill::setup {

extern const std::string_view k_unit_template;

namespace {

constexpr auto k_limit = std::chrono::seconds(20);

std::string runtime_folder(const Environment& environment) {
  std::string told = environment("XDG_RUNTIME_DIR").value_or("");
  return told.starts_with('/') ? told : "/run/user/" + std::to_string(::getuid());
}

} // namespace

std::optional<Error> why_no_login(const Environment& environment) {
  struct stat status {};

  std::string manager = runtime_folder(environment) + "/systemd";
  if (::stat(manager.c_str(), &status) == 0) {
    return std::nullopt;
  }
  return Error{ErrorCode::unsupported,
               "no systemd of this user answers here",
               "have `upskill daemon start` run at login in your own way; agents start the daemon "
               "by themselves, too"};
}

std::string unit_path(const Places& places) {
  return join_path(places.config_home, "systemd/user/" + std::string(k_unit_name));
}

std::string login_unit(std::string_view daemon_program) {
  std::string text(k_unit_template);
  // systemd.service(5): `%` and, within quotes, `"` and `\` are special.
  std::string quoted;
  for (char c : daemon_program) {
    quoted += c == '%' ? "%%" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  constexpr std::string_view k_place = "@UPSKILLD@";
  text.replace(text.find(k_place), k_place.size(), quoted);
  return text;
}

daemon::Awaitable<void> systemctl(Environment environment, std::vector<std::string> words) {
  runtime::ChildProgram program;
  program.argv = {"systemctl", "--user"};
  program.argv.insert(program.argv.end(), words.begin(), words.end());
  constexpr std::array k_passed_on{
      "PATH", "HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"};
  for (const char* name : k_passed_on) {
    if (auto value = environment(name)) {
      program.environment.push_back(std::string(name) + "=" + *value);
    }
  }
  if (!environment("XDG_RUNTIME_DIR")) {
    program.environment.push_back("XDG_RUNTIME_DIR=" + runtime_folder(environment));
  }
  program.limit = k_limit;
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(std::move(program)));
  CO_TRY(end);
  if (!end->is_success()) {
    std::string said = to_valid_utf8(end->errors.substr(0, end->errors.find('\n')));
    co_return fail(ErrorCode::unavailable,
                   "`systemctl --user " + words.front() + "` did not work"
                       + (said.empty() ? "" : ": " + said),
                   "`systemctl --user status` says more");
  }
  co_return Result<void>();
}

} // namespace upskill::setup
