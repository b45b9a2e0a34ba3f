#include "protocol/mcp/tools.h"

#include "protocol/codec/writer.h"
#include "protocol/mcp/output.h"

#include <charconv>

namespace upskill::mcp {
namespace {

// The catalogue only changes with the program, so the time only bounds how long a client goes on
// with the tools of the daemon before an update.
constexpr CacheHint k_tools_cache{300'000, "public"};
constexpr std::string_view k_cursor_prefix = "page-";

void write_annotations(JsonWriter& json, const MethodInfo& method) {
  json.key("annotations");
  json.begin_object();
  json.field("readOnlyHint", method.effect == Effect::reads);
  json.field("destructiveHint", method.effect == Effect::destructive);
  json.field("idempotentHint", method.effect == Effect::reads);
  json.field("openWorldHint", false);
  json.end_object();
}

void write_tool(JsonWriter& json, const MethodInfo& method, Version version) {
  json.begin_object();
  json.field("name", method.name);
  if (has_structured_content(version)) {
    std::string_view title = method.summary;
    if (title.ends_with('.')) {
      title.remove_suffix(1);
    }
    json.field("title", title);
  }
  json.field("description", method.description.empty() ? method.summary : method.description);
  json.raw_field("inputSchema", method.params_schema());
  if (has_structured_content(version)) {
    json.raw_field("outputSchema", method.result_schema());
  }
  if (has_annotations(version)) {
    write_annotations(json, method);
  }
  json.end_object();
}

} // namespace

std::vector<std::string> tool_pages(Version version,
                                    Audience audience,
                                    std::string_view server_meta,
                                    std::size_t tools_per_page) {
  std::vector<const MethodInfo*> shown;
  for (const MethodInfo& method : catalog()) {
    if (audience == Audience::people || method.audience == Audience::agents) {
      shown.push_back(&method);
    }
  }
  std::vector<std::string> pages;
  std::size_t at = 0;
  do {
    std::string& page = pages.emplace_back();
    JsonWriter json(page);
    json.begin_object();
    write_modern_head(json, version);
    json.key("tools");
    json.begin_array();
    for (std::size_t on_page = 0; on_page < tools_per_page && at < shown.size(); ++on_page, ++at) {
      write_tool(json, *shown[at], version);
    }
    json.end_array();
    if (at < shown.size()) {
      json.field("nextCursor", std::string(k_cursor_prefix) + std::to_string(pages.size()));
    }
    write_modern_tail(json, version, server_meta, &k_tools_cache);
    json.end_object();
  } while (at < shown.size());
  return pages;
}

std::optional<std::size_t> page_from_cursor(std::string_view cursor) {
  if (cursor.empty()) {
    return 0;
  }
  if (!cursor.starts_with(k_cursor_prefix)) {
    return std::nullopt;
  }
  cursor.remove_prefix(k_cursor_prefix.size());
  std::size_t page = 0;
  auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), page);
  return error == std::errc() && end == cursor.data() + cursor.size() ? std::optional(page)
                                                                      : std::nullopt;
}

} // namespace upskill::mcp
