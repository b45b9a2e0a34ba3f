#include "skills/eval/schema_matcher.h"

#include "protocol/base/utf8.h"
#include "skills/eval/json_schema.h"
#include "skills/eval/schema_words.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace upskill::eval {
namespace {

using nlohmann::json;

constexpr std::size_t k_bytes_a_step = 64; // of text that is compared or searched
constexpr std::size_t k_shown = 200;       // bytes of a value in a message

// What a comparison with the value costs.
std::size_t steps_of(const json& value) {
  if (value.is_string()) {
    return 1 + value.get_ref<const std::string&>().size() / k_bytes_a_step;
  }
  std::size_t steps = 1;
  if (value.is_structured()) {
    for (const json& one : value) {
      steps += steps_of(one);
    }
  }
  return steps;
}

bool is_whole(const json& value) {
  double number = value.is_number() ? value.get<double>() : 0.5;
  return value.is_number_integer() || number == std::floor(number);
}

bool is_of_type(const json& value, const std::string& type) {
  return (type == "null" && value.is_null()) || (type == "boolean" && value.is_boolean())
         || (type == "object" && value.is_object()) || (type == "array" && value.is_array())
         || (type == "number" && value.is_number()) || (type == "string" && value.is_string())
         || (type == "integer" && is_whole(value));
}

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return in_backticks(utf8_prefix(text, k_shown));
}

// Keywords that work together are worked off once: otherwise the time doubles with every level.
bool is_first(const json& schema,
              std::string_view key,
              std::initializer_list<std::string_view> together) {
  for (std::string_view one : together) {
    if (schema.contains(one)) {
      return one == key;
    }
  }
  return false;
}

bool is_multiple(double number, double of) {
  double times = number / of;
  return std::isfinite(times)
         && std::abs(times - std::round(times)) <= 1e-9 * std::max(1.0, std::abs(times));
}

} // namespace

bool SchemaMatcher::spend(std::size_t steps) {
  m_steps += steps;
  m_spent = m_spent || m_steps > k_max_schema_steps || m_nested > k_max_schema_nesting;
  return !m_spent;
}

bool SchemaMatcher::tell(const std::string& at, const std::string& what) {
  if (m_quiet == 0 && m_problem.empty()) {
    m_problem = (at.empty() ? "the document" : in_backticks(utf8_prefix(at, k_shown))) + " " + what;
  }
  return false;
}

bool SchemaMatcher::quietly(const json& schema, const json& value, const std::string& at) {
  ++m_quiet;
  bool good = matches(schema, value, at);
  --m_quiet;
  return good;
}

bool SchemaMatcher::has_pattern(const std::string& pattern, const std::string& text) {
  auto at = m_patterns.find(pattern);
  if (at == m_patterns.end()) {
    Result<Pattern> compiled = Pattern::compile(pattern);
    if (!compiled) {
      m_spent = true; // check_schema() has let it through: no verdict
      return false;
    }
    at = m_patterns.emplace(pattern, std::move(*compiled)).first;
  }
  return spend(text.size() / k_bytes_a_step) && at->second.found_in(text);
}

bool SchemaMatcher::matches(const json& schema, const json& value, const std::string& at) {
  if (schema.is_boolean()) {
    return schema.get<bool>() || tell(at, "is not allowed");
  }
  ++m_nested;
  bool good = spend(1 + schema.size());
  for (auto member = schema.begin(); good && member != schema.end(); ++member) {
    good = keyword(schema, member.key(), member.value(), value, at);
  }
  --m_nested;
  return good && !m_spent;
}

bool SchemaMatcher::keyword(const json& schema,
                            const std::string& key,
                            const json& wanted,
                            const json& value,
                            const std::string& at) {
  if (key == "$ref") {
    const json* target = find_reference(m_root, wanted.get_ref<const std::string&>());
    return target != nullptr && matches(*target, value, at);
  }
  if (key == "type") {
    auto fits = [&](const json& type) { return is_of_type(value, type.get<std::string>()); };
    bool good = wanted.is_array() ? std::ranges::any_of(wanted, fits) : fits(wanted);
    return good || tell(at, "must be of type " + shown(wanted));
  }
  if (key == "const") {
    return (spend(steps_of(wanted)) && wanted == value) || tell(at, "must be " + shown(wanted));
  }
  if (key == "enum") {
    return one_of(wanted, value) || tell(at, "must be one of " + shown(wanted));
  }
  if (key == "if") {
    return conditional(schema, value, at);
  }
  if (key == "allOf" || key == "anyOf" || key == "oneOf" || key == "not") {
    return combined(key, wanted, value, at);
  }
  bool good = true;
  if (value.is_number()) {
    good = number(key, wanted, value);
  } else if (value.is_string()) {
    good = text(key, wanted, value);
  } else if (key == "required" || key == "dependencies" || key.starts_with("dependent")) {
    return !value.is_object()
           || (key == "required" ? required(wanted, value, at) : depends(wanted, value, at));
  } else if (key == "contains") {
    return !value.is_array() || contains(schema, wanted, value, at);
  } else if (value.is_structured()) {
    good = size(key, wanted, value);
    if (is_first(schema, key, {"items", "prefixItems"})) {
      return !value.is_array() || items(schema, value, at);
    }
    if (is_first(schema,
                 key,
                 {"additionalProperties", "patternProperties", "properties", "propertyNames"})) {
      return !value.is_object() || properties(schema, value, at);
    }
  }
  return good || tell(at, "must have " + in_backticks(key) + " " + shown(wanted));
}

bool SchemaMatcher::one_of(const json& values, const json& value) {
  return std::ranges::any_of(values,
                             [&](const json& one) { return spend(steps_of(one)) && one == value; });
}

bool SchemaMatcher::number(const std::string& key, const json& wanted, const json& value) {
  if (key == "multipleOf") {
    return is_multiple(value.get<double>(), wanted.get<double>());
  }
  return !((key == "minimum" && value < wanted) || (key == "maximum" && value > wanted)
           || (key == "exclusiveMinimum" && value <= wanted)
           || (key == "exclusiveMaximum" && value >= wanted));
}

bool SchemaMatcher::text(const std::string& key, const json& wanted, const json& value) {
  const auto& words = value.get_ref<const std::string&>();
  if (key == "pattern") {
    return has_pattern(wanted.get_ref<const std::string&>(), words);
  }
  if (key != "minLength" && key != "maxLength") {
    return true;
  }
  bool good = spend(words.size() / k_bytes_a_step);
  std::size_t length = code_points(words);
  return good && (key == "minLength" ? length >= wanted : length <= wanted);
}

bool SchemaMatcher::combined(const std::string& key,
                             const json& wanted,
                             const json& value,
                             const std::string& at) {
  if (key == "allOf") {
    return std::ranges::all_of(wanted, [&](const json& one) { return matches(one, value, at); });
  }
  if (key == "not") {
    return !quietly(wanted, value, at) || tell(at, "matches what it must `not`");
  }
  auto good = std::ranges::count_if(
      wanted, [&](const json& one) { return !m_spent && quietly(one, value, at); });
  return (key == "anyOf" ? good > 0 : good == 1)
         || tell(at, "matches " + std::to_string(good) + " schemas of " + in_backticks(key));
}

bool SchemaMatcher::conditional(const json& schema, const json& value, const std::string& at) {
  auto branch = schema.find(quietly(schema.at("if"), value, at) ? "then" : "else");
  return branch == schema.end() || matches(*branch, value, at);
}

} // namespace upskill::eval
