#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/version.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// The results of tools/list, one for each page: the catalogue's, then `more`. `server_meta`: see
// ResultWriter.
std::vector<std::string> tool_pages(Version version,
                                    Audience audience,
                                    std::span<const MethodInfo> more,
                                    std::string_view server_meta,
                                    std::size_t tools_per_page);

} // namespace upskill::mcp
