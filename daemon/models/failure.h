#pragma once
#include "daemon/models/http_message.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::models {

// What a server said instead of an answer.
struct ServerError {
  int status = 0; // of HTTP, or what the type of an event within a stream stands for
  std::string type = {};
  std::string code = {};
  std::string param = {}; // the field that it is about
  std::string message = {};
};

// Why a try did not bring an answer, and what to do about it.
struct Failure {
  Error error;
  bool may_retry = false;
  bool is_rate_limit = false;
  std::optional<std::chrono::milliseconds> wait = {}; // as long as the server wants
  std::string rejected_field = {};                    // leave it out, and it may work
};

// The error that a document has (`error` as an object or a text, Anthropic's and OpenAI's), if any.
std::optional<ServerError> server_error_in(const nlohmann::json& document, int status);
// Of a whole body: JSON, plain text or HTML, quoted shortly.
ServerError read_server_error(int status, std::string_view body);

// `where` names the server, `model` what was asked for; both for messages. `unix_ms` is now.
// Retried are rate limits, overload and a server's own troubles; not quotas, refusals and requests
// that are wrong (models facts, 1, 2 and 5).
Failure failure_of(const ServerError& said,
                   const Headers& headers,
                   std::int64_t unix_ms,
                   std::string_view where,
                   std::string_view model);

// A text of somebody else's on one line: no tags, at most 300 bytes.
std::string short_quote(std::string_view text);

} // namespace upskill::models
