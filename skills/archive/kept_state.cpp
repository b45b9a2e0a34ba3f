#include "skills/archive/kept_state.h"

#include <nlohmann/json.hpp>

namespace upskill::archive {
namespace {

using nlohmann::json;

json to_json(const Imprint& imprint) {
  return {{"offset", imprint.offset}, {"size", imprint.size}, {"digest", imprint.digest}};
}

bool is_count(const json& object, const char* key) {
  return object.contains(key) && object[key].is_number_unsigned();
}

bool is_text(const json& object, const char* key) {
  return object.contains(key) && object[key].is_string();
}

bool from_json(const json& object, const char* key, Imprint& imprint) {
  if (!object.contains(key) || !object[key].is_object()) {
    return false;
  }
  const json& member = object[key];
  if (!is_count(member, "offset") || !is_count(member, "size") || !is_text(member, "digest")) {
    return false;
  }
  imprint = {member["offset"].get<std::uint64_t>(),
             member["size"].get<std::uint64_t>(),
             member["digest"].get<std::string>()};
  return true;
}

} // namespace

std::string write_state(const KeptState& state) {
  json object{{"head", to_json(state.head)},
              {"tail", to_json(state.tail)},
              {"changed_ms", state.changed_ms},
              {"summary", state.summary}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<KeptState> read_state(std::string_view text) {
  json object = json::parse(text, nullptr, false);
  KeptState state;
  if (!object.is_object() || !from_json(object, "head", state.head)
      || !from_json(object, "tail", state.tail) || !is_text(object, "summary")
      || !object.contains("changed_ms") || !object["changed_ms"].is_number_integer()) {
    return fail(ErrorCode::corrupt, "what was remembered of a session's file cannot be read");
  }
  state.changed_ms = object["changed_ms"].get<std::int64_t>();
  state.summary = object["summary"].get<std::string>();
  return state;
}

} // namespace upskill::archive
