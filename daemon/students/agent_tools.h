#pragma once
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/timers.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/student.h"
#include "daemon/students/workspace_folder.h"
#include "protocol/base/result.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::students {

// A skill's document as a student with tools names it. A skill whose name is no plain name of a
// folder is called `skill-N`, by its place in the list.
std::string skill_location(const std::vector<OfferedSkill>& skills, std::size_t number);

// The tools of one student at one task: files below the workspace, files of the skills that are
// offered, and commands in the sandbox. What the model gets wrong is told to the model.
// Owner: a task. Thread: that of the executor only. Lifetime: the task; `skills` and the rest
// outlive it.
class AgentTools {
public:
  struct Context {
    runtime::Pool& pool;
    sandbox::Sandbox& sandbox;
    runtime::Clock::duration run_limit;
  };

  AgentTools(Context context,
             std::shared_ptr<WorkspaceFolder> workspace,
             const std::vector<OfferedSkill>& skills);

  // What every student is offered, in both arms.
  static std::vector<models::Tool> offered();

  // What the tool says. An error is nobody's failure: there is no sandbox.
  asio::awaitable<Result<models::ToolResult>> use(models::ToolCall call);

  // By name: tools that were called, and skills whose document was read or whose files were run.
  const std::set<std::string>& tools_used() const { return m_tools_used; }

  const std::set<std::string>& skills_used() const { return m_skills_used; }

private:
  // Where a path of the model's leads.
  struct Place {
    const OfferedSkill* skill = nullptr; // null: the workspace
    std::string path = {};               // below it
  };

  Result<Place> place_of(std::string_view path) const;
  Result<std::string> read(const std::string& path);
  Result<std::string> write(const std::string& path, const std::string& content);
  Result<std::string> list(const std::string& path);
  asio::awaitable<Result<models::ToolResult>> run(models::ToolResult result, std::string command);
  void note_skills(const std::string& command, const std::string& output);

  Context m_context;
  std::shared_ptr<WorkspaceFolder> m_workspace;
  const std::vector<OfferedSkill>& m_skills;
  std::set<std::string> m_tools_used = {};
  std::set<std::string> m_skills_used = {};
};

} // namespace upskill::students
