#pragma once
#include "daemon/models/http_message.h"
#include "daemon/models/model_name.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/deadlines.h"
#include "protocol/base/result.h"

#include <sys/socket.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::models {

// How long each part of an exchange may take (models facts, 5).
struct HttpDeadlines {
  runtime::Clock::duration connect = std::chrono::seconds(10);
  runtime::Clock::duration first_byte = std::chrono::minutes(10); // models think before they speak
  runtime::Clock::duration idle = std::chrono::minutes(2);        // between two pieces of the body
  runtime::Clock::duration total = std::chrono::minutes(30);
};

struct HttpRequest {
  std::string method = "POST"; // or `GET`, which has no body
  std::string url = {};
  Headers headers = {};
  std::string body = {};
  HttpDeadlines deadlines = {};
  std::size_t longest_body = 16u << 20; // of the response, unpacked
  bool keeps_encoding = false;  // of the response: its body comes as it is sent, packed or not
  Environment environment = {}; // of the call: proxies, and SSL_CERT_FILE
  // Told of the answer's head before the first piece of its body; of one without a body it is not.
  std::function<void(int status, const Headers& headers)> on_head = {};
  // Given each piece of the body; an error ends the exchange and is its result. It must not start
  // or end exchanges itself.
  std::function<Result<void>(std::string_view)> on_body = {};
  // Asked about each address before it is connected to, and again about that of a kept connection:
  // what a name was a moment ago proves nothing. An error ends the exchange when no other address
  // of the host may be connected to. A proxy is the person's choice, and nobody is asked about it.
  std::function<Result<void>(const sockaddr&)> may_connect = {};
  // Set when no connection came about: it was refused, or the host has no address.
  bool* found_nobody = nullptr;
};

struct HttpResponse {
  int status = 0;
  Headers headers = {};
  std::string address = {}; // numeric, that was connected to; empty where a proxy was
};

// HTTP by libcurl, which is loaded at the first exchange. Connections are kept and shared, TLS is
// verified, redirects are answers like all others (a key must not follow one), and only http and
// https are spoken. No proxy for loopback addresses.
// Owner: the part of the daemon that asks models. Thread: that of its executor only. Lifetime: as
// long as its exchanges; one that ends later keeps what it needs.
class Http {
public:
  explicit Http(asio::any_io_executor executor);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  // Returns after the last byte. unavailable: nobody there, cut off, no TLS, no libcurl; timed_out
  // names the deadline; too_large; what on_body returned. Messages name the URL's host and port
  // only. A cancellation ends the exchange at once.
  asio::awaitable<Result<HttpResponse>> perform(HttpRequest request);

  std::size_t running() const;
  bool is_loaded() const;
  // Closes kept connections and unloads libcurl, unless an exchange runs. Whether it is unloaded;
  // its code stays after an exchange that was ended while its host's name was looked up.
  bool rest();

private:
  class Loop;
  class Transfer;

  std::shared_ptr<Loop> m_loop;
};

} // namespace upskill::models
