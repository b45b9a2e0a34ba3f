#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "skills/agent_events/agent_run.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::students {

// The folders of one run of an agent: all of them its own.
struct CliFolders {
  std::string home = {};
  std::string config = {};    // the agent's own
  std::string temporary = {}; // TMPDIR
  std::string workspace = {}; // where it works
};

// What a run is told beside its prompt.
struct CliCall {
  std::string model = {};                       // as the agent names it; empty: its default
  std::string base_url = {};                    // of another server; empty: the agent's own
  std::map<std::string, std::string> keys = {}; // by the variables that give them to the agent
  CliFolders folders = {};
  bool is_enclosed = false; // in a sandbox of ours, in which an agent cannot have one of its own
};

// Where the caller's environment names another server, and the key that is that server's.
struct CliServer {
  std::string_view url_variable = {};
  std::string_view key_variable = {};
};

// How one agent is started. Texts hold `{model}`, `{url}`, `{home}`, `{config}`, `{workspace}` for
// members of the call, and `{confinement}` for how far Codex confines what it runs.
struct CliAgentRow {
  std::string_view name = {};    // `cli.` and this
  std::string_view program = {}; // in the PATH
  std::string_view install = {}; // the command that brings it
  agent_events::Agent events = {};
  std::vector<std::string_view> argv = {};            // after the program
  std::vector<std::string_view> model_argv = {};      // more, where a model is named
  std::vector<std::string_view> environment = {};     // `NAME=value`
  std::vector<std::string_view> url_environment = {}; // more, where there is another server
  std::vector<CliServer> servers = {};                // other ones; the first that is named
  std::string_view server_key = {}; // the variable that gives the agent such a one's key
  std::string_view upstream = {};   // base URL of its own server, where it can be told another
  std::vector<std::string_view> keys = {}; // of its own server: handed on as they are
  std::string_view skills = {};            // folder of the workspace
  std::string_view usage_file = {};        // that it writes; empty: none
  // The files of its configuration by their path in the folder of a run (`home/..`, `config/..`).
  std::map<std::string, std::string> (*files)(const CliCall& call) = nullptr;
  bool needs_model_with_url = false;
  bool is_prompt_argument = false; // the last one, in place of its input
};

const std::vector<CliAgentRow>& cli_agents();
// Null where there is none; `name` with `cli.` before it.
const CliAgentRow* find_cli_agent(std::string_view name);

// The call of a row: which server, and its key, out of the caller's environment. A key goes to the
// server that it is meant for: an address that is given by itself gets `GENERIC_API_KEY`, and one
// of this machine is asked without a key too. Errors: invalid_argument, unsupported where it cannot
// be.
Result<CliCall> make_cli_call(const CliAgentRow& row,
                              const std::string& model,
                              const std::string& base_url,
                              const Environment& environment);

// The PATH of the caller, or ours.
std::string program_path(const Environment& environment);

// The whole command, and the whole environment: nothing else is handed on but PATH, and, where
// there is a network, proxies and where certificates lie.
std::vector<std::string> cli_argv(const CliAgentRow& row, const CliCall& call);
std::vector<std::string>
cli_environment(const CliAgentRow& row, const CliCall& call, const Environment& environment);

} // namespace upskill::students
