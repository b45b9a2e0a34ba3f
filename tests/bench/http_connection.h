#pragma once
#include "protocol/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::bench {

// Where a server takes POSTs on 127.0.0.1, and the token that it wants to see.
struct HttpPlace {
  std::uint16_t port = 0;
  std::string path = "/mcp";
  std::string token = {};
};

// One connection that stays open, the way a client does it: a blocking socket, with nothing in
// between.
class HttpConnection {
public:
  explicit HttpConnection(std::uint16_t port);

  void send(std::string_view request) const;
  // The body of the next answer; valid until the next call. Fails unless it is a 200 that tells its
  // length.
  std::string_view receive();
  std::string_view call(std::string_view request);

private:
  bool read_more();

  UniqueFd m_socket;
  std::string m_buffer = {};
  std::size_t m_taken = 0;
};

// A `tools/call` of `tool` in the revision of 2026-07-28 with everything that it asks for in the
// headers; `message` is the body.
std::string post_of(const HttpPlace& place, std::string_view tool, std::string_view message);

} // namespace upskill::bench
