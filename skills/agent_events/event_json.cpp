#include "skills/agent_events/event_json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace upskill::agent_events {
namespace {

using Json = nlohmann::json;

constexpr int k_max_depth = 64;
constexpr std::size_t k_max_values = 200'000;
constexpr double k_largest = 1e15; // tokens

const Json* member(const Json& object, std::string_view key) {
  auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nullptr : &*found;
}

} // namespace

Json parse_event(std::string_view text) {
  std::size_t values = 0;
  auto keep = [&values](int depth, Json::parse_event_t, Json&) {
    return depth <= k_max_depth && ++values <= k_max_values;
  };
  return Json::parse(text.begin(), text.end(), keep, false);
}

std::string_view text_of(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get_ref<const std::string&>()
                                                : std::string_view();
}

std::optional<std::int64_t> count_of(const Json& object, std::string_view key) {
  std::optional<double> amount = amount_of(object, key);
  return amount && *amount <= k_largest ? std::optional(static_cast<std::int64_t>(*amount))
                                        : std::nullopt;
}

std::optional<double> amount_of(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  if (found == nullptr || !found->is_number()) {
    return std::nullopt;
  }
  double amount = found->get<double>();
  return std::isfinite(amount) && amount >= 0 ? std::optional(amount) : std::nullopt;
}

std::optional<bool> flag_of(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  return found != nullptr && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
}

const Json& object_of(const Json& object, std::string_view key) {
  static const Json k_none = Json::object();
  const Json* found = member(object, key);
  return found != nullptr && found->is_object() ? *found : k_none;
}

const Json& array_of(const Json& object, std::string_view key) {
  static const Json k_none = Json::array();
  const Json* found = member(object, key);
  return found != nullptr && found->is_array() ? *found : k_none;
}

} // namespace upskill::agent_events
