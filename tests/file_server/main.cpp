// A server of files and git repositories on a loopback address, for tests. It prints its port, and
// ends with whoever started it.
#include "protocol/base/unique_fd.h"
#include "tests/file_server/git_backend.h"
#include "tests/file_server/routes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace upskill;
using namespace upskill::file_server;

constexpr const char* k_usage =
    "file_server [--files FOLDER] [--git FOLDER] [--requests FILE] [--daemon yes]\n";

struct Options {
  Folders folders = {};
  std::string requests = {};   // takes a line for each request: its method and target
  bool has_git_daemon = false; // git's own protocol, at a port of its own
};

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == count) {
      return false;
    }
    if (name == "--files") {
      options.folders.files = words[i + 1];
    } else if (name == "--git") {
      options.folders.git = words[i + 1];
    } else if (name == "--requests") {
      options.requests = words[i + 1];
    } else if (name == "--daemon") {
      options.has_git_daemon = words[i + 1] == std::string_view("yes");
    } else {
      return false;
    }
  }
  return true;
}

UniqueFd listen_on_loopback(unsigned& port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), 128) != 0
      || ::getsockname(socket.get(), generic, &size) != 0) {
    return {};
  }
  port = ntohs(address.sin_port);
  return socket;
}

void serve(UniqueFd connection, const Options& options, int requests) {
  std::optional<Request> request = read_request(connection.get());
  if (!request) {
    return;
  }
  if (requests >= 0) {
    const std::string query = request->query.empty() ? "" : "?" + request->query;
    const std::string line = request->method + " " + request->path + query + "\n";
    (void)!::write(requests, line.data(), line.size());
  }
  answer(connection.get(), *request, options.folders);
}

void serve_git(UniqueFd connection, const std::string& folder) {
  speak_git(connection.get(), folder);
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (!read_options(count, words, options)) {
    std::fputs(k_usage, stderr);
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  unsigned port = 0;
  UniqueFd listener = listen_on_loopback(port);
  if (!listener) {
    std::perror("file_server");
    return 1;
  }
  UniqueFd requests;
  if (!options.requests.empty()) {
    requests.reset(::open(
        options.requests.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  }
  std::printf("%u\n", port);
  UniqueFd git_listener;
  if (options.has_git_daemon) {
    git_listener = listen_on_loopback(port);
    std::printf("%u\n", port);
    std::thread([&] {
      while (true) {
        UniqueFd connection(::accept4(git_listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection) {
          std::thread(serve_git, std::move(connection), options.folders.git).detach();
        }
      }
    }).detach();
  }
  std::fflush(stdout);
  while (true) {
    UniqueFd connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection) {
      std::thread(serve, std::move(connection), std::cref(options), requests.get()).detach();
    }
  }
}
