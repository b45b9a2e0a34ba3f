#include "daemon/models/wire_json.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace upskill::models {

using Json = nlohmann::json;

Json parse_json(std::string_view text) {
  if (is_too_deep(text)) {
    return Json(Json::value_t::discarded);
  }
  Json read = Json::parse(text, nullptr, false);
  if (read.is_discarded() && utf8_valid_prefix(text) != text.size()) {
    return Json::parse(to_valid_utf8(text), nullptr, false); // half a character, cut by a server
  }
  return read;
}

bool is_too_deep(std::string_view json) {
  int depth = 0;
  bool is_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (is_text) {
      i += c == '\\' ? 1 : 0;
      is_text = c != '"';
    } else if (c == '"') {
      is_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > k_max_json_depth) {
        return true;
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<Json> read_schema(std::string_view schema, std::string_view what) {
  Json read = schema.empty() ? Json{{"type", "object"}} : parse_json(schema);
  if (!read.is_object()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the schema of {} is no JSON object", what));
  }
  return read;
}

std::string dump(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_member(const Json& object, std::string_view key) {
  auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<std::int64_t> count_member(const Json& object, std::string_view key) {
  auto at = object.find(key);
  if (at == object.end() || !at->is_number_integer() || at->get<std::int64_t>() < 0) {
    return std::nullopt;
  }
  return at->get<std::int64_t>();
}

std::string_view without_fence(std::string_view text) {
  constexpr std::string_view k_space = " \t\r\n";
  std::size_t first = text.find_first_not_of(k_space);
  std::size_t last = text.find_last_not_of(k_space);
  std::string_view body =
      first == std::string_view::npos ? "" : text.substr(first, last - first + 1);
  std::size_t line = body.find('\n');
  if (!body.starts_with("```") || !body.ends_with("```") || line == std::string_view::npos
      || body.size() < line + 4) {
    return text;
  }
  std::string_view inner = body.substr(line + 1, body.size() - line - 4);
  return Json::accept(inner) ? inner : text;
}

const Json& object_member(const Json& object, std::string_view key) {
  static const Json k_none = Json::object();
  auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_object() ? *at : k_none;
}

std::string tool_arguments(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return "{}";
  }
  Json arguments = parse_json(text);
  if (arguments.is_string()) {
    arguments = parse_json(arguments.get<std::string>());
  }
  if (arguments.is_null()) {
    return "{}";
  }
  if (!arguments.is_object()) {
    arguments = Json{{"invalid_arguments", std::string(text)}};
  }
  return dump(arguments);
}

} // namespace upskill::models
