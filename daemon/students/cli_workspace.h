#pragma once
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/students/cli_agents.h"
#include "daemon/students/student.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace upskill::students {

// The folders of one run of an agent, which nobody else may enter. Whoever holds it last removes
// all of it. Making and emptying block.
class CliWorkspace : public Workspace {
public:
  // A home with nothing but a name for git, the files of the task, and the skills in the folder of
  // the workspace that is named, each by its name and without what it is graded by.
  // `pool` outlives it, and removes it: what an agent left there may take long.
  static Result<std::shared_ptr<CliWorkspace>> make(runtime::Pool& pool,
                                                    const Task& task,
                                                    const std::vector<OfferedSkill>& skills,
                                                    std::string_view skills_folder);
  ~CliWorkspace() override;

  const std::string& folder() const override { return m_folders.workspace; }

  const CliFolders& folders() const { return m_folders; }

  // A file below the folder of the run: `config/..`, `home/..`.
  Result<void> write(std::string_view path, std::string_view bytes);
  Result<std::string> read(std::string_view path, std::size_t limit) const;
  // Removes all but the workspace: what the agent left in its home is nobody's.
  void forget_agent();

private:
  CliWorkspace(runtime::Pool& pool, sandbox::PrivateFolder root);

  runtime::Pool& m_pool;
  sandbox::PrivateFolder m_root;
  CliFolders m_folders;
};

} // namespace upskill::students
