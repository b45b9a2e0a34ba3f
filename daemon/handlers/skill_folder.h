#pragma once
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <string>
#include <string_view>

namespace upskill::daemon {

// A folder of a skill as a host asks for it.
struct FolderRequest {
  int skill = -1;          // the skill's folder, open
  std::string prefix = {}; // skill_prefix() of the skill
  std::string folder = {}; // empty: the skill itself
  std::string cursor = {};
};

// Its direct children by address, a page of them: files as resources/list would show them, and
// folders. What can have no address is left out. Runs on the pool. Errors: not_found for what is no
// folder of the skill, invalid_argument for a cursor that is none of ours, too_large beyond
// k_max_skill_entries.
Result<mcp::DirectoryPage> read_skill_folder(const FolderRequest& request);

} // namespace upskill::daemon
