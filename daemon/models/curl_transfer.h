#pragma once
#include "daemon/models/curl_loop.h"
#include "daemon/runtime/condition.h"

#include <optional>
#include <string>
#include <string_view>

namespace upskill::models {

// One exchange: set up, running, done. Gone, it is aborted.
// Owner: the frame of perform(). Thread: the loop's. Lifetime: the exchange's.
class Http::Transfer {
public:
  Transfer(std::shared_ptr<Loop> loop, HttpRequest request);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Result<void> start();
  asio::awaitable<void> done();
  Result<HttpResponse> result();

  // Called by the loop.
  void finish(CURLcode code);
  // When it has taken too long, unless another byte comes; never, when it is done.
  runtime::Clock::time_point deadline() const;
  void expire();

private:
  static std::size_t on_header(char* data, std::size_t one, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t one, std::size_t count, void* self);
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_request(void* self, char* address, char* our_address, int port, int our_port);

  template <class T> void set(CURLoption option, T value) {
    m_loop->curl().easy_setopt(m_easy, option, value);
  }

  void set_proxy();
  void guard(std::string& proxy, std::string& without);
  bool may_connect(const sockaddr& address);
  bool may_be_resolving() const;
  void take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  void fail_with(Error error);
  Error error_of(CURLcode code) const;

  std::shared_ptr<Loop> m_loop;
  HttpRequest m_request;
  HttpResponse m_response;
  std::string m_where;
  CURL* m_easy = nullptr;
  curl_slist* m_headers = nullptr;
  bool m_is_added = false;
  bool m_is_done = false;
  bool m_is_resolved = false; // or it is known that the host has no address
  std::size_t m_size = 0;     // of the body so far
  std::optional<Error> m_error;
  std::optional<Error> m_refusal; // of may_connect
  bool m_is_proxied = false;      // known where may_connect is asked
  runtime::Clock::time_point m_begun;
  runtime::Clock::time_point m_last_byte;
  runtime::Condition m_changed;
};

} // namespace upskill::models
