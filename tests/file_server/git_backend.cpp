#include "tests/file_server/git_backend.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace upskill::file_server {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

std::string own(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Nothing (-1) where git cannot be started.
pid_t start(std::vector<std::string> words,
            std::vector<std::string> environment,
            int input,
            int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  pid_t child = -1;
  const int failed = ::posix_spawnp(
      &child, "git", &actions, nullptr, pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -1;
}

Reply read_answer(std::string_view bytes) {
  Reply reply;
  std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return {500, {}, "git http-backend says nothing\n"};
  }
  std::string_view head = bytes.substr(0, end);
  reply.body = bytes.substr(end + 4);
  while (!head.empty()) {
    std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string name(line.substr(0, colon));
    const std::string value(line.substr(colon + 2));
    if (name == "Status") {
      reply.status = std::atoi(value.c_str());
    } else {
      reply.fields[name] = value;
    }
  }
  return reply;
}

} // namespace

Reply ask_git(const std::string& folder, const std::string& path, const Request& request) {
  std::vector<std::string> words{"git", "http-backend"};
  std::vector<std::string> environment{"GIT_PROJECT_ROOT=" + folder,
                                       "GIT_HTTP_EXPORT_ALL=1",
                                       "PATH_INFO=" + path,
                                       "QUERY_STRING=" + request.query,
                                       "REQUEST_METHOD=" + request.method,
                                       "CONTENT_TYPE=" + request.field("content-type"),
                                       "CONTENT_LENGTH=" + std::to_string(request.body.size()),
                                       "HTTP_CONTENT_ENCODING=" + request.field("content-encoding"),
                                       "GIT_PROTOCOL=" + request.field("git-protocol"),
                                       "PATH=" + own("PATH"),
                                       "HOME=" + own("HOME")};
  int input = ::memfd_create("request", MFD_CLOEXEC);
  (void)!::write(input, request.body.data(), request.body.size());
  ::lseek(input, 0, SEEK_SET);
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) {
    std::abort();
  }
  const pid_t child = start(words, environment, input, output[1]);
  ::close(input);
  ::close(output[1]);
  std::string bytes;
  std::array<char, 65536> piece{};
  ssize_t count = 0;
  while (child > 0 && (count = ::read(output[0], piece.data(), piece.size())) > 0) {
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
  ::close(output[0]);
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
  return read_answer(bytes);
}

void speak_git(int socket, const std::string& folder) {
  std::vector<std::string> words{"git",
                                 "daemon",
                                 "--inetd",
                                 "--log-destination=none",
                                 "--export-all",
                                 "--base-path=" + folder,
                                 folder};
  std::vector<std::string> environment{"PATH=" + own("PATH"), "HOME=" + own("HOME")};
  const pid_t child = start(std::move(words), std::move(environment), socket, socket);
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
}

} // namespace upskill::file_server
