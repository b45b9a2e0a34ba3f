#include "tests/file_server/message.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace upskill::file_server {
namespace {

constexpr std::size_t k_longest_head = 64u << 10; // bytes
constexpr std::size_t k_longest_body = 64u << 20; // likewise

bool read_more(int socket, std::string& bytes) {
  char piece[16384];
  ssize_t count = ::recv(socket, piece, sizeof piece, 0);
  if (count <= 0) {
    return false;
  }
  bytes.append(piece, static_cast<std::size_t>(count));
  return true;
}

std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

void read_head(std::string_view head, Request& request) {
  std::string_view line = head.substr(0, head.find("\r\n"));
  std::size_t first = std::min(line.find(' '), line.size());
  std::string_view target = line.substr(std::min(first + 1, line.size()));
  target = target.substr(0, target.find(' '));
  request.method = line.substr(0, first);
  request.path = target.substr(0, target.find('?'));
  request.query = target.size() > request.path.size() ? target.substr(request.path.size() + 1) : "";
  head.remove_prefix(std::min(line.size() + 2, head.size()));
  while (!head.empty()) {
    line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    std::size_t colon = std::min(line.find(':'), line.size());
    request.fields[lower(line.substr(0, colon))] =
        trimmed(line.substr(std::min(colon + 1, line.size())));
  }
}

// git sends a request of more than a megabyte in chunks.
bool read_chunks(int socket, std::string& bytes, std::string& body) {
  while (body.size() < k_longest_body) {
    std::size_t end = bytes.find("\r\n");
    if (end == std::string::npos) {
      if (!read_more(socket, bytes)) {
        return false;
      }
      continue;
    }
    const std::size_t size = std::strtoul(bytes.c_str(), nullptr, 16);
    if (size > k_longest_body) {
      return false;
    }
    while (bytes.size() < end + 2 + size + 2) {
      if (!read_more(socket, bytes)) {
        return false;
      }
    }
    body.append(bytes, end + 2, size);
    bytes.erase(0, end + 2 + size + 2);
    if (size == 0) {
      return true;
    }
  }
  return false;
}

} // namespace

std::string Request::field(const std::string& name) const {
  auto at = fields.find(name);
  return at == fields.end() ? std::string() : at->second;
}

std::optional<Request> read_request(int socket) {
  std::string bytes;
  std::size_t end = 0;
  while ((end = bytes.find("\r\n\r\n")) == std::string::npos) {
    if (bytes.size() > k_longest_head || !read_more(socket, bytes)) {
      return std::nullopt;
    }
  }
  Request request;
  read_head(std::string_view(bytes).substr(0, end), request);
  bytes.erase(0, end + 4);
  if (request.field("expect") == "100-continue") {
    send_bytes(socket, "HTTP/1.1 100 Continue\r\n\r\n");
  }
  if (request.field("transfer-encoding") == "chunked") {
    return read_chunks(socket, bytes, request.body) ? std::optional(request) : std::nullopt;
  }
  const std::size_t length = std::strtoul(request.field("content-length").c_str(), nullptr, 10);
  while (bytes.size() < length) {
    if (length > k_longest_body || !read_more(socket, bytes)) {
      return std::nullopt;
    }
  }
  request.body = std::move(bytes);
  return request;
}

bool send_bytes(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void send_reply(int socket, const Reply& reply) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Said\r\n";
  for (const auto& [name, value] : reply.fields) {
    head += name + ": " + value + "\r\n";
  }
  head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\nConnection: close\r\n\r\n";
  if (send_bytes(socket, head)) {
    send_bytes(socket, reply.body);
  }
  ::shutdown(socket, SHUT_WR);
  wait_for_end(socket);
}

void wait_for_end(int socket) {
  char piece[4096];
  while (::recv(socket, piece, sizeof piece, 0) > 0) {
  }
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const std::string digits(text.substr(i + 1, 2));
      out += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return percent_decoded(pair.substr(name.size() + 1));
    }
  }
  return {};
}

} // namespace upskill::file_server
