#include "protocol/mcp/capabilities.h"

#include "protocol/codec/writer.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"

namespace upskill::mcp {
namespace {

using Value = rpc::JsonScanner::Value;

// Calls on_member(key, value) for each member that is not null, which MCP's senders mean as absent;
// false when `json` is not an object.
template <class OnMember> bool each_member(std::string_view json, OnMember&& on_member) {
  rpc::JsonScanner scanner(json);
  if (scanner.peek() != JsonKind::object) {
    return false;
  }
  scanner.members([&](std::string_view literal) {
    Value value = scanner.value();
    if (value.kind != JsonKind::null) {
      on_member(rpc::string_value(literal), value);
    }
  });
  return scanner.fault() == rpc::JsonScanner::Fault::none;
}

// Each of the named members must be an object; `has[i]` says whether the i-th is there.
template <std::size_t count>
bool read_objects(std::string_view json,
                  const std::array<std::string_view, count>& names,
                  std::array<std::string_view, count>& found) {
  bool is_well_formed = true;
  bool is_object = each_member(json, [&](std::string_view key, const Value& value) {
    for (std::size_t i = 0; i < count; ++i) {
      if (key == names[i]) {
        is_well_formed = is_well_formed && value.kind == JsonKind::object && found[i].empty();
        found[i] = value.raw;
      }
    }
  });
  return is_object && is_well_formed;
}

// A text member of an object that is ours.
std::string text_of(std::string_view json, std::string_view name) {
  std::string text;
  each_member(json, [&](std::string_view key, const Value& value) {
    if (key == name && value.kind == JsonKind::string) {
      text = rpc::string_value(value.raw);
    }
  });
  return text;
}

bool has_member(std::string_view json, std::string_view name) {
  bool found = false;
  each_member(json, [&](std::string_view key, const Value&) { found = found || key == name; });
  return found;
}

} // namespace

std::optional<ClientCapabilities> read_capabilities(std::string_view json, Version version) {
  ClientCapabilities client;
  std::array<std::string_view, 4> members{};
  if (!read_objects<4>(json, {"elicitation", "sampling", "roots", "extensions"}, members)) {
    return std::nullopt;
  }
  const auto& [elicitation, sampling, roots, extensions] = members;
  if (!elicitation.empty()) {
    std::array<std::string_view, 2> modes{};
    if (!read_objects<2>(elicitation, {"form", "url"}, modes)) {
      return std::nullopt;
    }
    // `{}` is what clients said before there were modes.
    client.form = has_elicitation(version) && (!modes[0].empty() || modes[1].empty());
    client.url = has_pages_to_visit(version) && !modes[1].empty();
  }
  if (!sampling.empty()) {
    std::array<std::string_view, 1> with{};
    if (!read_objects<1>(sampling, {"tools"}, with)) {
      return std::nullopt;
    }
    client.sampling = true;
    client.sampling_tools = has_pages_to_visit(version) && !with[0].empty();
  }
  client.roots = !roots.empty();
  if (!extensions.empty()) {
    std::array<std::string_view, 1> known{};
    if (!read_objects<1>(extensions, {k_tasks_extension}, known)) {
      return std::nullopt;
    }
    client.tasks = is_modern(version) && !known[0].empty();
  }
  return client;
}

std::string missing_for(const InputRequired& required, const ClientCapabilities& client) {
  bool form = false;
  bool url = false;
  bool sampling = false;
  bool sampling_tools = false;
  bool roots = false;
  for (const InputRequest& request : required.requests) {
    switch (request.kind) {
    case InputKind::elicitation:
      if (text_of(request.params, "mode") == "url") {
        url = url || !client.url;
      } else {
        form = form || !client.form;
      }
      break;
    case InputKind::sampling:
      sampling = sampling || !client.sampling;
      sampling_tools =
          sampling_tools || (has_member(request.params, "tools") && !client.sampling_tools);
      break;
    case InputKind::roots:
      roots = roots || !client.roots;
    }
  }
  if (!form && !url && !sampling && !sampling_tools && !roots) {
    return {};
  }
  std::string missing;
  JsonWriter json(missing);
  json.begin_object();
  if (form || url) {
    json.key("elicitation");
    json.begin_object();
    if (form) {
      json.raw_field("form", "{}");
    }
    if (url) {
      json.raw_field("url", "{}");
    }
    json.end_object();
  }
  if (sampling || sampling_tools) {
    json.raw_field("sampling", sampling_tools ? R"({"tools":{}})" : "{}");
  }
  if (roots) {
    json.raw_field("roots", "{}");
  }
  json.end_object();
  return missing;
}

} // namespace upskill::mcp
