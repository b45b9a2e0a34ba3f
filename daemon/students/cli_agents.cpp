#include "daemon/students/cli_agents.h"

#include "daemon/models/model_name.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace upskill::students {
namespace {

using Json = nlohmann::json;
using Files = std::map<std::string, std::string>;

constexpr std::string_view k_prefix = "cli.";
constexpr std::size_t k_max_model = 200; // bytes
// Agents want a key even for a server that asks for none. Long, because Copilot hides the key's
// text wherever it occurs in its output.
constexpr std::string_view k_no_key = "upskill-without-a-key";

constexpr std::string_view k_this_machine = "127.0.0.1,localhost,::1";

// What every agent is handed on.
constexpr std::array<std::string_view, 10> k_handed_on{"HTTP_PROXY",
                                                       "HTTPS_PROXY",
                                                       "ALL_PROXY",
                                                       "NO_PROXY",
                                                       "http_proxy",
                                                       "https_proxy",
                                                       "all_proxy",
                                                       "no_proxy",
                                                       "SSL_CERT_FILE",
                                                       "NODE_EXTRA_CA_CERTS"};

std::string dump(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// TOML's basic strings are JSON's.
std::string in_toml(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

Files codex_files(const CliCall& call) {
  std::string text = "approval_policy = \"never\"\n";
  if (!call.model.empty()) {
    text += "model = " + in_toml(call.model) + "\n";
  }
  // A provider of our own also takes a key without a login.
  std::string url = call.base_url.empty() ? "https://api.openai.com/v1" : call.base_url;
  text += "model_provider = \"upskill\"\n\n[model_providers.upskill]\nname = \"upskill\"\n"
          "env_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\nbase_url = "
          + in_toml(url) + "\n";
  return {{"config/config.toml", text}};
}

Files gemini_files(const CliCall&) {
  Json settings = {{"security", {{"auth", {{"selectedType", "gemini-api-key"}}}}},
                   {"privacy", {{"usageStatisticsEnabled", false}}},
                   {"telemetry", {{"enabled", false}}},
                   {"general", {{"enableAutoUpdate", false}}}};
  return {{"home/.gemini/settings.json", dump(settings)}};
}

// A server of another address is a provider of its own, with the one model that is asked for.
Files opencode_files(const CliCall& call) {
  Json config = {{"autoupdate", false}, {"share", "disabled"}};
  if (!call.base_url.empty()) {
    config["provider"]["upskill"] = {
        {"npm", "@ai-sdk/openai-compatible"},
        {"name", "upskill"},
        {"options", {{"baseURL", call.base_url}, {"apiKey", "{env:UPSKILL_STUDENT_KEY}"}}},
        {"models", {{call.model, {{"name", call.model}, {"tool_call", true}}}}}};
    config["model"] = "upskill/" + call.model;
    config["small_model"] = "upskill/" + call.model;
  }
  return {{"config/opencode.json", dump(config)}};
}

// Facts with their sources: skills/agent_events/README.md names the versions they were tried with.
std::vector<CliAgentRow> make_rows() {
  using agent_events::Agent;
  std::vector<CliAgentRow> rows;
  rows.push_back({
      .name = "claude-code",
      .program = "claude",
      .install = "npm install -g @anthropic-ai/claude-code",
      .events = Agent::claude_code,
      // Without the user's own settings; `-p` without a text reads its input.
      .argv = {"-p",
               "--output-format",
               "stream-json",
               "--verbose",
               "--setting-sources",
               "project",
               "--strict-mcp-config",
               "--no-session-persistence",
               "--permission-mode",
               "dontAsk",
               "--allowedTools",
               "Skill Read Glob Grep Write Edit NotebookEdit Bash Task Agent TodoWrite"},
      .model_argv = {"--model", "{model}"},
      // Ten tries, as it has them, take minutes to say that a key is wrong.
      .environment = {"CLAUDE_CONFIG_DIR={config}",
                      "DISABLE_AUTOUPDATER=1",
                      "DISABLE_TELEMETRY=1",
                      "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
                      "CLAUDE_CODE_MAX_RETRIES=4",
                      "IS_SANDBOX=1"},
      .url_environment = {"ANTHROPIC_BASE_URL={url}"},
      .servers = {{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"}},
      .server_key = "ANTHROPIC_API_KEY",
      .upstream = "https://api.anthropic.com",
      .keys = {"ANTHROPIC_API_KEY"},
      .skills = ".claude/skills",
  });
  rows.push_back({
      .name = "codex",
      .program = "codex",
      .install = "npm install -g @openai/codex",
      .events = Agent::codex,
      .argv = {"exec",
               "--json",
               "--skip-git-repo-check",
               "--ephemeral",
               "-s",
               "{confinement}",
               "-C",
               "{workspace}"},
      .model_argv = {"-m", "{model}"},
      .environment = {"CODEX_HOME={config}"},
      .servers = {{"OPENAI_BASE_URL", "OPENAI_API_KEY"}, {"OPENAI_API_BASE", "OPENAI_API_KEY"}},
      .server_key = "OPENAI_API_KEY",
      .upstream = "https://api.openai.com/v1",
      .keys = {"OPENAI_API_KEY"},
      .skills = ".agents/skills",
      .files = codex_files,
  });
  rows.push_back({
      .name = "gemini",
      .program = "gemini",
      .install = "npm install -g @google/gemini-cli",
      .events = Agent::gemini,
      .argv = {"-o", "stream-json", "--skip-trust", "--approval-mode", "yolo"},
      .model_argv = {"-m", "{model}"},
      .environment = {"GEMINI_CLI_TRUST_WORKSPACE=true"},
      .url_environment = {"GOOGLE_GEMINI_BASE_URL={url}"},
      .servers = {{"GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"}},
      .server_key = "GEMINI_API_KEY",
      .upstream = "https://generativelanguage.googleapis.com",
      .keys = {"GEMINI_API_KEY"},
      .skills = ".gemini/skills",
      .files = gemini_files,
  });
  rows.push_back({
      .name = "opencode",
      .program = "opencode",
      .install = "npm install -g opencode-ai",
      .events = Agent::opencode,
      .argv = {"run", "--format", "json", "--dir", "{workspace}", "--auto"},
      .model_argv = {"-m", "{model}"},
      .environment = {"OPENCODE_CONFIG={config}/opencode.json",
                      "OPENCODE_DISABLE_AUTOUPDATE=1",
                      "OPENCODE_DISABLE_MODELS_FETCH=1",
                      "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
      .servers = {{"GENERIC_BASE_URL", "GENERIC_API_KEY"},
                  {"OPENAI_BASE_URL", "OPENAI_API_KEY"},
                  {"OPENAI_API_BASE", "OPENAI_API_KEY"}},
      .server_key = "UPSKILL_STUDENT_KEY",
      .keys = {"ANTHROPIC_API_KEY", "OPENAI_API_KEY"},
      .skills = ".opencode/skills",
      .files = opencode_files,
      .needs_model_with_url = true,
  });
  rows.push_back({
      .name = "copilot",
      .program = "copilot",
      .install = "npm install -g @github/copilot",
      .events = Agent::copilot,
      .argv = {"--allow-all-tools",
               "--no-ask-user",
               "--no-auto-update",
               "--output-format",
               "json",
               "--usage-output-file",
               "{config}/usage.json"},
      .model_argv = {"--model", "{model}"},
      .environment = {"COPILOT_HOME={config}"},
      .url_environment = {"COPILOT_PROVIDER_BASE_URL={url}",
                          "COPILOT_MODEL={model}",
                          "COPILOT_OFFLINE=true"},
      .servers = {{"GENERIC_BASE_URL", "GENERIC_API_KEY"},
                  {"OPENAI_BASE_URL", "OPENAI_API_KEY"},
                  {"OPENAI_API_BASE", "OPENAI_API_KEY"}},
      .server_key = "COPILOT_PROVIDER_API_KEY",
      .keys = {"COPILOT_GITHUB_TOKEN"},
      .skills = ".github/skills",
      .usage_file = "config/usage.json",
      .needs_model_with_url = true,
  });
  rows.push_back({
      .name = "cursor",
      .program = "cursor-agent",
      .install = "curl https://cursor.com/install -fsS | bash",
      .events = Agent::cursor,
      .argv = {"-p", "--output-format", "stream-json", "--force"},
      .model_argv = {"--model", "{model}"},
      .keys = {"CURSOR_API_KEY"},
      .skills = ".cursor/skills",
      .is_prompt_argument = true,
  });
  return rows;
}

std::string filled(std::string_view pattern, const CliCall& call) {
  // A sandbox within one of ours cannot be made, and Codex runs nothing without.
  const std::string confinement = call.is_enclosed ? "danger-full-access" : "workspace-write";
  const std::array<std::pair<std::string_view, const std::string*>, 6> values{
      {{"{confinement}", &confinement},
       {"{model}", &call.model},
       {"{url}", &call.base_url},
       {"{home}", &call.folders.home},
       {"{config}", &call.folders.config},
       {"{workspace}", &call.folders.workspace}}};
  std::string text;
  while (!pattern.empty()) {
    auto found = std::ranges::find_if(
        values, [&](const auto& value) { return pattern.starts_with(value.first); });
    if (found != values.end()) {
      text += *found->second;
      pattern.remove_prefix(found->first.size());
    } else {
      text += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return text;
}

std::string value_of(std::string_view name, const Environment& environment) {
  return environment(name).value_or("");
}

// Which server is asked, and with which keys.
void choose_server(const CliAgentRow& row,
                   const std::string& base_url,
                   const Environment& environment,
                   CliCall& call) {
  std::string key = base_url.empty() ? "" : value_of("GENERIC_API_KEY", environment);
  call.base_url = base_url;
  for (const CliServer& server : row.servers) {
    if (call.base_url.empty()) {
      call.base_url = value_of(server.url_variable, environment);
      key = value_of(server.key_variable, environment);
    }
  }
  if (!call.base_url.empty()) {
    if (key.empty() && models::is_loopback(call.base_url)) {
      key = k_no_key;
    }
    if (!key.empty()) {
      call.keys.emplace(row.server_key, key);
    }
    return;
  }
  for (std::string_view name : row.keys) {
    if (std::string own = value_of(name, environment); !own.empty()) {
      call.keys.emplace(name, own);
    }
  }
}

bool is_plain(std::string_view text) {
  return is_utf8(text) && std::ranges::none_of(text, [](unsigned char c) { return c < 0x20; });
}

} // namespace

const std::vector<CliAgentRow>& cli_agents() {
  static const std::vector<CliAgentRow> k_rows = make_rows();
  return k_rows;
}

const CliAgentRow* find_cli_agent(std::string_view name) {
  if (!name.starts_with(k_prefix)) {
    return nullptr;
  }
  name.remove_prefix(k_prefix.size());
  auto found = std::ranges::find(cli_agents(), name, &CliAgentRow::name);
  return found == cli_agents().end() ? nullptr : &*found;
}

Result<CliCall> make_cli_call(const CliAgentRow& row,
                              const std::string& model,
                              const std::string& base_url,
                              const Environment& environment) {
  const std::string who = "`cli." + std::string(row.name) + "`";
  CliCall call;
  call.model = model;
  choose_server(row, base_url, environment, call);
  // It would be an option where it begins like one.
  if (model.size() > k_max_model || model.starts_with('-') || !is_plain(model)) {
    return fail(ErrorCode::invalid_argument, who + " cannot be given this name of a model");
  }
  if (!is_plain(call.base_url)
      || !std::ranges::all_of(call.keys, [](const auto& key) { return is_plain(key.second); })) {
    return fail(ErrorCode::invalid_argument,
                who + " cannot be given this address or key: it has control characters");
  }
  if (!base_url.empty() && row.servers.empty()) {
    return fail(ErrorCode::unsupported, who + " cannot be pointed at another server");
  }
  if (!call.base_url.empty() && row.needs_model_with_url && model.empty()) {
    return fail(ErrorCode::invalid_argument,
                who + " needs the name of the model that the server at its base URL has",
                "`--model NAME`");
  }
  return call;
}

std::string program_path(const Environment& environment) {
  std::string path = value_of("PATH", environment);
  path = path.empty() ? value_of("PATH", process_environment()) : path;
  return path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path;
}

std::vector<std::string> cli_argv(const CliAgentRow& row, const CliCall& call) {
  std::vector<std::string> argv{std::string(row.program)};
  for (std::string_view pattern : row.argv) {
    argv.push_back(filled(pattern, call));
  }
  CliCall named = call;
  if (row.events == agent_events::Agent::opencode && !call.base_url.empty()) {
    named.model = "upskill/" + call.model; // the provider of opencode_files
  }
  if (!call.model.empty()) {
    for (std::string_view pattern : row.model_argv) {
      argv.push_back(filled(pattern, named));
    }
  }
  return argv;
}

std::vector<std::string>
cli_environment(const CliAgentRow& row, const CliCall& call, const Environment& environment) {
  const CliFolders& folders = call.folders;
  std::vector<std::string> all{"HOME=" + folders.home,
                               "TMPDIR=" + folders.temporary,
                               "XDG_CONFIG_HOME=" + folders.home + "/.config",
                               "XDG_DATA_HOME=" + folders.home + "/.local/share",
                               "XDG_STATE_HOME=" + folders.home + "/.local/state",
                               "XDG_CACHE_HOME=" + folders.home + "/.cache",
                               "PATH=" + program_path(environment),
                               "LANG=C.UTF-8",
                               "TERM=dumb",
                               "NO_COLOR=1"};
  for (std::string_view name : k_handed_on) {
    if (call.is_enclosed) {
      break; // nothing of them can be reached
    }
    std::string value = value_of(name, environment);
    // What is on this machine no proxy can reach.
    if ((name == "NO_PROXY" || name == "no_proxy") && models::is_loopback(call.base_url)) {
      value += (value.empty() ? "" : ",") + std::string(k_this_machine);
    }
    if (!value.empty()) {
      all.push_back(std::string(name) + "=" + value);
    }
  }
  for (std::string_view pattern : row.environment) {
    all.push_back(filled(pattern, call));
  }
  if (!call.base_url.empty()) {
    for (std::string_view pattern : row.url_environment) {
      all.push_back(filled(pattern, call));
    }
  }
  for (const auto& [name, value] : call.keys) {
    all.push_back(name + "=" + value);
  }
  return all;
}

} // namespace upskill::students
