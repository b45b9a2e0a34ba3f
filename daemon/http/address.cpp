#include "daemon/http/address.h"

#include "protocol/http/gate.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>

namespace upskill::http {
namespace {

constexpr int k_backlog = 256;

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::invalid_argument,
                "`" + std::string(text) + "` is not a port",
                "give a number up to 65535; 0 takes any that is free");
  }
  return port;
}

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress to_system(const Address& address, socklen_t& size) {
  SocketAddress system{};
  if (address.is_ipv6) {
    system.v6.sin6_family = AF_INET6;
    system.v6.sin6_addr = in6addr_loopback;
    system.v6.sin6_port = htons(address.port);
    size = sizeof system.v6;
  } else {
    system.v4.sin_family = AF_INET;
    system.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    system.v4.sin_port = htons(address.port);
    size = sizeof system.v4;
  }
  return system;
}

std::string host_of(const Address& address) {
  return std::string(address.is_ipv6 ? "[::1]" : "127.0.0.1") + ":" + std::to_string(address.port);
}

} // namespace

Result<Address> parse_address(std::string_view text) {
  std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (colon == std::string_view::npos
      || (host != "127.0.0.1" && host != "localhost" && host != "[::1]")) {
    return fail(ErrorCode::invalid_argument,
                "`" + std::string(text) + "` is no address of this machine and a port",
                "give `127.0.0.1:PORT`, `localhost:PORT` or `[::1]:PORT`; for others put a proxy "
                "with TLS in front");
  }
  TRY_ASSIGN(std::uint16_t port, parse_port(text.substr(colon + 1)));
  return Address{host == "[::1]", port};
}

std::string url_of(const Address& address) {
  return "http://" + host_of(address) + std::string(k_path);
}

Result<UniqueFd> listen_at(Address& address) {
  socklen_t size = 0;
  SocketAddress system = to_system(address, size);
  UniqueFd socket(
      ::socket(system.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
  if (!socket) {
    return fail(system_error(errno, "a socket cannot be made"));
  }
  int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // clients inherit it
  if (::bind(socket.get(), &system.any, size) != 0 || ::listen(socket.get(), k_backlog) != 0) {
    Error error = system_error(errno, "`" + host_of(address) + "` cannot be listened at");
    if (errno == EADDRINUSE) {
      error.hint = "another program has this port; give another one, or 0 for any that is free";
    }
    return fail(std::move(error));
  }
  if (::getsockname(socket.get(), &system.any, &size) != 0) {
    return fail(system_error(errno, "the port of a socket is not known"));
  }
  address.port = ntohs(address.is_ipv6 ? system.v6.sin6_port : system.v4.sin_port);
  return socket;
}

} // namespace upskill::http
