#include "skills/store/inbox_record.h"

#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

namespace upskill::store {
namespace {

constexpr std::int64_t k_version = 1;
constexpr int k_depth = 3; // of both files
constexpr std::string_view k_accepted = "accepted";
constexpr std::string_view k_declined = "declined";

nlohmann::json parsed(std::string_view text) {
  // A callback that keeps nothing below bounds the nesting.
  auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    return depth <= k_depth;
  };
  return nlohmann::json::parse(text, shallow, false);
}

std::string text_of(const nlohmann::json& json, const char* key) {
  auto at = json.find(key);
  return at != json.end() && at->is_string()
             ? std::string(utf8_prefix(at->get_ref<const std::string&>(), k_max_inbox_text))
             : std::string();
}

std::int64_t number_of(const nlohmann::json& json, const char* key) {
  auto at = json.find(key);
  return at != json.end() && at->is_number_integer() ? at->get<std::int64_t>() : -1;
}

std::vector<std::string> texts_of(const nlohmann::json& json, const char* key) {
  std::vector<std::string> texts;
  auto at = json.find(key);
  if (at != json.end() && at->is_array()) {
    for (const nlohmann::json& one : *at) {
      if (one.is_string() && texts.size() < k_max_inbox_list) {
        texts.emplace_back(utf8_prefix(one.get_ref<const std::string&>(), k_max_inbox_text));
      }
    }
  }
  return texts;
}

nlohmann::ordered_json valid(const std::vector<std::string>& texts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& text : texts) {
    list.push_back(to_valid_utf8(text));
  }
  return list;
}

} // namespace

std::string write_inbox_origin(const InboxOrigin& origin) {
  nlohmann::ordered_json json;
  json["skill"] = to_valid_utf8(origin.skill);
  json["reason"] = to_valid_utf8(origin.reason);
  json["sessions"] = valid(origin.sessions);
  json["model"] = to_valid_utf8(origin.model);
  json["created"] = rfc3339(origin.created_ms);
  json["created_ms"] = origin.created_ms;
  json["fingerprint"] = to_valid_utf8(origin.fingerprint);
  json["warnings"] = valid(origin.warnings);
  return json.dump(2) + "\n";
}

Result<InboxOrigin> parse_inbox_origin(std::string_view text) {
  nlohmann::json json = parsed(text);
  if (!json.is_object() || text_of(json, "skill").empty() || number_of(json, "created_ms") < 0) {
    return fail(ErrorCode::corrupt, "`origin.json` does not say what this is");
  }
  InboxOrigin origin{.skill = text_of(json, "skill")};
  origin.reason = text_of(json, "reason");
  origin.sessions = texts_of(json, "sessions");
  origin.model = text_of(json, "model");
  origin.created_ms = number_of(json, "created_ms");
  origin.fingerprint = text_of(json, "fingerprint");
  origin.warnings = texts_of(json, "warnings");
  return origin;
}

std::string write_settled(const std::vector<SettledTopic>& topics) {
  nlohmann::ordered_json json;
  json["version"] = k_version;
  json["topics"] = nlohmann::ordered_json::array();
  for (const SettledTopic& topic : topics) {
    nlohmann::ordered_json one;
    one["fingerprint"] = to_valid_utf8(topic.fingerprint);
    one["skill"] = to_valid_utf8(topic.skill);
    one["became"] = topic.settled == Settled::accepted ? k_accepted : k_declined;
    one["at"] = rfc3339(topic.time_ms);
    one["at_ms"] = topic.time_ms;
    json["topics"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

Result<std::vector<SettledTopic>> parse_settled(std::string_view text) {
  nlohmann::json json = parsed(text);
  if (json.is_object() && number_of(json, "version") > k_version) {
    return fail(ErrorCode::unsupported, "`declined.json` is of a newer upskilld");
  }
  auto topics = json.is_object() ? json.find("topics") : json.end();
  if (!json.is_object() || number_of(json, "version") != k_version || topics == json.end()
      || !topics->is_array()) {
    return fail(ErrorCode::corrupt, "`declined.json` is damaged");
  }
  std::vector<SettledTopic> read;
  for (const nlohmann::json& one : *topics) {
    if (!one.is_object() || text_of(one, "fingerprint").empty()) {
      return fail(ErrorCode::corrupt, "`declined.json` is damaged");
    }
    read.push_back({text_of(one, "fingerprint"),
                    text_of(one, "skill"),
                    text_of(one, "became") == k_accepted ? Settled::accepted : Settled::declined,
                    number_of(one, "at_ms")});
  }
  return read;
}

} // namespace upskill::store
