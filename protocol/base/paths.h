#pragma once
#include "protocol/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill {

// Looks up one environment variable; a parameter so that tests and calls on behalf of a client can
// use another environment than the process's.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

// The environment of this process.
Environment process_environment();

// Where things lie (XDG Base Directory 0.8, with the fall-backs under HOME). Absolute, no final
// slash. The folders need not exist.
struct Places {
  std::string home;
  std::string config; // $XDG_CONFIG_HOME/upskill or ~/.config/upskill
  std::string state;  // $XDG_STATE_HOME/upskill or ~/.local/state/upskill: identifies the daemon
  std::string data;   // $XDG_DATA_HOME/upskill or ~/.local/share/upskill: what is the user's
  std::string config_home; // $XDG_CONFIG_HOME or ~/.config itself: agents' own folders lie there

  std::string run() const { return state + "/run"; }

  std::string lock() const { return run() + "/daemon.lock"; }
};

// Fails where HOME is unset, empty or relative; a relative XDG variable is ignored, as the
// specification says. `state` is resolved to its real path as far as it exists, because it
// identifies the daemon.
Result<Places> find_places(const Environment& environment);

// Places::state as it is written, links and all: for whoever must not even wait for resolving it,
// and only opens what lies there. Fails as find_places does, unless XDG_STATE_HOME says it alone.
Result<std::string> unresolved_state(const Environment& environment);

// Whether the caller says which state is meant (XDG_STATE_HOME, absolute).
bool names_state(const Environment& environment);

// The socket's path: run()/upskilld.sock, or, where that is too long for sockaddr_un (108 bytes), a
// 0700 folder of this user's named by a hash of the state directory: /run/user/UID where that
// exists, else /tmp.
std::string socket_path(const Places& places, unsigned uid);

// Joins with exactly one slash.
std::string join_path(std::string_view folder, std::string_view name);
// What follows the last slash.
std::string_view base_name(std::string_view path);
// What precedes the last slash; "/" for a file of the root, "." where there is none.
std::string parent_path(std::string_view path);
// `path` with `.` and `..` and repeated slashes removed, made absolute against `cwd`; looks at no
// file system, so a link is not resolved.
std::string normalized_path(std::string_view path, std::string_view cwd);
// How `path` is written from inside `folder`; both absolute and normalized.
std::string relative_path(std::string_view path, std::string_view folder);
// True when `path` is `folder` or lies in it; both normalized. `/a/bc` does not lie in `/a/b`.
bool is_inside(std::string_view path, std::string_view folder);
// `~` and `~/x` with the home folder; anything else unchanged.
std::string expand_home(std::string_view path, std::string_view home);
// The path as people write it: the home folder as `~`.
std::string shorten_home(std::string_view path, std::string_view home);

} // namespace upskill
