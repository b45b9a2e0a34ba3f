#pragma once
#include <nlohmann/json_fwd.hpp>

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

// The error that a document has (`error` as an object or a text, Anthropic's and OpenAI's), if any.
std::optional<ServerError> server_error_in(const nlohmann::json& document, int status);
// Of a whole body: JSON, plain text or HTML, quoted shortly.
ServerError read_server_error(int status, std::string_view body);

// A text of somebody else's on one line: no tags, at most 300 bytes.
std::string short_quote(std::string_view text);

} // namespace upskill::models
