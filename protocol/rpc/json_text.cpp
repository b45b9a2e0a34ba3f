#include "protocol/rpc/json_text.h"

#include "protocol/base/json_escape.h"
#include "protocol/codec/writer.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/message.h"
#include "protocol/rpc/simdjson_reader.h"

#include <algorithm>
#include <utility>

namespace upskill::rpc {
namespace {

constexpr std::size_t k_short = 4096; // bytes that nobody minds

// Where the string that begins at `start` ends: after its last quote.
std::size_t end_of_string(std::string_view json, std::size_t start) {
  std::size_t end = start;
  std::size_t text = 0; // without the backslashes before the quote
  do {
    end = json.find('"', end + 1);
    text = json.find_last_not_of('\\', end - 1);
  } while ((end - text) % 2 == 0); // an odd number of backslashes: the quote is escaped
  return end + 1;
}

std::string without_blanks(std::string_view json) {
  auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  std::string text;
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] == '"') {
      std::size_t end = end_of_string(json, at);
      text.append(json, at, end - at);
      at = end;
      continue;
    }
    if (!is_blank(json[at])) {
      text += json[at];
    }
    ++at;
  }
  return text;
}

} // namespace

std::string string_value(std::string_view literal) {
  std::string out;
  out.reserve(literal.size());
  append_json_unescaped(out, literal.substr(1, literal.size() - 2));
  return out;
}

std::string canonical_scalar(std::string_view literal) {
  if (literal.find('\\') == std::string_view::npos) {
    return std::string(literal);
  }
  return json_string(string_value(literal));
}

std::string with_padding(std::string_view json) {
  std::string compact; // a call may wait with it for an hour
  if (json.size() > k_short) {
    compact = without_blanks(json);
    json = compact;
  }
  std::string text;
  text.reserve(json.size() + k_json_padding);
  text = json;
  if (json.find('\n') != std::string_view::npos || json.find('\r') != std::string_view::npos) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
  }
  return text;
}

std::optional<std::vector<std::string>> uniform_keys(std::string_view json, JsonKind kind) {
  std::vector<std::string> keys;
  bool is_uniform = true;
  JsonScanner scanner(json);
  if (scanner.peek() != JsonKind::object) {
    return std::nullopt;
  }
  scanner.members([&](std::string_view literal) {
    is_uniform = scanner.value().kind == kind && is_uniform && keys.size() < k_max_members;
    if (is_uniform) {
      std::string key = string_value(literal);
      is_uniform = std::find(keys.begin(), keys.end(), key) == keys.end();
      keys.push_back(std::move(key));
    }
  });
  return is_uniform && scanner.at_end() ? std::optional(std::move(keys)) : std::nullopt;
}

bool is_request_id(std::string_view text) {
  JsonScanner scanner(text);
  JsonKind kind = scanner.value().kind;
  return scanner.at_end() && (kind == JsonKind::string || kind == JsonKind::integer);
}

} // namespace upskill::rpc
