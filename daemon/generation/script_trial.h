#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"
#include "skills/generate/draft.h"

#include <map>
#include <string>
#include <vector>

namespace upskill::generation {

// A script that did not end as it should: why.
struct FailedScript {
  std::string path = {};
  std::string why = {};  // `ended with code 2: no such file`
  bool was_tried = true; // false: the sandbox does not work here, whatever the script is

  friend bool operator==(const FailedScript&, const FailedScript&) = default;
};

// Runs each program of a draft once, in the sandbox, in a copy of the skill, without arguments,
// network or input, 20 s at most: it must end with 0, as the prompt for drafts asks. Those that did
// not, in the order of their paths; where the sandbox does not work, all of them. Those that are
// the same in `known` are not run.
asio::awaitable<std::vector<FailedScript>>
try_scripts(runtime::Pool& pool,
            sandbox::Sandbox& sandbox,
            generate::Draft draft,
            const std::map<std::string, generate::DraftFile>& known);

} // namespace upskill::generation
