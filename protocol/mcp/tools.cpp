#include "protocol/mcp/tools.h"

#include "protocol/codec/writer.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/pages.h"

namespace upskill::mcp {
namespace {

// One line without its full stop.
std::string_view title_of(const MethodInfo& method) {
  std::string_view title = method.summary;
  if (title.ends_with('.')) {
    title.remove_suffix(1);
  }
  return title;
}

void write_annotations(JsonWriter& json, const MethodInfo& method) {
  json.key("annotations");
  json.begin_object();
  json.field("title", title_of(method));
  json.field("readOnlyHint", method.effect == Effect::reads);
  json.field("destructiveHint", method.effect == Effect::destructive);
  json.field("idempotentHint", method.effect == Effect::reads);
  json.field("openWorldHint", false);
  json.end_object();
}

void write_tool(JsonWriter& json, const MethodInfo& method, Version version, Audience audience) {
  json.begin_object();
  json.field("name", method.name);
  if (has_structured_content(version)) {
    json.field("title", title_of(method));
  }
  json.field("description", method.description.empty() ? method.summary : method.description);
  bool is_short = audience == Audience::agents && method.tool_schema != nullptr;
  std::string input = is_short ? method.tool_schema() : method.params_schema();
  json.raw_field("inputSchema", input.empty() ? std::string_view(R"({"type":"object"})") : input);
  std::string output = has_structured_content(version) ? method.result_schema() : std::string();
  if (!output.empty()) {
    json.raw_field("outputSchema", output);
  }
  if (has_annotations(version)) {
    write_annotations(json, method);
  }
  json.end_object();
}

} // namespace

std::vector<std::string> tool_pages(Version version,
                                    Audience audience,
                                    std::span<const MethodInfo> more,
                                    std::string_view server_meta,
                                    std::size_t tools_per_page) {
  std::vector<const MethodInfo*> shown;
  for (std::span<const MethodInfo> methods : {catalog(), more}) {
    for (const MethodInfo& method : methods) {
      if (audience == Audience::people || method.audience == Audience::agents) {
        shown.push_back(&method);
      }
    }
  }
  auto write = [&](JsonWriter& json, std::size_t at) {
    write_tool(json, *shown[at], version, audience);
  };
  return pages_of(version, "tools", shown.size(), tools_per_page, server_meta, write);
}

} // namespace upskill::mcp
