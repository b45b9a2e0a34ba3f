#include "tests/file_server/routes.h"

#include "protocol/base/atomic_file.h"
#include "tests/file_server/git_backend.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace upskill::file_server {
namespace {

constexpr std::size_t k_largest_file = 1u << 30;          // bytes
constexpr const char* k_login = "Basic YWRhOnNlY3JldA=="; // ada:secret

Reply text(int status, std::string body) {
  return {status, {{"Content-Type", "text/plain"}}, std::move(body)};
}

Reply redirect(std::string to, int status = 302) {
  return {status, {{"Location", std::move(to)}}, ""};
}

Reply login() {
  return {401, {{"WWW-Authenticate", "Basic realm=\"tests\""}}, "who is it?\n"};
}

std::string_view type_of(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_types{
      {{".json", "application/json"},
       {".md", "text/markdown"},
       {".zip", "application/zip"},
       {".skill", "application/zip"},
       {".gz", "application/gzip"}}};
  for (const auto& [ending, type] : k_types) {
    if (path.ends_with(ending)) {
      return type;
    }
  }
  return "application/octet-stream";
}

Reply file(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.find("..") != std::string::npos) {
    return text(404, "no such file\n");
  }
  Result<std::string> bytes = read_file(folder + "/" + path, k_largest_file);
  if (!bytes) {
    return text(404, "no such file\n");
  }
  return {200, {{"Content-Type", std::string(type_of(path))}}, std::move(*bytes)};
}

// As long as the client takes it.
void endless(int socket) {
  if (send_bytes(socket,
                 "HTTP/1.1 200 Said\r\nContent-Type: application/octet-stream\r\n"
                 "Connection: close\r\n\r\n")) {
    const std::string piece(65536, 'e');
    while (send_bytes(socket, piece)) {
    }
  }
}

// `/NAME/REST` without its first part; nothing of another.
bool take(std::string& path, const std::string& name) {
  const std::string first = "/" + name + "/";
  if (!path.starts_with(first)) {
    return false;
  }
  path.erase(0, first.size());
  return true;
}

Reply reply_to(const Request& request, const Folders& folders) {
  std::string path = request.path;
  const std::string query = request.query.empty() ? "" : "?" + request.query;
  if (take(path, "git")) {
    return ask_git(folders.git, "/" + percent_decoded(path), request);
  }
  if (take(path, "private")) {
    return request.field("authorization") == k_login
               ? ask_git(folders.git, "/" + percent_decoded(path), request)
               : login();
  }
  if (take(path, "moved")) {
    return redirect("/" + path + query, 301);
  }
  if (take(path, "away")) {
    return redirect("http://" + path + query);
  }
  if (path == "/redirect") {
    return redirect(parameter(request.query, "to"));
  }
  if (path == "/circle" || path.starts_with("/circle/")) {
    return redirect(path + query);
  }
  if (take(path, "status")) {
    return text(std::atoi(path.c_str()), "as you like\n");
  }
  if (path == "/login" || path.starts_with("/login/")) {
    return login();
  }
  if (path.starts_with("/page")) {
    return {200, {{"Content-Type", "text/html"}}, "<html><body>please log in</body></html>\n"};
  }
  if (take(path, "changed")) {
    Reply reply = file(folders.files, percent_decoded(path));
    if (reply.status == 200) {
      reply.body += "\n";
    }
    return reply;
  }
  path.erase(0, 1);
  return file(folders.files, percent_decoded(path));
}

} // namespace

void answer(int socket, const Request& request, const Folders& folders) {
  if (request.path == "/hang" || request.path.starts_with("/hang/")) {
    wait_for_end(socket);
  } else if (request.path == "/slow" || request.path.starts_with("/slow/")) {
    send_bytes(socket, "HTTP/1.1 200 Said\r\nContent-Length: 1000000\r\n\r\nslow");
    wait_for_end(socket);
  } else if (request.path == "/endless" || request.path.starts_with("/endless/")) {
    endless(socket);
  } else {
    send_reply(socket, reply_to(request, folders));
  }
}

} // namespace upskill::file_server
