#include "protocol/base/utf8.h"
#include "skills/eval/schema_matcher.h"

#include <nlohmann/json.hpp>

#include <set>

// Objects and arrays of SchemaMatcher.
namespace upskill::eval {
namespace {

using nlohmann::json;

// RFC 6901, 3: the pointer to a member.
std::string below(const std::string& at, const std::string& name) {
  std::string out = at + "/";
  for (char c : name.substr(0, 100)) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

std::string below(const std::string& at, std::size_t index) {
  return at + "/" + std::to_string(index);
}

const json* find(const json& object, const char* key) {
  auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

} // namespace

bool SchemaMatcher::size(const std::string& key, const json& wanted, const json& value) {
  bool is_array = value.is_array();
  if (key == (is_array ? "minItems" : "minProperties")) {
    return value.size() >= wanted;
  }
  if (key == (is_array ? "maxItems" : "maxProperties")) {
    return value.size() <= wanted;
  }
  return key != "uniqueItems" || !is_array || !wanted.get<bool>() || unique(value);
}

// A tree of pointers, which stays in order even where JSON numbers of three types do not.
bool SchemaMatcher::unique(const json& value) {
  auto less = [this](const json* a, const json* b) { return spend(1 + a->size()) && *a < *b; };
  std::set<const json*, decltype(less)> seen(less);
  for (const json& one : value) {
    if (!seen.insert(&one).second || m_spent) {
      return false;
    }
  }
  return true;
}

// `prefixItems` then `items`, or draft 7's list of `items` then `additionalItems`.
bool SchemaMatcher::items(const json& schema, const json& value, const std::string& at) {
  const json* first = find(schema, "prefixItems");
  const json* rest = find(schema, "items");
  if (first == nullptr && rest != nullptr && rest->is_array()) {
    first = rest;
    rest = find(schema, "additionalItems");
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const json* item = first != nullptr && i < first->size() ? &(*first)[i] : rest;
    if (item != nullptr && !matches(*item, value[i], below(at, i))) {
      return false;
    }
  }
  return true;
}

bool SchemaMatcher::contains(const json& schema,
                             const json& wanted,
                             const json& value,
                             const std::string& at) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < value.size() && !m_spent; ++i) {
    found += quietly(wanted, value[i], below(at, i)) ? 1 : 0;
  }
  const json* least = find(schema, "minContains");
  const json* most = find(schema, "maxContains");
  bool good =
      (least != nullptr ? found >= *least : found >= 1) && (most == nullptr || found <= *most);
  return good || tell(at, "has " + std::to_string(found) + " items as `contains` says");
}

bool SchemaMatcher::properties(const json& schema, const json& value, const std::string& at) {
  const json* named = find(schema, "properties");
  const json* patterns = find(schema, "patternProperties");
  const json* others = find(schema, "additionalProperties");
  const json* names = find(schema, "propertyNames");
  for (auto member = value.begin(); member != value.end(); ++member) {
    const std::string& name = member.key();
    std::string here = below(at, name);
    if (!spend(1) || (names != nullptr && !matches(*names, json(name), here))) {
      return false;
    }
    bool known = false;
    if (named != nullptr) {
      if (auto property = named->find(name); property != named->end()) {
        known = true;
        if (!matches(*property, member.value(), here)) {
          return false;
        }
      }
    }
    if (patterns != nullptr) {
      for (auto pattern = patterns->begin(); pattern != patterns->end(); ++pattern) {
        if (has_pattern(pattern.key(), name)) {
          known = true;
          if (!matches(pattern.value(), member.value(), here)) {
            return false;
          }
        }
      }
    }
    if (!known && others != nullptr && !matches(*others, member.value(), here)) {
      return false;
    }
  }
  return true;
}

bool SchemaMatcher::required(const json& names, const json& value, const std::string& at) {
  for (const json& name : names) {
    const auto& wanted = name.get_ref<const std::string&>();
    if (!spend(1) || !value.contains(wanted)) {
      return tell(at, "must have a member " + in_backticks(utf8_prefix(wanted, 100)));
    }
  }
  return true;
}

bool SchemaMatcher::depends(const json& wanted, const json& value, const std::string& at) {
  for (auto rule = wanted.begin(); rule != wanted.end(); ++rule) {
    if (spend(1) && value.contains(rule.key())) {
      bool good = rule->is_array() ? required(*rule, value, at) : matches(*rule, value, at);
      if (!good) {
        return false;
      }
    }
  }
  return true;
}

} // namespace upskill::eval
