#include "skills/store/trash_origin.h"

#include "protocol/base/utf8.h"
#include "skills/store/timestamp.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace upskill::store {
namespace {

std::string to_hex(std::string_view bytes) {
  static constexpr char k_hex[] = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += k_hex[byte >> 4];
    text += k_hex[byte & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  for (; text.size() >= 2; text.remove_prefix(2)) {
    unsigned value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + 2, value, 16);
    if (error != std::errc() || end != text.data() + 2) {
      return std::nullopt;
    }
    bytes += static_cast<char>(value);
  }
  return text.empty() ? std::optional(std::move(bytes)) : std::nullopt;
}

void put_bytes(nlohmann::ordered_json& json, const std::string& key, std::string_view bytes) {
  json[key] = to_valid_utf8(bytes);
  if (!is_utf8(bytes)) {
    json[key + "_hex"] = to_hex(bytes);
  }
}

std::string text_of(const nlohmann::json& json, const std::string& key) {
  auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::string bytes_of(const nlohmann::json& json, const std::string& key) {
  std::optional<std::string> exact = from_hex(text_of(json, key + "_hex"));
  return exact && !exact->empty() ? *exact : text_of(json, key);
}

} // namespace

std::string write_origin(const TrashOrigin& origin) {
  nlohmann::ordered_json json;
  put_bytes(json, "path", origin.path);
  put_bytes(json, "skill", origin.skill);
  json["reason"] = to_valid_utf8(origin.reason);
  json["hash"] = to_valid_utf8(origin.hash);
  json["time"] = name_of_time(origin.time_ms);
  json["time_ms"] = origin.time_ms;
  return json.dump(2) + "\n";
}

Result<TrashOrigin> parse_origin(std::string_view text) {
  // A callback that keeps nothing below the first level bounds the nesting.
  auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    return depth <= 1;
  };
  nlohmann::json json = nlohmann::json::parse(text, shallow, false);
  auto time = json.is_object() ? json.find("time_ms") : json.end();
  if (!json.is_object() || time == json.end() || !time->is_number_integer()) {
    return fail(ErrorCode::corrupt, "`origin.json` does not say where this was");
  }
  TrashOrigin origin{.path = bytes_of(json, "path"), .skill = bytes_of(json, "skill")};
  origin.reason = text_of(json, "reason");
  origin.hash = text_of(json, "hash");
  origin.time_ms = time->get<std::int64_t>();
  if (origin.path.empty()) {
    return fail(ErrorCode::corrupt, "`origin.json` does not say where this was");
  }
  return origin;
}

} // namespace upskill::store
