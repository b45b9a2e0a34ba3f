#include "daemon/runtime/asio.h"
#include "tests/bench/echo_servers.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <cstdio>
#include <exception>

namespace upskill::bench::echo {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto k_as_tuple = asio::as_tuple(asio::use_awaitable);

void rethrow(const std::exception_ptr& failure) {
  if (failure) {
    std::rethrow_exception(failure);
  }
}

asio::awaitable<void> serve(tcp::socket socket, Answers answers) {
  beast::flat_buffer buffer;
  for (;;) {
    http::request<http::string_body> request;
    auto [bad_request, got] = co_await http::async_read(socket, buffer, request, k_as_tuple);
    if (bad_request) {
      co_return;
    }
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.keep_alive(request.keep_alive());
    response.body() = answers.to(request.body());
    response.prepare_payload();
    auto [gone, sent] = co_await http::async_write(socket, response, k_as_tuple);
    if (gone) {
      co_return;
    }
  }
}

asio::awaitable<void> accept(Answers answers) {
  auto executor = co_await asio::this_coro::executor;
  tcp::endpoint anywhere(asio::ip::address_v4::loopback(), 0);
  tcp::acceptor acceptor(executor, anywhere);
  std::printf("%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    tcp::no_delay at_once(true);
    socket.set_option(at_once);
    asio::co_spawn(executor, serve(std::move(socket), answers), rethrow);
  }
}

} // namespace

void serve_http(const Answers& answers) {
  asio::io_context io(1);
  asio::co_spawn(io, accept(answers), rethrow);
  io.run();
}

} // namespace upskill::bench::echo
