#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_config {

enum class JsonKind { object, array, string, other };

// A value of a JSON text, and where it stands there.
struct JsonNode {
  JsonKind kind = JsonKind::other;
  std::string key = {};        // decoded; of a member of an object
  std::size_t key_begin = 0;   // of the key's quote; of an element as `begin`
  std::size_t begin = 0;       // of the value
  std::size_t end = 0;         // behind it
  std::string text = {};       // a decoded string, or the other value as it is written
  bool trailing_comma = false; // before its closing bracket
  bool has_comment = false;    // anywhere in it
  std::vector<JsonNode> children = {};

  const JsonNode* find(std::string_view name) const; // the last of that name, as parsers take it
};

// Whether both say the same, whatever their layout; members in any order.
bool same_value(const JsonNode& a, const JsonNode& b);

// A JSON text with what editors' configurations also have: `//` and `/* */` comments, commas before
// closing brackets, a byte order mark. Where there is nothing but blanks and comments, `kind` is
// `other` with begin == end. Errors: invalid_argument with line and column; too_large for more than
// 64 levels.
Result<JsonNode> parse_json_tree(std::string_view text);

// Behind the blanks and comments that begin there; `text` is one that was parsed.
std::size_t skip_json_space(std::string_view text, std::size_t at);

} // namespace upskill::agent_config
