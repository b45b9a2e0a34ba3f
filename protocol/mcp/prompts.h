#pragma once
#include "protocol/mcp/answer.h"
#include "protocol/mcp/version.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// The results of prompts/list, one for each page. `server_meta`: see ResultWriter.
std::vector<std::string> prompt_pages(Version version,
                                      const std::vector<Prompt>& prompts,
                                      std::string_view server_meta,
                                      std::size_t prompts_per_page);

} // namespace upskill::mcp
