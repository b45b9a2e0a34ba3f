#pragma once
#include "daemon/sync/scene.h"
#include "protocol/base/paths.h"
#include "protocol/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// What a call says of the scope it means.
struct ScopeWords {
  std::string scope = {};   // `user`, `project` or empty
  std::string project = {}; // as the caller wrote it
  std::string cwd = {};     // of the caller; may be empty
};

// The project's folder as it is known or will be; empty: the user's scope, which the home folder
// is, too. Without words it is the user's. Looks at the disk. Errors: invalid_argument.
Result<std::string>
scope_of(const ScopeWords& words, const SyncSettings& settings, const std::string& home);

// The same where no words mean both: the user's, and the project that the caller is in.
Result<std::vector<std::string>>
scopes_of(const ScopeWords& words, const SyncSettings& settings, const std::string& home);

// How results call it.
std::string scope_name(const std::string& project);

// Errors: invalid_argument for an agent that is not known, or that nothing can be placed for;
// not_found where there is no agent at all.
Result<void> check_agents(const Scene& scene, const std::vector<std::string>& agents);

} // namespace upskill::daemon
