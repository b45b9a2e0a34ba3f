#pragma once
#include "daemon/await.h"
#include "daemon/models/curl.h"
#include "daemon/runtime/condition.h"
#include "daemon/runtime/task_group.h"
#include "tests/support/run_coroutine.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace models_test {

using namespace upskill;
using namespace upskill::models;
using asio::ip::tcp;

inline models::Environment with(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
}

// What the server says to one connection, and whether it then hangs up or waits for the other side.
struct Reply {
  std::string bytes;
  bool is_hanging = false;
};

inline Reply
reply(const std::string& status, const std::string& body, const std::string& head = {}) {
  return {"HTTP/1.1 " + status + "\r\n" + head + "content-length: " + std::to_string(body.size())
          + "\r\nconnection: close\r\n\r\n" + body};
}

// A server on a loopback address that gives one prepared reply to each connection: that of the path
// where there is one, else the next in order.
class Server {
public:
  explicit Server(asio::io_context& io)
      : m_acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0))
      , m_changed(io.get_executor())
      , m_tasks(io.get_executor(),
                [](std::exception_ptr failure) { std::rethrow_exception(std::move(failure)); }) {
    m_tasks.start(accept());
  }

  std::deque<Reply> replies;
  std::map<std::string, Reply> at_path = {};
  std::vector<std::string> requests;
  int hung_up = 0; // connections that the other side ended

  int port() { return m_acceptor.local_endpoint().port(); }

  std::string where() { return "127.0.0.1:" + std::to_string(port()); }

  std::string url(const std::string& path = "/v1") { return "http://" + where() + path; }

  asio::awaitable<void> until(std::function<bool()> holds) {
    while (!holds()) {
      co_await m_changed.wait();
    }
  }

  asio::awaitable<void> stop() {
    m_tasks.cancel_all();
    return m_tasks.join();
  }

private:
  asio::awaitable<void> accept() {
    for (;;) {
      tcp::socket socket = co_await m_acceptor.async_accept(asio::use_awaitable);
      m_tasks.start(serve(std::move(socket)));
    }
  }

  static bool is_whole(const std::string& request) {
    std::size_t head = request.find("\r\n\r\n");
    std::size_t length = request.find("Content-Length: ");
    std::size_t body = length < head ? std::stoul(request.substr(length + 16)) : 0;
    return head != std::string::npos && request.size() >= head + 4 + body;
  }

  asio::awaitable<void> serve(tcp::socket socket) {
    std::string request;
    char bytes[4096];
    auto token = asio::as_tuple(asio::use_awaitable);
    while (!is_whole(request)) {
      auto [problem, size] = co_await socket.async_read_some(asio::buffer(bytes), token);
      if (problem) {
        co_return;
      }
      request.append(bytes, size);
    }
    std::size_t begin = request.find(' ') + 1;
    std::string path = request.substr(begin, request.find(' ', begin) - begin);
    requests.push_back(std::move(request));
    Reply said = reply("500 Unprepared", "");
    if (auto known = at_path.find(path); known != at_path.end()) {
      said = known->second;
    } else if (!replies.empty()) {
      said = std::move(replies.front());
      replies.pop_front();
    }
    m_changed.notify_all();
    auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(said.bytes), token);
    if (said.is_hanging && !unsent) {
      co_await socket.async_read_some(asio::buffer(bytes), token);
      ++hung_up;
      m_changed.notify_all();
    }
  }

  tcp::acceptor m_acceptor;
  runtime::Condition m_changed;
  runtime::TaskGroup m_tasks;
};

// A loop with a server and a client.
struct World {
  asio::io_context io;
  Server server{io};
  Http http{io.get_executor()};

  void run(std::function<asio::awaitable<void>(World&)> body) {
    tests::run_coroutine(io, framed(std::move(body)));
  }

  asio::awaitable<void> framed(std::function<asio::awaitable<void>(World&)> body) {
    AWAIT_DONE(body(*this));
    CHECK(http.running() == 0);
    CHECK(http.rest());
    AWAIT_DONE(server.stop());
  }
};

} // namespace models_test
