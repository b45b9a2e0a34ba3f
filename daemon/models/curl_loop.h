#pragma once
#include "daemon/models/curl.h"
#include "daemon/models/curl_library.h"
#include "daemon/runtime/timers.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <map>
#include <memory>
#include <set>

namespace upskill::models {

// Drives libcurl's multi interface: its sockets are watched by the executor, its one timer is an
// Alarm. Nothing of libcurl is called from within one of its callbacks. Moments that only move
// later leave an alarm where it is, to look again when it rings: setting the timer of the process
// costs more than all else that we add to an exchange.
// Owner: Http, and each transfer. Thread: that of its executor only. Lifetime: the last owner's.
class Http::Loop : public std::enable_shared_from_this<Http::Loop> {
public:
  explicit Loop(asio::any_io_executor executor);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Result<void> load();
  // Only without transfers.
  void unload();

  CurlLibrary& curl() { return *m_curl; }

  bool is_loaded() const { return m_multi != nullptr; }

  std::size_t running() const { return m_transfers.size(); }

  const asio::any_io_executor& executor() const { return m_executor; }

  bool add(CURL* easy, Transfer& transfer);
  void remove(CURL* easy, Transfer& transfer);
  // The transfer's expire() is called at its deadline(), which is not before this moment.
  void expect(runtime::Clock::time_point deadline);

private:
  using Time = runtime::Clock::time_point;

  // A socket of libcurl's, which closes it itself.
  struct Socket {
    explicit Socket(const asio::any_io_executor& executor)
        : descriptor(executor) {}

    asio::posix::stream_descriptor descriptor;
    int wanted = 0; // CURL_POLL_IN, _OUT, _INOUT
    bool is_reading = false;
    bool is_writing = false;
    bool is_gone = false; // given back
  };

  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* loop, void* socket);
  static int on_timer(CURLM* multi, long timeout_ms, void* loop);
  void want_call(long timeout_ms);
  void ring();
  void end_late_ones();
  void want(curl_socket_t fd, int what);
  void watch(const std::shared_ptr<Socket>& socket);
  void ready(const std::shared_ptr<Socket>& socket, int event);
  void act(curl_socket_t fd, int events);

  asio::any_io_executor m_executor;
  std::unique_ptr<CurlLibrary> m_curl;
  CURLM* m_multi = nullptr;
  std::map<curl_socket_t, std::shared_ptr<Socket>> m_sockets;
  std::set<Transfer*> m_transfers;
  bool m_is_kicked = false;     // libcurl is called at the next turn of the loop
  Time m_call_at = Time::max(); // when libcurl wants to be called
  Time m_rings_at = {};
  runtime::Alarm m_timer; // of m_rings_at, not later than m_call_at
  Time m_looks_at = {};
  runtime::Alarm m_deadline; // of m_looks_at, not later than any transfer's
};

} // namespace upskill::models
