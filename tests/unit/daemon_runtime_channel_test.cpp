#include "daemon/runtime/channel.h"
#include "daemon/runtime/task_group.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace upskill;
using namespace upskill::runtime;

namespace {

asio::awaitable<void> drain(Channel<int>* channel, std::vector<int>* received) {
  while (std::optional<int> value = co_await channel->receive()) {
    received->push_back(*value);
  }
}

} // namespace

TEST_SUITE("Channel") {
  TEST_CASE("a full channel refuses and leaves the value with the sender") {
    asio::io_context io;
    Channel<std::unique_ptr<int>> channel(io.get_executor(), 1);
    CHECK(channel.try_send(std::make_unique<int>(1)));
    auto second = std::make_unique<int>(2);
    CHECK_FALSE(channel.try_send(std::move(second)));
    CHECK(second != nullptr); // NOLINT(bugprone-use-after-move): that is the promise
    CHECK(channel.size() == 1);
  }

  TEST_CASE("values come in order, and the end after the last of them") {
    asio::io_context io;
    Channel<int> channel(io.get_executor(), 3);
    std::vector<int> received;
    TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); });
    group.start(drain(&channel, &received));
    CHECK(channel.try_send(1));
    io.poll();
    CHECK(received == std::vector{1});
    CHECK(channel.try_send(2));
    CHECK(channel.try_send(3));
    channel.close();
    CHECK_FALSE(channel.try_send(4));
    io.restart();
    io.run();
    CHECK(received == std::vector{1, 2, 3});
    CHECK(group.size() == 0);
  }

  TEST_CASE("a cancelled receiver loses nothing for the next") {
    asio::io_context io;
    Channel<int> channel(io.get_executor(), 3);
    std::vector<int> first;
    std::vector<int> second;
    TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("no exception expected"); });
    TaskId cancelled = group.start(drain(&channel, &first));
    group.start(drain(&channel, &second));
    group.cancel(cancelled);
    CHECK(channel.try_send(1));
    channel.close();
    io.run();
    CHECK(group.size() == 0);
    CHECK(first.size() + second.size() == 1);
  }
}
