#include "daemon/proxy/proxy.h"

#include "daemon/await.h"
#include "daemon/http/address.h"
#include "daemon/proxy/exchange.h"
#include "protocol/base/utf8.h"
#include "protocol/http/token.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

namespace upskill::proxy {
namespace {

constexpr int k_backlog = 64;
// Long and like nothing else: Copilot hides its key's text wherever it occurs.
constexpr std::string_view k_token_prefix = "sk-upskill-";
constexpr auto k_without_descriptors = std::chrono::milliseconds(100);

Result<UniqueFd> listen_at_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(path) + " is too long for a socket",
                "a shorter `TMPDIR`");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0
      || ::listen(socket.get(), k_backlog) != 0) {
    return fail(system_error(errno, "a socket at " + in_backticks(path)));
  }
  return socket;
}

} // namespace

Proxy::Proxy(asio::any_io_executor executor, models::Http& http, ProxyOptions options)
    : m_executor(executor)
    , m_http(http)
    , m_options(std::move(options))
    , m_recording(std::move(m_options.skills), m_options.upstream)
    , m_token(std::string(k_token_prefix) + http::random_token())
    , m_listener(executor)
    // What fails is told to the agent; what is thrown beside that ends its connection (Account).
    , m_tasks(executor, [](std::exception_ptr) {}) {}

Proxy::~Proxy() = default;

Result<std::unique_ptr<Proxy>>
Proxy::listen(asio::any_io_executor executor, models::Http& http, ProxyOptions options) {
  if (options.upstream.origin().empty()) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(utf8_prefix(options.upstream.base_url, 200)) + " is no HTTP URL",
                "give `https://HOST/v1`, or `http://HOST:PORT/v1`");
  }
  std::unique_ptr<Proxy> proxy(new Proxy(std::move(executor), http, std::move(options)));
  if (proxy->m_options.records) {
    proxy->m_options.records->places.emplace_back(proxy->m_token, "{token}");
  }
  TRY(proxy->listen());
  proxy->m_tasks.start(proxy->accept());
  return proxy;
}

Result<void> Proxy::listen() {
  UniqueFd socket;
  if (m_options.socket.empty()) {
    http::Address address;
    TRY_ASSIGN(socket, http::listen_at(address));
    m_port = address.port;
  } else {
    TRY_ASSIGN(socket, listen_at_path(m_options.socket));
  }
  m_listener.assign(socket.release());
  return {};
}

asio::awaitable<void> Proxy::accept() {
  auto token = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    auto [problem] = co_await m_listener.async_wait(asio::posix::descriptor_base::wait_read, token);
    if (problem) {
      co_return;
    }
    UniqueFd socket(
        ::accept4(m_listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
      AWAIT_DONE(runtime::wait_for(k_without_descriptors)); // it would be told again at once
      continue;
    }
    // One too many is closed: an agent tries again, or fails, and both are its own affair.
    if (socket && m_connections < m_options.limits.connections) {
      auto exchange = std::make_shared<Exchange>(*this, std::move(socket));
      m_tasks.start(Exchange::run(std::move(exchange)));
    }
  }
}

asio::awaitable<void> Proxy::stop() {
  m_tasks.cancel_all();
  AWAIT_DONE(m_tasks.join());
  m_listener.close();
}

} // namespace upskill::proxy
