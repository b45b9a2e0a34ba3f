#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/version.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// The results of tools/list, one for each page. `server_meta`: see ResultWriter.
std::vector<std::string> tool_pages(Version version,
                                    Audience audience,
                                    std::string_view server_meta,
                                    std::size_t tools_per_page);

// The page that a cursor means; nothing when it is none of ours. "" means the first.
std::optional<std::size_t> page_from_cursor(std::string_view cursor);

} // namespace upskill::mcp
