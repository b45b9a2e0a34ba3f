#pragma once
#include "daemon/fetch/fetcher.h"
#include "daemon/fetch/http_fetch.h"
#include "tests/support/folder.h"
#include "tests/unit/daemon_models_server.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fetch_test {

using namespace upskill;
using namespace upskill::fetch;
using models_test::reply;
using models_test::Reply;

// Names that this program's own name service knows, all of this machine. Others it has never heard
// of: no test leaves the machine.
inline std::set<std::string>& known_hosts() {
  static std::set<std::string> hosts;
  return hosts;
}

// A server on a loopback address, and who fetches from it.
struct World {
  test::Folder folder;
  models_test::World server_world;
  models_test::Server& server = server_world.server;
  runtime::Pool pool{2};
  Fetcher fetcher{server_world.http, folder.path()};
  FetchSetting setting = {};

  World() {
    setting.deadlines.total = std::chrono::seconds(20);
    known_hosts() = {};
  }

  ~World() { pool.join(); }

  std::string url(const std::string& path) { return server.url(path); }

  // The same server under a name.
  std::string url_of(const std::string& host, const std::string& path) {
    known_hosts().insert(host);
    return "http://" + host + ":" + std::to_string(server.port()) + path;
  }

  void answer(const std::string& status, const std::string& body, const std::string& head = {}) {
    server.replies.push_back(reply(status, body, head));
  }

  void redirect(const std::string& to, const std::string& status = "302 Found") {
    answer(status, "moved", "location: " + to + "\r\n");
  }

  template <class T> Result<T> run(asio::awaitable<Result<T>> task) {
    Result<T> result = fail(ErrorCode::internal, "it did not end");
    server_world.run([&](models_test::World&) { return keep(std::move(task), &result); });
    return result;
  }

  template <class T>
  static asio::awaitable<void> keep(asio::awaitable<Result<T>> task, Result<T>* into) {
    AWAIT(*into, std::move(task));
  }

  Result<FetchReply> get(const std::string& address, std::size_t most_bytes = 1u << 20) {
    return run(http_get(server_world.http, address, {{"x-key", "k"}}, most_bytes, setting));
  }

  std::size_t asked() const { return server.requests.size(); }
};

} // namespace fetch_test
