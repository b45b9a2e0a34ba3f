#include "protocol/mcp/pages.h"

#include "protocol/mcp/output.h"

#include <charconv>

namespace upskill::mcp {
namespace {

// These lists only change with the program, so the time only bounds how long a client goes on with
// those of the daemon before an update.
constexpr CacheHint k_cache{300'000, "public"};
constexpr std::string_view k_cursor_prefix = "page-";

} // namespace

std::vector<std::string> pages_of(Version version,
                                  std::string_view name,
                                  std::size_t count,
                                  std::size_t per_page,
                                  std::string_view server_meta,
                                  const std::function<void(JsonWriter&, std::size_t)>& write) {
  std::vector<std::string> pages;
  std::size_t at = 0;
  do {
    std::string& page = pages.emplace_back();
    JsonWriter json(page);
    json.begin_object();
    write_modern_head(json, version);
    json.key(name);
    json.begin_array();
    for (std::size_t on_page = 0; on_page < per_page && at < count; ++on_page, ++at) {
      write(json, at);
    }
    json.end_array();
    if (at < count) {
      json.field("nextCursor", std::string(k_cursor_prefix) + std::to_string(pages.size()));
    }
    write_modern_tail(json, version, server_meta, &k_cache);
    json.end_object();
  } while (at < count);
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
