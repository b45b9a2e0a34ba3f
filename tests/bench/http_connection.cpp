#include "tests/bench/http_connection.h"

#include "tests/bench/bench.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace upskill::bench {
namespace {

constexpr std::size_t k_block = 65536;
constexpr std::string_view k_head_end = "\r\n\r\n";

std::size_t content_length(std::string_view head) {
  constexpr std::string_view k_name = "content-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at)) {
    at += 2;
    std::string_view line = head.substr(at);
    if (line.size() < k_name.size()
        || ::strncasecmp(line.data(), k_name.data(), k_name.size()) != 0) {
      continue;
    }
    line.remove_prefix(k_name.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    std::size_t length = 0;
    auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), length);
    require(failed == std::errc(), "an answer tells no length");
    return length;
  }
  throw Problem("an answer tells no length: `" + std::string(head) + "`");
}

} // namespace

HttpConnection::HttpConnection(std::uint16_t port)
    : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(::connect(m_socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
          "cannot connect to 127.0.0.1:" + std::to_string(port));
  int at_once = 1;
  ::setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void HttpConnection::send(std::string_view request) const {
  while (!request.empty()) {
    ssize_t sent = ::send(m_socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
    require(sent > 0, "the other side does not read any more");
    request.remove_prefix(static_cast<std::size_t>(sent));
  }
}

bool HttpConnection::read_more() {
  m_buffer.erase(0, m_taken);
  m_taken = 0;
  std::size_t before = m_buffer.size();
  m_buffer.resize(before + k_block);
  ssize_t got = ::read(m_socket.get(), m_buffer.data() + before, k_block);
  m_buffer.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

std::string_view HttpConnection::receive() {
  std::size_t head_end = m_buffer.find(k_head_end, m_taken);
  while (head_end == std::string::npos) {
    require(read_more(), "the other side has ended");
    head_end = m_buffer.find(k_head_end, m_taken);
  }
  std::string_view head(m_buffer.data() + m_taken, head_end - m_taken);
  require(head.starts_with("HTTP/1.1 200 "), "an answer is not 200: `" + std::string(head) + "`");
  std::size_t length = content_length(head);
  std::size_t head_size = head.size() + k_head_end.size();
  while (m_buffer.size() - m_taken < head_size + length) {
    require(read_more(), "the other side has ended");
  }
  std::string_view body(m_buffer.data() + m_taken + head_size, length);
  m_taken += head_size + length;
  return body;
}

std::string_view HttpConnection::call(std::string_view request) {
  send(request);
  return receive();
}

std::string post_of(const HttpPlace& place, std::string_view tool, std::string_view message) {
  return "POST " + place.path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(place.port)
         + "\r\nAuthorization: Bearer " + place.token
         + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream"
           "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: "
         + std::string(tool) + "\r\nContent-Length: " + std::to_string(message.size()) + "\r\n\r\n"
         + std::string(message);
}

} // namespace upskill::bench
