#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

// HTTP/1.1 as far as the clients of tests speak it: one request for each connection.
namespace upskill::file_server {

struct Request {
  std::string method = {};
  std::string path = {};                          // percent-encoded, as it came
  std::string query = {};                         // without its `?`
  std::map<std::string, std::string> fields = {}; // names in lower case
  std::string body = {};

  std::string field(const std::string& name) const;
};

struct Reply {
  int status = 200;
  std::map<std::string, std::string> fields = {};
  std::string body = {};
};

// Nothing where the client hangs up, or sends what is no request.
std::optional<Request> read_request(int socket);
void send_reply(int socket, const Reply& reply);
// Whether all of it went out.
bool send_bytes(int socket, std::string_view bytes);
// Waits until the client hangs up.
void wait_for_end(int socket);

std::string percent_decoded(std::string_view text);
// `name=VALUE` of a query, decoded; empty where there is none.
std::string parameter(std::string_view query, std::string_view name);

} // namespace upskill::file_server
