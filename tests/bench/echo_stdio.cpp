#include "daemon/runtime/asio.h"
#include "tests/bench/echo_servers.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace upskill::bench::echo {
namespace {

constexpr auto k_as_tuple = asio::as_tuple(asio::use_awaitable);

asio::awaitable<void> serve(Answers answers) {
  auto executor = co_await asio::this_coro::executor;
  asio::posix::stream_descriptor input(executor, ::dup(STDIN_FILENO));
  asio::posix::stream_descriptor output(executor, ::dup(STDOUT_FILENO));
  std::vector<char> block(65536);
  std::string lines;
  std::string written;
  for (;;) {
    auto room = asio::buffer(block);
    auto [failed, got] = co_await input.async_read_some(room, k_as_tuple);
    if (failed) {
      co_return;
    }
    lines.append(block.data(), got);
    std::size_t begin = 0;
    for (std::size_t end = lines.find('\n'); end != std::string::npos;
         end = lines.find('\n', begin)) {
      written += answers.to(std::string_view(lines).substr(begin, end - begin));
      written += '\n';
      begin = end + 1;
    }
    lines.erase(0, begin);
    auto bytes = asio::buffer(written);
    co_await asio::async_write(output, bytes, k_as_tuple);
    written.clear();
  }
}

} // namespace

void serve_stdio(const Answers& answers) {
  asio::io_context io(1);
  asio::co_spawn(io, serve(answers), [](const std::exception_ptr& failure) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  });
  io.run();
}

void serve_bytes(std::size_t bytes) {
  std::string answer(bytes, 'a');
  answer.back() = '\n';
  std::vector<char> block(65536);
  for (;;) {
    ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got <= 0) {
      return;
    }
    for (auto left = std::count(block.begin(), block.begin() + got, '\n'); left > 0; --left) {
      std::string_view rest(answer);
      while (!rest.empty()) {
        ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (written <= 0) {
          return;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
      }
    }
  }
}

} // namespace upskill::bench::echo
