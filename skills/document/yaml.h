#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// Bounds that hostile YAML meets. The largest front matter of 10,150 real files has a few KB.
inline constexpr std::size_t k_max_front_matter = 64u << 10; // bytes
inline constexpr std::size_t k_max_yaml_nodes = 10'000;      // aliases counted as what they repeat
inline constexpr std::size_t k_max_yaml_text = 1u << 20; // bytes of all scalars, aliases expanded
inline constexpr std::size_t k_max_yaml_depth = 32;      // collections in each other

enum class YamlKind { null, scalar, sequence, mapping };
enum class ScalarStyle { plain, single_quoted, double_quoted, literal, folded };

struct YamlMember;

// A YAML node. Scalars keep their text; what type a plain one has is a matter of the reader
// (yaml_json.h), because `1.0` is a number to one and a version to another. An absent value is
// null; `null` and `~` are plain scalars.
struct Yaml {
  YamlKind kind = YamlKind::null;
  ScalarStyle style = ScalarStyle::plain;
  int line = 0;   // of its first character within the parsed text, from 1
  int column = 0; // likewise, from 0
  std::string text = {};
  std::vector<Yaml> items;         // of a sequence
  std::vector<YamlMember> members; // of a mapping, in the order of the file, keys distinct

  bool is_null() const { return kind == YamlKind::null; }

  bool is_scalar() const { return kind == YamlKind::scalar; }

  bool is_sequence() const { return kind == YamlKind::sequence; }

  bool is_mapping() const { return kind == YamlKind::mapping; }

  // The member with that key; nullptr where there is none.
  const Yaml* find(std::string_view key) const;
};

struct YamlMember {
  std::string key;
  Yaml value;
  int line = 0; // of the key
};

// Same kinds, styles, texts and keys in the same order; where they stood does not matter.
bool same_content(const Yaml& a, const Yaml& b);

// What a stricter reader than YAML's own would refuse: lines from 1, 0 for absent.
struct YamlFeatures {
  int flow_line = 0;
  int tag_line = 0;
  int anchor_line = 0;
  int duplicate_line = 0;
  std::string duplicate_key = {}; // the first; the last value is kept, as PyYAML does
  bool duplicate_at_top = false;  // some duplicate is a key of the outermost mapping
};

struct YamlDocument {
  Yaml root = {};
  YamlFeatures features = {};
};

// One YAML 1.2 document. Takes the scanner where it applies and libfyaml elsewhere; both give the
// same. Errors (invalid_argument, too_large) name the line, counted from `first_line`.
Result<YamlDocument> parse_yaml(std::string_view text, std::size_t first_line = 1);

} // namespace upskill::document
