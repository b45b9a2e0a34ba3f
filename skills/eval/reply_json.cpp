#include "skills/eval/reply_json.h"

#include "protocol/base/utf8.h"
#include "skills/eval/json_text.h"

#include <nlohmann/json.hpp>

namespace upskill::eval {
namespace {

// Each may take a walk to the end of the reply.
constexpr int k_most_attempts = 64;

// Behind the brace that closes the one at `start`; npos where none does.
std::size_t end_of_object(std::string_view text, std::size_t start) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = start; at < text.size(); ++at) {
    char c = text[at];
    if (quoted) {
      at += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

} // namespace

Result<std::string_view> find_object(std::string_view reply, std::string_view key) {
  if (reply.size() > k_max_reply) {
    return fail(ErrorCode::too_large, "is longer than " + std::to_string(k_max_reply) + " bytes");
  }
  std::string_view found;
  int attempts = 0;
  for (std::size_t at = reply.find('{'); at != std::string_view::npos; at = reply.find('{', at)) {
    if (++attempts > k_most_attempts) {
      return fail(ErrorCode::invalid_argument, "has too many braces to find the JSON in it");
    }
    std::size_t end = end_of_object(reply, at);
    std::string_view text = reply.substr(at, end == std::string_view::npos ? 0 : end - at);
    nlohmann::json object = parse_shallow(text);
    if (!object.is_object()) { // a brace of the words around it
      ++at;
      continue;
    }
    if (object.contains(key)) {
      if (!found.empty() && found != text) {
        return fail(ErrorCode::invalid_argument,
                    "has several JSON objects with " + in_backticks(key));
      }
      found = text;
    }
    at = end;
  }
  if (found.empty()) {
    return fail(ErrorCode::invalid_argument, "has no JSON object with " + in_backticks(key));
  }
  return found;
}

} // namespace upskill::eval
