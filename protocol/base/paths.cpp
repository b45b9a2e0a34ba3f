#include "protocol/base/paths.h"

#include "protocol/base/hash.h"

#include <sys/stat.h>
#include <sys/un.h>

#include <climits>
#include <cstdlib>
#include <vector>

namespace upskill {
namespace {

// The real path of the longest part that exists, with the rest appended.
std::string resolve_existing_part(std::string path) {
  std::string rest;
  for (;;) {
    char buffer[PATH_MAX];
    if (::realpath(path.c_str(), buffer) != nullptr) {
      return rest.empty() ? std::string(buffer) : join_path(buffer, rest);
    }
    std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) {
      return join_path(path, rest);
    }
    rest = rest.empty() ? path.substr(slash + 1) : path.substr(slash + 1) + "/" + rest;
    path.resize(slash);
  }
}

Result<std::string> find_home(const Environment& environment) {
  std::optional<std::string> home = environment("HOME");
  if (!home || home->empty() || home->front() != '/') {
    return fail(ErrorCode::invalid_argument,
                "`HOME` is not set to an absolute path",
                "set HOME to your home folder");
  }
  return std::move(*home);
}

} // namespace

Environment process_environment() {
  return [](std::string_view name) -> std::optional<std::string> {
    // Read before any thread exists that might change it; upskill never calls setenv.
    const char* value = std::getenv(std::string(name).c_str()); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<Places> find_places(const Environment& environment) {
  TRY_ASSIGN(std::string home, find_home(environment));
  auto base = [&](std::string_view variable, std::string_view below_home) {
    std::optional<std::string> value = environment(variable);
    return value && !value->empty() && value->front() == '/' ? normalized_path(*value, "/")
                                                             : join_path(home, below_home);
  };
  Places places;
  places.home = normalized_path(home, "/");
  places.config_home = base("XDG_CONFIG_HOME", ".config");
  places.config = places.config_home + "/upskill";
  places.state = resolve_existing_part(base("XDG_STATE_HOME", ".local/state") + "/upskill");
  places.data = base("XDG_DATA_HOME", ".local/share") + "/upskill";
  return places;
}

Result<std::string> unresolved_state(const Environment& environment) {
  std::optional<std::string> named = environment("XDG_STATE_HOME");
  if (named && named->starts_with('/')) {
    return normalized_path(*named, "/") + "/upskill";
  }
  TRY_ASSIGN(std::string home, find_home(environment));
  return home + "/.local/state/upskill";
}

bool names_state(const Environment& environment) {
  return environment("XDG_STATE_HOME").value_or("").starts_with('/');
}

std::string socket_path(const Places& places, unsigned uid) {
  std::string direct = places.run() + "/upskilld.sock";
  if (direct.size() < sizeof(sockaddr_un::sun_path)) {
    return direct;
  }
  std::string user = "/run/user/" + std::to_string(uid);

  struct stat status {};

  std::string folder = ::stat(user.c_str(), &status) == 0 && status.st_uid == uid
                           ? user + "/upskill-"
                           : "/tmp/upskill-" + std::to_string(uid) + "-";
  return folder + sha256(places.state).brief(16) + "/upskilld.sock";
}

std::string join_path(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (name.empty()) {
    return path;
  }
  if (!path.empty() && path.back() != '/') {
    path += '/';
  }
  path += name;
  return path;
}

std::string_view base_name(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string parent_path(std::string_view path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string normalized_path(std::string_view path, std::string_view cwd) {
  std::string whole =
      !path.empty() && path.front() == '/' ? std::string(path) : join_path(cwd, path);
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < whole.size();) {
    std::size_t end = whole.find('/', at);
    end = end == std::string::npos ? whole.size() : end;
    std::string_view part = std::string_view(whole).substr(at, end - at);
    if (part == "..") {
      if (!parts.empty()) {
        parts.pop_back();
      }
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string normal;
  for (std::string_view part : parts) {
    normal += '/';
    normal += part;
  }
  return normal.empty() ? "/" : normal;
}

std::string relative_path(std::string_view path, std::string_view folder) {
  std::string up;
  std::string common(folder);
  while (!is_inside(path, common)) {
    common = parent_path(common);
    up += "../";
  }
  std::string_view rest = path.substr(common == "/" ? 1 : common.size());
  if (!rest.empty() && rest.front() == '/') {
    rest.remove_prefix(1);
  }
  return up + std::string(rest);
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") {
    return true;
  }
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string expand_home(std::string_view path, std::string_view home) {
  if (path == "~") {
    return std::string(home);
  }
  return path.starts_with("~/") ? join_path(home, path.substr(2)) : std::string(path);
}

std::string shorten_home(std::string_view path, std::string_view home) {
  if (home.size() > 1 && is_inside(path, home)) {
    return "~" + std::string(path.substr(home.size()));
  }
  return std::string(path);
}

} // namespace upskill
