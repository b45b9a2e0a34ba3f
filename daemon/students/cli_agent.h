#pragma once
#include "daemon/models/curl.h"
#include "daemon/proxy/proxy.h"
#include "daemon/runtime/child_process.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/cli_agents.h"
#include "daemon/students/cli_workspace.h"
#include "daemon/students/student.h"

#include <chrono>
#include <memory>
#include <string>

namespace upskill::students {

struct CliAgentOptions {
  std::string model = {};    // as the agent names it; empty: its own default
  std::string base_url = {}; // of another server, before what the environment says
  // The caller's: keys, base URLs, PATH, proxies. Nothing else of it reaches the agent.
  Environment environment = process_environment();
  // Where it runs; null: with the user's files and network, as the user has said.
  sandbox::Sandbox* sandbox = nullptr;
  // Folders of what was asked and answered: the one that is written, or the one that is read.
  std::string record = {};
  std::string replay = {};
  runtime::Clock::duration limit = std::chrono::minutes(10);     // of one case
  runtime::Clock::duration idle_limit = std::chrono::minutes(5); // without a word
};

// A coding agent that is run as its user would, headless, with the skill in the folder where it
// looks for skills: whether it picks it is measured with all else. Each case has a home, a
// configuration, a temporary folder and a workspace of its own, an environment of what is named in
// its row, and a process group that goes with it. Its model is asked through a proxy, which has the
// key in its place. In a sandbox it reaches nothing else, and sees nothing but its program; without
// one it has the network, and the files that the daemon may read.
// Owner: an evaluation. Thread: that of its executor; files are made on the pool. Lifetime: longer
// than its work.
class CliAgent : public Student {
public:
  // `name` is that of a row with `cli.` before it. Errors: invalid_argument (no such agent, and
  // those of make_cli_call), not_found (its program is not there).
  static Result<std::unique_ptr<CliAgent>>
  open(std::string_view name, runtime::Pool::Share pool, SkillSets skills, CliAgentOptions options);

  std::string_view name() const override { return m_name; }

  // Errors: those of cli_work, of making its folders, and unsupported where it is to run in a
  // sandbox and cannot be told to ask a proxy.
  asio::awaitable<Result<Work>> work(Task task) override;

  // What `--version` prints: its first line.
  asio::awaitable<Result<std::string>> version();

private:
  CliAgent(const CliAgentRow& row,
           std::string program,
           CliCall call,
           runtime::Pool::Share pool,
           SkillSets skills,
           CliAgentOptions options);

  Result<std::shared_ptr<CliWorkspace>> prepare(const Task& task) const;
  Result<void> configure(CliWorkspace& place, const CliCall& call) const;
  // Null where there is none to be had.
  asio::awaitable<Result<std::unique_ptr<proxy::Proxy>>> listen(const CliFolders& folders,
                                                                std::uint32_t sample);
  CliCall call_in(const CliFolders& folders, const proxy::Proxy* proxy) const;
  asio::awaitable<Result<runtime::ChildEnd>>
  run(std::shared_ptr<CliWorkspace> place, CliCall call, runtime::ChildProgram program);
  runtime::ChildProgram program_in(const CliCall& call) const;

  const CliAgentRow& m_row;
  std::string m_name;
  std::string m_program; // its file
  CliCall m_call;        // without folders
  runtime::Pool::Share m_pool;
  SkillSets m_skills;
  CliAgentOptions m_options;
  std::unique_ptr<models::Http> m_http; // of its proxies
};

} // namespace upskill::students
