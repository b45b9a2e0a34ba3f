#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::install {

struct JsonMember;

// JSON whose members keep their order and whose numbers keep their letters, so that a file that
// another program wrote can be written again as it was. (The library's own ordered objects are
// looked through from end to end for each key, which for a lock of 100,000 takes minutes.)
struct JsonTree {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string text = {}; // of a string, decoded; of a number or boolean as it is written
  std::vector<JsonTree> items;
  std::vector<JsonMember> members; // keys distinct

  static JsonTree string(std::string_view text);
  static JsonTree number(std::int64_t value);

  static JsonTree object();

  bool is_string() const { return kind == Kind::string; }

  bool is_object() const { return kind == Kind::object; }

  bool is_array() const { return kind == Kind::array; }

  // The member of that key, or nothing; looks from end to end.
  const JsonTree* find(std::string_view key) const;
  JsonTree* find(std::string_view key);
  // The text of a string member; empty where it is absent or something else.
  std::string_view text_of(std::string_view key) const;
  // Replaces or appends.
  void set(std::string_view key, JsonTree value);

  bool operator==(const JsonTree& other) const; // also in the order of the members
};

struct JsonMember {
  std::string key;
  JsonTree value;

  bool operator==(const JsonMember& other) const;
};

inline bool JsonMember::operator==(const JsonMember& other) const {
  return key == other.key && value == other.value;
}

inline bool JsonTree::operator==(const JsonTree& other) const {
  return kind == other.kind && text == other.text && items == other.items
         && members == other.members;
}

inline constexpr std::size_t k_most_json_values = 1'000'000;

// `what` begins the messages: "`skills-lock.json`". Of a key that is given twice the last value
// counts. Errors: corrupt for what is no JSON or nests deeper than k_max_json_depth; too_large over
// `most` bytes or k_most_json_values.
Result<JsonTree> read_json(std::string_view text, std::string_view what, std::size_t most);

// As JavaScript's `JSON.stringify(value, null, 2)` writes it.
std::string json_text(const JsonTree& tree);
// The same, for a value that stands `indent` deep in something larger.
void append_json(std::string& out, const JsonTree& tree, std::size_t indent);
void append_json_string(std::string& out, std::string_view text);

} // namespace upskill::install
