#include "skills/trace_export/json_pieces.h"

#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

namespace upskill::trace_export {
namespace {

using Json = nlohmann::ordered_json;

// Deeper than any tool's input; what is deeper is cleaned as text.
constexpr int k_depth = 64;

// Refuses what is too deep while it is read: neither is it kept nor does anything recurse into it.
Json parsed(std::string_view text, bool& is_json) {
  bool is_deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        is_deep = is_deep || depth > k_depth;
        return !is_deep;
      },
      false);
  is_json = !is_deep && !json.is_discarded();
  return is_json ? json : Json();
}

void clean(Json& value, trace::TextFilter& filter) {
  if (value.is_string()) {
    filter.clean(value.get_ref<std::string&>());
  } else if (value.is_structured()) {
    for (Json& element : value) {
      clean(element, filter);
    }
  }
}

std::string text_of(const trace::Text& input, trace::TextFilter* filter) {
  std::string text = input.decoded();
  if (filter != nullptr) {
    filter->clean(text);
  }
  return text;
}

// The input as JSON, cleaned; is_json false: it is none.
Json json_of(const trace::Text& input, trace::TextFilter* filter, bool& is_json) {
  Json json = parsed(input.decoded(), is_json);
  // A string that holds JSON, as some agents write it.
  if (is_json && json.is_string() && json.get_ref<const std::string&>().starts_with('{')) {
    bool is_nested = false;
    Json nested = parsed(json.get_ref<const std::string&>(), is_nested);
    if (is_nested) {
      json = std::move(nested);
    }
  }
  if (is_json && filter != nullptr) {
    clean(json, *filter);
  }
  return json;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) / 16];
      out += digits[static_cast<unsigned char>(c) % 16];
    } else if (text.substr(at).starts_with("\u2028") || text.substr(at).starts_with("\u2029")) {
      out += text[at + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      out += c;
    }
  }
  out += '"';
}

JsonObject::JsonObject(std::string& out)
    : m_out(out) {
  m_out += '{';
}

void JsonObject::end() {
  m_out += '}';
}

void JsonObject::key(std::string_view key) {
  m_out += m_is_empty ? "" : ",";
  m_is_empty = false;
  append_json_string(m_out, key);
  m_out += ':';
}

void JsonObject::string(std::string_view key, std::string_view value) {
  this->key(key);
  append_json_string(m_out, value);
}

void JsonObject::string_if(std::string_view key, std::string_view value) {
  if (!value.empty()) {
    string(key, value);
  }
}

void JsonObject::number(std::string_view key, std::int64_t value) {
  this->key(key);
  m_out += std::to_string(value);
}

void JsonObject::decimal(std::string_view key, double value) {
  this->key(key);
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6f", std::isfinite(value) ? value : 0.0);
  m_out += digits;
}

void JsonObject::raw(std::string_view key, std::string_view json) {
  this->key(key);
  m_out += json;
}

std::string arguments_object(const trace::Text& input, trace::TextFilter* filter) {
  bool is_json = false;
  Json json = json_of(input, filter, is_json);
  if (is_json && json.is_object()) {
    return dumped(json);
  }
  std::string text = is_json && json.is_string() ? json.get<std::string>() : text_of(input, filter);
  std::string object;
  JsonObject members(object);
  members.string_if("input", text);
  members.end();
  return object;
}

std::string arguments_text(const trace::Text& input, trace::TextFilter* filter) {
  bool is_json = false;
  Json json = json_of(input, filter, is_json);
  if (is_json) {
    return json.is_string() ? json.get<std::string>() : dumped(json);
  }
  return text_of(input, filter);
}

} // namespace upskill::trace_export
