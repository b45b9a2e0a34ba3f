#include "daemon/students/cli_enclosure.h"

#include "daemon/runtime/child_process_start.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

namespace upskill::students {
namespace {

// The system's, which every sandbox has.
constexpr std::array<std::string_view, 6> k_system{
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"};
constexpr std::string_view k_system_path =
    "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
// What agents start by name: they are written in one of these, or cannot do without.
constexpr std::array<const char*, 4> k_tools{"node", "bun", "rg", "git"};
constexpr std::string_view k_modules = "/node_modules/";

// Agents are large programs: V8 and JavaScriptCore keep data of their own for each thread.
constexpr std::uint64_t k_memory = 8ull << 30; // bytes of data of a process
constexpr std::uint64_t k_processes = 512;     // threads are counted
constexpr std::uint64_t k_descriptors = 8192;

bool is_system(std::string_view path) {
  return std::ranges::any_of(k_system,
                             [&](std::string_view part) { return is_inside(path, part); });
}

std::string real_path(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) == nullptr ? "" : real;
}

std::string first_line(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(256, '\0');
  ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return bytes.substr(0, bytes.find('\n'));
}

// `node` of `#!/usr/bin/env node`, the path of `#!/opt/node/bin/node`; empty: it needs none.
std::string interpreter_of(const std::string& path) {
  std::string line = first_line(path);
  if (!line.starts_with("#!")) {
    return {};
  }
  std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) {
    return {};
  }
  std::size_t end = line.find_first_of(" \t\r", begin);
  std::string first = line.substr(begin, end - begin);
  if (!first.ends_with("/env") || end == std::string::npos) {
    return first;
  }
  std::string words = line.substr(end + 1);
  words = words.starts_with("-S ") ? words.substr(3) : words;
  return words.substr(0, words.find_first_of(" \t\r"));
}

class Finder {
public:
  explicit Finder(const std::string& path)
      : m_path(path) {}

  // A file under the name by which it is called; a link's own place would lead nowhere inside.
  void add_tool(const std::string& name) {
    Result<std::string> found = runtime::find_program(name, m_path);
    std::string real = found ? real_path(*found) : "";
    if (real.empty()) {
      return;
    }
    std::string at = normalized_path(*found, "/");
    if (is_system(at) && !is_system(real)) {
      mount(real, real); // the system's link leads to it
    } else if (!is_system(at)) {
      mount(real, at);
      std::string folder = at.substr(0, at.rfind('/'));
      if (("\n" + m_folders).find("\n" + folder + "\n") == std::string::npos) {
        m_folders += folder + "\n";
      }
    }
  }

  void mount(const std::string& from, const std::string& at) {
    bool is_known = std::ranges::any_of(
        m_mounts, [&](const sandbox::Mount& known) { return is_inside(at, known.at); });
    if (!is_known) {
      m_mounts.push_back({from, at});
    }
  }

  Installation finish(std::string program) {
    std::ranges::replace(m_folders, '\n', ':');
    return {std::move(program), m_folders + std::string(k_system_path), std::move(m_mounts)};
  }

private:
  const std::string& m_path;
  std::vector<sandbox::Mount> m_mounts;
  std::string m_folders; // a line each
};

} // namespace

Result<Installation> find_installation(const std::string& program, const std::string& path) {
  std::string real = real_path(program);
  if (real.empty()) {
    return fail(system_error(errno, in_backticks(program)));
  }
  Finder finder(path);
  if (!is_system(real)) {
    // With its packages, which may lie beside its own: the outermost folder of them.
    std::size_t modules = real.find(k_modules);
    std::string whole =
        modules == std::string::npos ? real : real.substr(0, modules + k_modules.size() - 1);
    finder.mount(whole, whole);
  }
  if (std::string interpreter = interpreter_of(real); !interpreter.empty()) {
    finder.add_tool(interpreter);
  }
  for (const char* tool : k_tools) {
    finder.add_tool(tool);
  }
  return finder.finish(std::move(real));
}

Result<std::string> find_forwarder() {
  std::string own = real_path("/proc/self/exe");
  std::string found = own.substr(0, own.rfind('/') + 1) + "upskill-forward";
  if (own.empty() || ::access(found.c_str(), X_OK) != 0) {
    return fail(ErrorCode::unavailable,
                "the program `upskill-forward` is not beside `upskilld`",
                "install both; `--no-sandbox` does without");
  }
  return found;
}

CliFolders enclosed_folders() {
  return {"/agent/home", "/agent/config", "/agent/tmp", std::string(sandbox::k_workspace)};
}

sandbox::Enclosed enclosed(runtime::ChildProgram program,
                           const Installation& installation,
                           const CliFolders& folders,
                           const std::string& socket,
                           const std::string& forwarder) {
  constexpr std::string_view k_forward_at = "/agent/forward";
  constexpr std::string_view k_socket_at = "/agent/proxy";
  const CliFolders inside = enclosed_folders();
  sandbox::Enclosed made;
  made.workspace = folders.workspace;
  made.writable = {{folders.home, inside.home},
                   {folders.config, inside.config},
                   {folders.temporary, inside.temporary}};
  made.read_only = installation.read_only;
  program.argv.front() = installation.program;
  program.folder = inside.workspace;
  if (!socket.empty()) {
    made.writable.push_back({socket, std::string(k_socket_at)});
    made.read_only.push_back({forwarder, std::string(k_forward_at)});
    program.argv.insert(
        program.argv.begin(),
        {std::string(k_forward_at), std::string(k_socket_at), std::to_string(k_enclosed_port)});
  }
  made.bounds.memory = k_memory;
  made.bounds.processes = k_processes;
  made.bounds.descriptors = k_descriptors;
  made.program = std::move(program);
  return made;
}

} // namespace upskill::students
