#pragma once
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>

// What a transcript expects of a message. A pattern is the message itself, with wildcards where a
// value is rightly free:
//   "<any>" "<string>" "<integer>" "<number>" "<boolean>" "<object>" "<array>"   any value of that
//   kind
//   "<has>text"                                                a string that contains the text
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

inline bool is_kind(std::string_view kind, const Json& message) {
  return kind == "<any>" || (kind == "<string>" && message.is_string())
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

} // namespace upskill::transcripts
