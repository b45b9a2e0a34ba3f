#pragma once
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

// What a transcript expects of a message. A pattern is the message itself, with wildcards where a
// value is rightly free:
//   "<any>" "<string>" "<integer>" "<number>" "<boolean>" "<object>" "<array>"   any value of that
//   kind
//   "<has>text"                                                a string that contains the text
//   "<keep:NAME>"                                              any string; from the next line of
//   the transcript on, <NAME> stands for it, whether sent or expected
//   {"<json>": pattern}                                        a string that holds such JSON
//   "...": true in an object                                   members that are not named may be
//   there
//   "..." as the last element of an array                      more elements may follow
//   "<includes>" as the first element of an array              the others occur in it, in any place
namespace upskill::transcripts {

using Json = nlohmann::json;

// Empty when `message` is as `pattern` says, else where it differs and how.
inline std::string mismatch(const Json& pattern, const Json& message, const std::string& at = "$");

namespace pattern_detail {

inline std::string describe(const std::string& at, const Json& pattern, const Json& message) {
  return at + ": expected " + pattern.dump() + ", got "
         + message.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 300);
}

constexpr std::string_view k_keep = "<keep:";
constexpr const char* k_json = "<json>";

inline bool is_kind(std::string_view kind, const Json& message) {
  return kind == "<any>" || (kind.starts_with(k_keep) && message.is_string())
         || (kind == "<string>" && message.is_string())
         || (kind == "<integer>" && message.is_number_integer())
         || (kind == "<number>" && message.is_number())
         || (kind == "<boolean>" && message.is_boolean())
         || (kind == "<object>" && message.is_object())
         || (kind == "<array>" && message.is_array());
}

inline std::string
text_mismatch(const std::string& text, const Json& message, const std::string& at) {
  constexpr std::string_view k_has = "<has>";
  if (text.starts_with(k_has)) {
    bool has = message.is_string()
               && message.get<std::string>().find(text.substr(k_has.size())) != std::string::npos;
    return has ? std::string() : describe(at, text, message);
  }
  bool is_wildcard = text.size() > 2 && text.front() == '<' && text.back() == '>';
  bool fits = is_wildcard ? is_kind(text, message) : message == text;
  return fits ? std::string() : describe(at, text, message);
}

inline bool holds_json(const Json& pattern) {
  return pattern.is_object() && pattern.size() == 1 && pattern.contains(k_json);
}

// The JSON in a string; what is none matches no pattern but "<any>".
inline Json json_in(const Json& message) {
  return message.is_string() ? Json::parse(message.get<std::string>(), nullptr, false)
                             : Json(Json::value_t::discarded);
}

inline std::string
object_mismatch(const Json& pattern, const Json& message, const std::string& at) {
  for (const auto& [key, expected] : pattern.items()) {
    if (key == "...") {
      continue;
    }
    if (!message.contains(key)) {
      return at + "." + key + ": is missing";
    }
    if (std::string difference = mismatch(expected, message[key], at + "." + key);
        !difference.empty()) {
      return difference;
    }
  }
  if (!pattern.contains("...")) {
    for (const auto& [key, value] : message.items()) {
      if (!pattern.contains(key)) {
        return at + "." + key + ": is not expected";
      }
    }
  }
  return {};
}

inline std::string array_mismatch(const Json& pattern, const Json& message, const std::string& at) {
  if (!pattern.empty() && pattern.front() == "<includes>") {
    for (std::size_t i = 1; i < pattern.size(); ++i) {
      if (std::none_of(message.begin(), message.end(), [&](const Json& element) {
            return mismatch(pattern[i], element).empty();
          })) {
        return describe(at, pattern[i], message);
      }
    }
    return {};
  }
  bool is_open = !pattern.empty() && pattern.back() == "...";
  std::size_t count = pattern.size() - (is_open ? 1 : 0);
  if (message.size() < count || (!is_open && message.size() != count)) {
    return describe(at, pattern, message);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::string difference =
            mismatch(pattern[i], message[i], at + "[" + std::to_string(i) + "]");
        !difference.empty()) {
      return difference;
    }
  }
  return {};
}

} // namespace pattern_detail

inline std::string mismatch(const Json& pattern, const Json& message, const std::string& at) {
  using namespace pattern_detail;
  if (pattern.is_string()) {
    return text_mismatch(pattern.get<std::string>(), message, at);
  }
  if (holds_json(pattern)) {
    return mismatch(pattern[k_json], json_in(message), at + "<json>");
  }
  if (pattern.type() != message.type()
      && !(pattern.is_number_integer() && message.is_number_integer())) {
    return describe(at, pattern, message);
  }
  if (pattern.is_object()) {
    return object_mismatch(pattern, message, at);
  }
  if (pattern.is_array()) {
    return array_mismatch(pattern, message, at);
  }
  return pattern == message ? std::string() : describe(at, pattern, message);
}

// What a message that is as the pattern says has where that says "<keep:NAME>", by name. Elements
// after "<includes>" are not looked into: which of them was meant is not known.
inline void
keep_values(const Json& pattern, const Json& message, std::map<std::string, std::string>& kept) {
  using namespace pattern_detail;
  if (pattern.is_string()) {
    std::string text = pattern.get<std::string>();
    if (text.starts_with(k_keep) && text.back() == '>' && message.is_string()) {
      kept[text.substr(k_keep.size(), text.size() - k_keep.size() - 1)] =
          message.get<std::string>();
    }
  } else if (holds_json(pattern)) {
    keep_values(pattern[k_json], json_in(message), kept);
  } else if (pattern.is_object() && message.is_object()) {
    for (const auto& [key, expected] : pattern.items()) {
      if (message.contains(key)) {
        keep_values(expected, message[key], kept);
      }
    }
  } else if (pattern.is_array() && message.is_array()) {
    for (std::size_t i = 0; i < std::min(pattern.size(), message.size()); ++i) {
      if (pattern.front() != "<includes>") {
        keep_values(pattern[i], message[i], kept);
      }
    }
  }
}

} // namespace upskill::transcripts
