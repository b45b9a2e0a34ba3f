#pragma once
#include "protocol/base/unique_fd.h"
#include "tests/support/http_messages.h"

#include <optional>
#include <string>
#include <string_view>

// A client of MCP over HTTP that can also be a bad one: nothing between a test and the bytes. Every
// wait is for a fact and has a limit (tests/support/daemon_process.h).
namespace upskill::tests {

class HttpClient {
public:
  // A small `receive_buffer` (bytes) makes a client that is soon full. 0: as the system has it.
  explicit HttpClient(const HttpPlace& place, int receive_buffer = 0);

  void send(std::string_view bytes);
  // As much as is taken; false when the server has closed, or takes nothing for 30 s.
  bool offer(std::string_view bytes);
  // As much as fits now.
  std::size_t offer_now(std::string_view bytes);
  void shut_down_sending();

  void close() { m_socket.reset(); }

  // Breaks the connection instead of ending it.
  void reset();

  // A whole answer; a stream until its end.
  HttpAnswer receive();
  // Nothing when the connection was closed before one began.
  std::optional<HttpAnswer> receive_or_end();
  HttpAnswer call(const HttpRequest& request);

  // The head alone, of a stream whose events are then asked for one by one.
  HttpAnswer receive_head();
  // The data of the next event that has some; nothing at the end of the stream.
  std::optional<nlohmann::json> next_event();
  // The same where there must be one.
  nlohmann::json event();

  // Of the last event that had an id.
  const std::string& last_event_id() const { return m_last_event_id; }

  // Whether nothing more comes but the end.
  bool ends();
  // Whether something can be read now: bytes or the end.
  bool has_something() const;

  int fd() const { return m_socket.get(); }

private:
  bool read_more();
  bool take_head(HttpAnswer& answer);
  bool read_stream(); // some bytes of the body; false at its end
  bool read_chunk();

  UniqueFd m_socket;
  std::string m_buffer = {}; // as it came
  std::string m_stream = {}; // of a body, without its framing
  bool m_is_chunked = false;
  std::optional<std::size_t> m_left = {}; // of a body whose length is known
  std::string m_last_event_id = {};
};

// A session of a legacy client: `initialize` and what follows it.
std::string open_legacy_session(HttpClient& client, const HttpPlace& place);

} // namespace upskill::tests
