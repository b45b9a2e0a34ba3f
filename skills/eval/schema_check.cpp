#include "protocol/base/utf8.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/json_text.h"
#include "skills/eval/pattern.h"
#include "skills/eval/schema_words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr std::size_t k_max_patterns = 100; // of one schema

bool is_type_name(const json& value) {
  static const std::set<std::string, std::less<>> names = {
      "null", "boolean", "object", "array", "number", "string", "integer"};
  return value.is_string() && names.contains(value.get_ref<const std::string&>());
}

// Looks at every schema within a schema once, whether the keyword or a reference leads to it.
class Walk {
public:
  explicit Walk(const json& root)
      : m_root(root) {}

  Result<void> run() {
    m_left.push_back(&m_root);
    while (!m_left.empty()) {
      const json* schema = m_left.back();
      m_left.pop_back();
      if (m_seen.insert(schema).second) {
        TRY(look(*schema));
      }
    }
    return {};
  }

private:
  tl::unexpected<Error> refuse(const std::string& key, std::string_view what) {
    return fail(ErrorCode::invalid_argument,
                "has " + in_backticks(utf8_prefix(key, 80)) + " that " + std::string(what),
                "skills/eval/README.md lists what is read of JSON Schema");
  }

  Result<void> look(const json& schema) {
    if (schema.is_boolean()) {
      return {};
    }
    if (!schema.is_object()) {
      return fail(ErrorCode::invalid_argument, "has a schema that is neither object nor boolean");
    }
    for (const auto& [key, value] : schema.items()) {
      TRY(keyword(key, value));
    }
    return {};
  }

  Result<void> keyword(const std::string& key, const json& value) {
    switch (schema_word(key)) {
    case SchemaWord::schema:
      m_left.push_back(&value);
      return {};
    case SchemaWord::schemas:
      return schemas(key, value);
    case SchemaWord::items: // draft 7 has a list here
      return value.is_array() ? schemas(key, value)
                              : keyword_of(value.is_structured() || value.is_boolean(), key, value);
    case SchemaWord::named_schemas:
      return named(key, value);
    case SchemaWord::count:
      return want(value.is_number_integer() && value >= 0, key, "is not a whole number");
    case SchemaWord::number:
      return want(value.is_number(), key, "is not a number");
    case SchemaWord::positive:
      return want(value.is_number() && value > 0, key, "is not a number above 0");
    case SchemaWord::flag:
      return want(value.is_boolean(), key, "is not true or false");
    case SchemaWord::names:
      return want(value.is_array()
                      && std::ranges::all_of(value, [](const json& v) { return v.is_string(); }),
                  key,
                  "is not a list of names");
    case SchemaWord::values:
      return want(value.is_array() && !value.empty(), key, "is not a list of values");
    case SchemaWord::pattern:
      return value.is_string() ? pattern(key, value.get_ref<const std::string&>())
                               : want(false, key, "is not a pattern");
    case SchemaWord::type:
      return want(
          is_type_name(value)
              || (value.is_array() && !value.empty() && std::ranges::all_of(value, is_type_name)),
          key,
          "is not a type of JSON");
    case SchemaWord::dependencies:
      return dependencies(key, value);
    case SchemaWord::reference:
      return reference(key, value);
    case SchemaWord::unsupported:
      return refuse(key, "is not supported");
    case SchemaWord::value:
    case SchemaWord::annotation:
      break;
    }
    return {};
  }

  Result<void> want(bool good, const std::string& key, std::string_view otherwise) {
    return good ? Result<void>() : Result<void>(refuse(key, otherwise));
  }

  Result<void> keyword_of(bool good, const std::string& key, const json& value) {
    m_left.push_back(&value);
    return want(good, key, "is not a schema");
  }

  Result<void> schemas(const std::string& key, const json& value) {
    if (!value.is_array() || value.empty()) {
      return refuse(key, "is not a list of schemas");
    }
    for (const json& one : value) {
      m_left.push_back(&one);
    }
    return {};
  }

  Result<void> named(const std::string& key, const json& value) {
    if (!value.is_object()) {
      return refuse(key, "is not an object of schemas");
    }
    for (const auto& [name, one] : value.items()) {
      if (key == "patternProperties") {
        TRY(pattern(key, name));
      }
      m_left.push_back(&one);
    }
    return {};
  }

  Result<void> dependencies(const std::string& key, const json& value) {
    if (!value.is_object()) {
      return refuse(key, "is not an object");
    }
    for (const auto& [name, one] : value.items()) {
      if (one.is_array()) {
        TRY(keyword("required", one));
      } else if (key == "dependentRequired") {
        return refuse(key, "is not an object of lists of names");
      } else {
        m_left.push_back(&one);
      }
    }
    return {};
  }

  Result<void> pattern(const std::string& key, const std::string& text) {
    if (++m_patterns > k_max_patterns) {
      return refuse(key, "is one pattern too many");
    }
    Result<Pattern> compiled = Pattern::compile(text);
    return compiled ? Result<void>() : Result<void>(refuse(key, compiled.error().message));
  }

  Result<void> reference(const std::string& key, const json& value) {
    const json* target =
        value.is_string() ? find_reference(m_root, value.get_ref<const std::string&>()) : nullptr;
    if (target == nullptr) {
      return refuse(key, "leads to nothing in the schema");
    }
    m_left.push_back(target);
    return {};
  }

  const json& m_root;
  std::vector<const json*> m_left = {};
  std::set<const json*> m_seen = {};
  std::size_t m_patterns = 0;
};

} // namespace

Result<void> check_schema(std::string_view schema) {
  if (schema.size() > k_max_schema) {
    return fail(ErrorCode::too_large,
                "is a schema of more than " + std::to_string(k_max_schema) + " bytes");
  }
  json root = parse_shallow(schema);
  if (root.is_discarded()) {
    return fail(ErrorCode::invalid_argument, "is not JSON");
  }
  return Walk(root).run();
}

bool is_json_text(std::string_view text) {
  return !parse_shallow(text).is_discarded();
}

} // namespace upskill::eval
