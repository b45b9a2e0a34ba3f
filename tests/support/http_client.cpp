#include "tests/support/http_client.h"

#include "tests/support/daemon_process.h"

#include <doctest/doctest.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <utility>

namespace upskill::tests {
namespace {

using nlohmann::json;

bool is_ready(int fd, short events) {
  pollfd entry{fd, events, 0};
  return ::poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(k_limit).count())) > 0;
}

bool connect_to(int socket, const HttpPlace& place) {
  if (place.is_ipv6()) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(place.port);
    address.sin6_addr = in6addr_loopback;
    return ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(place.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

} // namespace

HttpClient::HttpClient(const HttpPlace& place, int receive_buffer)
    : m_socket(::socket(place.is_ipv6() ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  REQUIRE(m_socket);
  if (receive_buffer != 0) {
    ::setsockopt(m_socket.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  int on = 1;
  ::setsockopt(m_socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  REQUIRE(connect_to(m_socket.get(), place));
}

void HttpClient::send(std::string_view bytes) {
  REQUIRE(offer(bytes));
}

bool HttpClient::offer(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!is_ready(m_socket.get(), POLLOUT)) {
      return false;
    }
    ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  return true;
}

std::size_t HttpClient::offer_now(std::string_view bytes) {
  ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
}

void HttpClient::shut_down_sending() {
  REQUIRE(::shutdown(m_socket.get(), SHUT_WR) == 0);
}

void HttpClient::reset() {
  linger now{1, 0};
  ::setsockopt(m_socket.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  m_socket.reset();
}

bool HttpClient::read_more() {
  REQUIRE_MESSAGE(is_ready(m_socket.get(), POLLIN), "nothing came in time");
  std::array<char, 65536> block;
  ssize_t bytes = ::read(m_socket.get(), block.data(), block.size());
  if (bytes <= 0) {
    return false; // the end, or it was broken off
  }
  m_buffer.append(block.data(), static_cast<std::size_t>(bytes));
  return true;
}

bool HttpClient::take_head(HttpAnswer& answer) {
  std::size_t end = std::string::npos;
  while ((end = m_buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) {
      REQUIRE_MESSAGE(m_buffer.empty(), "an answer was broken off: ", m_buffer);
      return false;
    }
  }
  std::string_view head = std::string_view(m_buffer).substr(0, end);
  REQUIRE_MESSAGE(head.starts_with("HTTP/1."), head);
  std::from_chars(
      head.data() + 9, head.data() + std::min<std::size_t>(head.size(), 12), answer.status);
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos) {
    head.remove_prefix(at + 2);
    at = head.find("\r\n");
    answer.fields.push_back(field_of(head.substr(0, at)));
  }
  m_buffer.erase(0, end + 4);
  m_stream.clear();
  m_left.reset();
  m_is_chunked = answer.field("Transfer-Encoding") == "chunked";
  if (std::string length = answer.field("Content-Length"); !length.empty()) {
    m_left = std::stoul(length);
  } else if (answer.status == 202 || answer.status == 204 || answer.status == 304) {
    m_left = 0;
  }
  return true;
}

HttpAnswer HttpClient::receive_head() {
  HttpAnswer answer;
  REQUIRE_MESSAGE(take_head(answer), "the server closed the connection");
  if (answer.status == 100) {
    return receive_head();
  }
  return answer;
}

std::optional<HttpAnswer> HttpClient::receive_or_end() {
  HttpAnswer answer;
  if (!take_head(answer)) {
    return std::nullopt;
  }
  if (answer.status == 100) {
    return receive_or_end();
  }
  while (read_stream()) {
  }
  answer.body = std::move(m_stream);
  m_stream.clear();
  return answer;
}

HttpAnswer HttpClient::receive() {
  std::optional<HttpAnswer> answer = receive_or_end();
  REQUIRE_MESSAGE(answer, "the server closed the connection");
  return *answer;
}

HttpAnswer HttpClient::call(const HttpRequest& request) {
  send(request.text());
  return receive();
}

bool HttpClient::read_chunk() {
  std::size_t line = std::string::npos;
  while ((line = m_buffer.find("\r\n")) == std::string::npos) {
    if (!read_more()) {
      return false;
    }
  }
  std::size_t size = 0;
  auto parsed = std::from_chars(m_buffer.data(), m_buffer.data() + line, size, 16);
  REQUIRE_MESSAGE(parsed.ptr == m_buffer.data() + line, "no chunk: ", m_buffer.substr(0, line));
  while (m_buffer.size() < line + 2 + size + 2) {
    if (!read_more()) {
      return false;
    }
  }
  m_stream.append(m_buffer, line + 2, size);
  m_buffer.erase(0, line + 2 + size + 2);
  return size != 0;
}

bool HttpClient::read_stream() {
  if (m_is_chunked) {
    bool goes_on = read_chunk();
    m_is_chunked = m_is_chunked && goes_on;
    m_left = goes_on ? std::nullopt : std::optional<std::size_t>(0);
    return goes_on;
  }
  if (m_left == 0) {
    return false;
  }
  if (m_buffer.empty() && !read_more()) {
    REQUIRE_MESSAGE(!m_left, "a body was broken off");
    m_left = 0;
    return false;
  }
  std::size_t taken = std::min(m_buffer.size(), m_left.value_or(m_buffer.size()));
  m_stream.append(m_buffer, 0, taken);
  m_buffer.erase(0, taken);
  if (m_left) {
    *m_left -= taken;
  }
  return true;
}

std::optional<json> HttpClient::next_event() {
  auto end = std::chrono::steady_clock::now() + k_limit;
  for (;;) {
    // A stream is never silent for long: comments keep it alive.
    REQUIRE_MESSAGE(std::chrono::steady_clock::now() < end, "no event came in time");
    while (std::optional<HttpEvent> event = take_event(m_stream)) {
      if (event->id) {
        m_last_event_id = *event->id;
      }
      if (!event->data.empty()) {
        return json::parse(event->data);
      }
    }
    if (!read_stream()) {
      return std::nullopt;
    }
  }
}

json HttpClient::event() {
  std::optional<json> event = next_event();
  REQUIRE_MESSAGE(event, "the stream has ended");
  return *event;
}

bool HttpClient::ends() {
  return m_buffer.empty() && !read_more();
}

bool HttpClient::has_something() const {
  pollfd entry{m_socket.get(), POLLIN, 0};
  return !m_buffer.empty() || ::poll(&entry, 1, 0) > 0;
}

std::string open_legacy_session(HttpClient& client, const HttpPlace& place) {
  HttpAnswer hello = client.call(http_legacy(place, {}, legacy_initialize()));
  REQUIRE(hello.status == 200);
  std::string session = hello.field("Mcp-Session-Id");
  REQUIRE(!session.empty());
  json told = {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}};
  REQUIRE(client.call(http_legacy(place, session, told)).status == 202);
  return session;
}

} // namespace upskill::tests
