#include "daemon/sandbox/enclose.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <map>
#include <string_view>

namespace upskill::sandbox {
namespace {

using Arguments = std::vector<std::string>;

// What programs need of /etc, and nothing that could be a secret: no /etc/shadow, no keys, no
// configuration of services.
constexpr std::array k_etc = {"/etc/ld.so.cache",
                              "/etc/ld.so.conf",
                              "/etc/ld.so.conf.d",
                              "/etc/alternatives",
                              "/etc/passwd",
                              "/etc/group",
                              "/etc/nsswitch.conf",
                              "/etc/localtime",
                              "/etc/timezone",
                              "/etc/mime.types",
                              "/etc/magic",
                              "/etc/fonts",
                              "/etc/java",
                              "/etc/python3",
                              "/etc/perl",
                              "/etc/ssl/certs",
                              "/etc/ssl/openssl.cnf",
                              "/etc/ca-certificates",
                              "/etc/pki/tls/certs"};
constexpr std::array k_net = {"/etc/resolv.conf", "/etc/hosts", "/etc/services", "/etc/gai.conf"};
// A mount at or below one of these could stand for something of the system's.
constexpr std::array k_system = {"/usr",
                                 "/bin",
                                 "/sbin",
                                 "/lib",
                                 "/lib32",
                                 "/lib64",
                                 "/libx32",
                                 "/etc",
                                 "/proc",
                                 "/dev",
                                 "/sys"};
constexpr std::array k_usr_parts = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

constexpr const char* k_prlimit = "/usr/bin/prlimit";

void add(Arguments& arguments, std::initializer_list<std::string_view> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// Debian's /bin is a link into /usr, other systems' a folder.
void add_system(Arguments& arguments) {
  add(arguments, {"--ro-bind", "/usr", "/usr"});
  for (std::string_view part : k_usr_parts) {
    char target[PATH_MAX];
    ssize_t size = ::readlink(part.data(), target, sizeof target);
    if (size > 0 && size < static_cast<ssize_t>(sizeof target)) {
      add(arguments, {"--symlink", {target, static_cast<std::size_t>(size)}, part});
    } else {
      add(arguments, {"--ro-bind-try", part, part});
    }
  }
  add(arguments, {"--dir", "/etc"});
  for (std::string_view path : k_etc) {
    add(arguments, {"--ro-bind-try", path, path});
  }
}

void add_scratch(Arguments& arguments, std::string_view at, std::uint64_t bytes) {
  add(arguments, {"--size", std::to_string(bytes), "--tmpfs", at});
}

Result<void> check_inner(const std::string& path) {
  bool is_plain = path.starts_with('/') && normalized_path(path, "/") == path && path != "/";
  bool is_system =
      std::ranges::any_of(k_system, [&](std::string_view part) { return is_inside(path, part); });
  if (!is_plain || is_system) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(path) + " is no place for a folder in the sandbox");
  }
  return {};
}

Result<void> add_mounts(Arguments& arguments, const std::vector<Mount>& mounts, bool writable) {
  for (const Mount& mount : mounts) {
    TRY(check_inner(mount.at));
    if (!mount.from.starts_with('/')) {
      return fail(ErrorCode::invalid_argument, in_backticks(mount.from) + " is not absolute");
    }
    add(arguments, {writable ? "--bind" : "--ro-bind", mount.from, mount.at});
  }
  return {};
}

Result<void> add_environment(Arguments& arguments, const Arguments& given) {
  std::map<std::string, std::string> variables = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"},
      {"HOME", "/home"},
      {"LANG", "C.UTF-8"},
      {"TMPDIR", "/tmp"}};
  for (const std::string& entry : given) {
    std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail(ErrorCode::invalid_argument, "an environment variable has no name");
    }
    variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  add(arguments, {"--clearenv"});
  for (const auto& [name, value] : variables) {
    add(arguments, {"--setenv", name, value});
  }
  return {};
}

} // namespace

Result<Arguments> enclosing_arguments(const Enclosed& enclosed) {
  Arguments arguments = {"--unshare-all",
                         "--unshare-user",
                         "--disable-userns",
                         "--die-with-parent",
                         "--new-session",
                         "--cap-drop",
                         "ALL",
                         "--hostname",
                         "sandbox"};
  if (enclosed.share_net) {
    add(arguments, {"--share-net"});
  }
  add_system(arguments);
  if (enclosed.share_net) {
    for (std::string_view path : k_net) {
      add(arguments, {"--ro-bind-try", path, path});
    }
  }
  add(arguments, {"--proc", "/proc", "--dev", "/dev"});
  for (std::string_view scratch : {"/dev/shm", "/tmp", "/home"}) {
    add_scratch(arguments, scratch, enclosed.bounds.scratch);
  }
  // Of /proc too: where the daemon is root, so is the sandbox as far as /proc/sys is concerned, and
  // bubblewrap leaves that writable.
  add(arguments, {"--remount-ro", "/dev", "--remount-ro", "/proc"});
  TRY(add_mounts(arguments, {{enclosed.workspace, std::string(k_workspace)}}, true));
  TRY(add_mounts(arguments, enclosed.writable, true));
  TRY(add_mounts(arguments, enclosed.read_only, false));
  add(arguments, {"--remount-ro", "/"});
  TRY(add_environment(arguments, enclosed.program.environment));
  const std::string& folder = enclosed.program.folder;
  add(arguments, {"--chdir", folder.empty() ? k_workspace : folder});
  return arguments;
}

// The kernel counts the processes of a person, not of a sandbox, until there is a namespace of
// users: a bound that was set before would be met by their desktop.
Arguments inner_arguments(const Enclosed& enclosed) {
  Arguments arguments;
  if (::access(k_prlimit, X_OK) == 0) {
    std::string most = std::to_string(enclosed.bounds.processes);
    add(arguments, {k_prlimit, "--nproc=" + most + ":" + most, "--"});
  }
  arguments.insert(arguments.end(), enclosed.program.argv.begin(), enclosed.program.argv.end());
  return arguments;
}

} // namespace upskill::sandbox
