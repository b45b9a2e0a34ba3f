#pragma once
#include "daemon/evals/gatherer.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"

#include <string>
#include <vector>

namespace upskill::evals {

// Files of the workspace and commands in it. A student that had no workspace gets one for this: the
// files of its case, and, where the case asks for an `output_file`, its answer as that file.
// Files are looked at first, because commands may change them. A command runs in the sandbox, in
// the workspace, with the answer as its standard input; without a sandbox it does not run, and says
// so.
class WorkspaceGatherer : public Gatherer {
public:
  // `pool` and `sandbox` outlive it. `read_only`: what commands see beside the workspace.
  WorkspaceGatherer(runtime::Pool& pool,
                    sandbox::Sandbox& sandbox,
                    std::vector<sandbox::Mount> read_only = {});

  asio::awaitable<void>
  gather(const eval::Case& one, const eval::Needs& needs, students::Work& work) override;

private:
  asio::awaitable<eval::CommandOutcome>
  run(eval::Needs::Command command, std::string workspace, std::string answer);

  runtime::Pool& m_pool;
  sandbox::Sandbox& m_sandbox;
  std::vector<sandbox::Mount> m_read_only;
};

} // namespace upskill::evals
