#include "tests/unit/daemon_models_server.h"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>

using namespace models_test;
using namespace std::chrono_literals;

namespace {

constexpr const char* k_slow_host = "slow.test";

// A name service that answers for one host when it is let to.
// Owner: this file. Thread: any. Lifetime: the process'.
class NameService {
public:
  // From the thread that looks a name up. Bounded, so that a daemon that waits for it fails a check
  // instead of hanging.
  void look_up() {
    std::unique_lock lock(m_mutex);
    m_asked = true;
    m_changed.notify_all();
    m_changed.wait_for(lock, 20s, [this] { return m_may_answer; });
    m_answered = true;
    m_changed.notify_all();
  }

  bool is_asked() {
    std::lock_guard lock(m_mutex);
    return m_asked;
  }

  // Whether it had not answered before.
  bool answer() {
    std::unique_lock lock(m_mutex);
    bool was_waiting = !m_answered;
    m_may_answer = true;
    m_changed.notify_all();
    m_changed.wait_for(lock, 20s, [this] { return m_answered; });
    return was_waiting;
  }

private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_asked = false;
  bool m_may_answer = false;
  bool m_answered = false;
};

NameService& name_service() {
  static NameService service;
  return service;
}

asio::awaitable<void> ask(World* world, Result<HttpResponse>* into) {
  AWAIT(*into, world->http.perform({.url = "http://slow.test:1/v1"}));
}

asio::awaitable<void> cut_short(World* world) {
  runtime::TaskGroup group(world->io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
  Result<HttpResponse> response;
  group.start(ask(world, &response));
  auto is_asked = [] { return name_service().is_asked(); };
  while (!is_asked()) {
    AWAIT_DONE(runtime::wait_for(1ms));
  }
  group.cancel_all();
  AWAIT_DONE(group.join());
}

} // namespace

// What libcurl finds in place of the C library's: it is exported from this program.
extern "C" int
getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  if (host != nullptr && std::string_view(host) == k_slow_host) {
    name_service().look_up();
    return EAI_NONAME;
  }
  static auto* next = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return next(host, service, hints, found);
}

TEST_SUITE("Http") {
  TEST_CASE("a cancellation does not wait for the name service, which then returns into libcurl") {
    World world;
    world.run([](World& here) { return cut_short(&here); }); // unloads libcurl, too
    CHECK(::dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD) != nullptr);
    CHECK(name_service().answer());
  }
}
