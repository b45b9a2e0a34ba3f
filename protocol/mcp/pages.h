#pragma once
#include "protocol/codec/writer.h"
#include "protocol/mcp/version.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Lists that are the same for everybody, written once.
namespace upskill::mcp {

// The results of a list request, one for each page, of which there is at least one. `name` is the
// list's member, write(json, i) writes its i-th entry; `server_meta`: see ResultWriter.
std::vector<std::string> pages_of(Version version,
                                  std::string_view name,
                                  std::size_t count,
                                  std::size_t per_page,
                                  std::string_view server_meta,
                                  const std::function<void(JsonWriter&, std::size_t)>& write);

// The page that a cursor means; nothing when it is none of ours. "" means the first.
std::optional<std::size_t> page_from_cursor(std::string_view cursor);

} // namespace upskill::mcp
