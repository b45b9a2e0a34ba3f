#include "daemon/models/server_error.h"

#include "daemon/models/wire_json.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_longest_quote = 300; // bytes

std::string text_at(const Json& object, const char* key) {
  auto at = object.find(key);
  if (at == object.end() || at->is_null()) {
    return {};
  }
  return at->is_string() ? at->get<std::string>()
                         : at->dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The status that an error within a stream would have had.
int status_of(const ServerError& said) {
  constexpr std::array<std::pair<std::string_view, int>, 12> k_types{
      {{"invalid_request_error", 400},
       {"authentication_error", 401},
       {"permission_error", 403},
       {"not_found_error", 404},
       {"request_too_large", 413},
       {"rate_limit_error", 429},
       {"rate_limit_exceeded", 429},
       {"insufficient_quota", 429},
       {"timeout_error", 504},
       {"overloaded_error", 529},
       {"api_error", 500},
       {"server_error", 500}}};
  for (const auto& [type, status] : k_types) {
    if (said.type == type || said.code == type) {
      return status;
    }
  }
  return 500;
}

} // namespace

std::optional<ServerError> server_error_in(const Json& document, int status) {
  if (!document.is_object()) {
    return std::nullopt;
  }
  auto at = document.find("error");
  bool is_event =
      document.value("type", Json()) == "error"; // of the Responses API, without `error`
  if ((at == document.end() || at->is_null()) && !is_event) {
    return std::nullopt;
  }
  ServerError said{.status = status};
  if (at != document.end() && at->is_string()) {
    said.message = short_quote(at->get<std::string>());
  } else {
    const Json& fields = at != document.end() && at->is_object() ? *at : document;
    said.type = text_at(fields, "type");
    said.code = text_at(fields, "code");
    said.param = text_at(fields, "param");
    said.message = short_quote(text_at(fields, "message"));
  }
  if (said.status < 300) {
    said.status = status_of(said);
  }
  return said;
}

ServerError read_server_error(int status, std::string_view body) {
  Json document = parse_json(body);
  if (auto said = server_error_in(document, status)) {
    return *said;
  }
  ServerError said{.status = status};
  if (document.is_object()) { // FastAPI's `detail`, or `message`
    std::string detail = text_at(document, "detail");
    said.message = short_quote(detail.empty() ? text_at(document, "message") : detail);
  }
  if (said.message.empty()) {
    said.message = short_quote(body.substr(0, 16'384));
  }
  return said;
}

std::string short_quote(std::string_view text) {
  std::string line;
  bool is_tag = false;
  bool has_tags = text.find("</") != std::string_view::npos;
  for (char c : text) {
    bool is_space = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (has_tags && c == '<') {
      is_tag = true;
      is_space = true;
    }
    if (is_space || is_tag) {
      is_tag = is_tag && c != '>';
      if (!line.empty() && line.back() != ' ') {
        line += ' ';
      }
    } else {
      line += c;
    }
  }
  while (line.ends_with(' ')) {
    line.pop_back();
  }
  line = to_valid_utf8(line.substr(0, 4 * k_longest_quote));
  std::string quote(utf8_prefix(line, k_longest_quote));
  return quote.size() < line.size() ? quote + "..." : quote;
}

} // namespace upskill::models
