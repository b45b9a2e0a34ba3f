#include "skills/agent_config/connections.h"
#include "skills/agents/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace upskill;
using namespace upskill::agent_config;

namespace {

agents::Setting setting_with(std::set<std::string> files,
                             std::map<std::string, std::string, std::less<>> variables = {}) {
  agents::Setting setting;
  setting.places.home = "/home/ada";
  setting.places.config_home = "/home/ada/.config";
  setting.environment = [variables](std::string_view name) -> std::optional<std::string> {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  setting.probe.exists = [files](const std::string& path) { return files.contains(path); };
  setting.probe.is_program = setting.probe.exists;
  setting.probe.read = [](const std::string&) { return std::nullopt; };
  setting.project = "/p";
  return setting;
}

std::vector<Connection> built_in() {
  Result<std::vector<Connection>> known = read_connections("");
  REQUIRE(known);
  return *known;
}

Connection connection(std::string_view id) {
  std::vector<Connection> known = built_in();
  auto found = std::ranges::find(known, id, &Connection::id);
  REQUIRE(found != known.end());
  return *found;
}

// What a target makes of an empty file.
std::string written(const Target& target, std::string_view program = "/u/upskill") {
  std::string text;
  for (const Wanted& one : wanted_entries(target, program)) {
    Result<PutResult> put = put_entry(one.form, text, one.place, one.value);
    REQUIRE(put);
    REQUIRE(put->outcome == PutOutcome::added);
    text = put->text;
  }
  return text;
}

std::string place(const Target& target, Scope scope, const agents::Setting& setting) {
  return file_of(target, scope, setting).value_or("none");
}

} // namespace

TEST_SUITE("read_connections") {
  TEST_CASE("the built-in ones") {
    std::vector<std::string> ids;
    for (const Connection& one : built_in()) {
      ids.push_back(one.id);
    }
    CHECK(ids
          == std::vector<std::string>{"claude-code",
                                      "codex",
                                      "cursor",
                                      "gemini-cli",
                                      "github-copilot",
                                      "opencode",
                                      "vscode"});
  }

  TEST_CASE("what was not run with the program is told apart") {
    for (const Connection& one : built_in()) {
      CAPTURE(one.id);
      CHECK(one.is_tried == (one.id != "cursor" && one.id != "vscode"));
    }
    Result<std::vector<Connection>> known = read_connections(R"({"agents": [
      {"id": "x", "title": "X", "setup": [{"mcp": {"user": "~/x/y", "at": ["a"], "entry": {"b": 1}}}]}]})");
    REQUIRE(known);
    CHECK_FALSE(std::ranges::find(*known, "x", &Connection::id)->is_tried);
  }

  TEST_CASE("a user's rows add an agent, and replace what is known of one") {
    Result<std::vector<Connection>> known = read_connections(R"({"agents": [
      {"id": "cursor", "setup": []},
      {"id": "zed", "title": "Zed", "setup": [{"title": "Zed", "mcp": {
        "user": "$XDG_CONFIG_HOME/zed/settings.json", "at": ["context_servers"],
        "entry": {"command": "{upskill}"}}}]}]})");
    REQUIRE(known);
    CHECK(std::ranges::find(*known, "cursor", &Connection::id) == known->end());
    auto zed = std::ranges::find(*known, "zed", &Connection::id);
    REQUIRE(zed != known->end());
    CHECK(written(zed->mcp)
          == "{\n  \"context_servers\": {\n    \"upskill\": {\n      \"command\": "
             "\"/u/upskill\"\n    }\n  }\n}\n");
  }

  TEST_CASE("a row that is wrong is told") {
    auto message = [](std::string_view setup) {
      auto known =
          read_connections(R"({"agents": [{"id": "x", "setup": )" + std::string(setup) + "}]}");
      return known ? "none" : known.error().message;
    };
    std::string who = "`the user's agents.json`, agent `x`: ";
    CHECK(message("1") == who + "`setup` must be a list");
    CHECK(message(R"([{"mcp": {"user": "~", "at": ["a"], "entry": {"b": 1}}}])") != "none");
    CHECK(message(R"([{"mcp": {"user": "~/../x/y", "at": ["a"], "entry": {"b": 1}}}])") != "none");
    CHECK(message(R"([{"mcp": {"user": "~/x/y"}}])") == who + "`mcp` must have `at` and `entry`");
    CHECK(
        message(R"([{"known_by": "me", "mcp": {"user": "~/x/y", "at": ["a"], "entry": {"b": 1}}}])")
        == who + "`known_by` must be `run`, `docs` or `reported`");
    CHECK(message(R"([{"shell": "rm"}])") == who + "`setup.shell` is not known");
    CHECK(read_connections("[").error().message
          == "`the user's agents.json` is no table of agents");
  }
}

TEST_SUITE("where files lie") {
  TEST_CASE("the user's and a project's") {
    agents::Setting nothing = setting_with({});
    CHECK(place(connection("claude-code").mcp, Scope::user, nothing) == "/home/ada/.claude.json");
    CHECK(place(connection("claude-code").mcp, Scope::project, nothing) == "/p/.mcp.json");
    CHECK(place(connection("codex").mcp, Scope::user, nothing) == "/home/ada/.codex/config.toml");
    CHECK(place(connection("codex").mcp, Scope::project, nothing) == "/p/.codex/config.toml");
    CHECK(place(connection("cursor").mcp, Scope::user, nothing) == "/home/ada/.cursor/mcp.json");
    CHECK(place(connection("gemini-cli").mcp, Scope::project, nothing)
          == "/p/.gemini/settings.json");
    CHECK(place(connection("github-copilot").mcp, Scope::user, nothing)
          == "/home/ada/.copilot/mcp-config.json");
    CHECK(place(connection("github-copilot").mcp, Scope::project, nothing) == "none");
    CHECK(place(connection("vscode").mcp, Scope::user, nothing)
          == "/home/ada/.config/Code/User/mcp.json");
    CHECK(place(connection("vscode").mcp, Scope::project, nothing) == "/p/.vscode/mcp.json");
    CHECK(place(connection("opencode").hooks, Scope::user, nothing) == "none");
  }

  TEST_CASE("the one that exists, and where a variable says") {
    const Target& opencode = connection("opencode").mcp;
    std::string jsonc = "/home/ada/.config/opencode/opencode.jsonc";
    CHECK(place(opencode, Scope::user, setting_with({jsonc})) == jsonc);
    CHECK(place(opencode, Scope::user, setting_with({}))
          == "/home/ada/.config/opencode/opencode.json");
    agents::Setting told = setting_with({"/home/ada/.claude.json"}, {{"CLAUDE_CONFIG_DIR", "/c"}});
    CHECK(place(connection("claude-code").mcp, Scope::user, told) == "/c/.claude.json");
    CHECK(place(connection("claude-code").hooks, Scope::user, told) == "/c/settings.json");
  }
}

TEST_SUITE("what is written") {
  TEST_CASE("the server, for each agent") {
    std::string both = "\"command\": \"/u/upskill\",\n      \"args\": [\"mcp\"]";
    auto in = [](const std::string& at, const std::string& entry) {
      return "{\n  \"" + at + "\": {\n    \"upskill\": {\n      " + entry + "\n    }\n  }\n}\n";
    };
    CHECK(written(connection("claude-code").mcp)
          == in("mcpServers", "\"type\": \"stdio\",\n      " + both));
    CHECK(written(connection("codex").mcp)
          == "[mcp_servers.upskill]\ncommand = \"/u/upskill\"\nargs = [\"mcp\"]\n");
    CHECK(written(connection("cursor").mcp) == in("mcpServers", both));
    CHECK(written(connection("gemini-cli").mcp) == in("mcpServers", both));
    CHECK(
        written(connection("github-copilot").mcp)
        == in("mcpServers", "\"type\": \"local\",\n      " + both + ",\n      \"tools\": [\"*\"]"));
    CHECK(written(connection("opencode").mcp)
          == in("mcp",
                "\"type\": \"local\",\n      \"command\": [\"/u/upskill\", \"mcp\"],\n      "
                "\"enabled\": true"));
    CHECK(written(connection("vscode").mcp)
          == in("servers", "\"type\": \"stdio\",\n      " + both));
  }

  TEST_CASE("hooks") {
    CHECK(written(connection("codex").hooks).starts_with("{\n  \"hooks\": {\n    \"Stop\": [\n"));
    CHECK(written(connection("cursor").hooks)
              .starts_with("{\n  \"version\": 1,\n  \"hooks\": {\n    \"afterAgentResponse\": [\n"
                           "      {\n        \"command\": \"/u/upskill hook afterAgentResponse "
                           "--agent cursor\"\n"));
    // An answer of Cursor's `before...` hooks is a permission: we give none.
    for (const std::string& event : connection("cursor").hooks.events) {
      CHECK_FALSE((event.starts_with("before") || event.starts_with("pre")));
    }
    CHECK(written(connection("github-copilot").hooks).find("\"bash\": \"/u/upskill hook agentStop")
          != std::string::npos);
  }

  TEST_CASE("a program whose path a shell would take apart") {
    std::string text = written(connection("cursor").hooks, "/a b/it's \"x\"/upskill");
    CHECK(text.find(R"('/a b/it'\\''s \"x\"/upskill' hook stop)") != std::string::npos);
    CHECK(written(connection("codex").mcp, "/a b/\"x\"/upskill").find(R"("/a b/\"x\"/upskill")")
          != std::string::npos);
  }
}

TEST_SUITE("find_connections") {
  TEST_CASE("by its agent's signs, or its own") {
    Result<agents::AgentTable> table = agents::AgentTable::built_in();
    REQUIRE(table);
    auto found = find_connections(
        built_in(),
        *table,
        setting_with({"/home/ada/.codex", "/bin/code"}, {{"PATH", "relative:/bin"}}));
    std::map<std::string, std::string> here;
    for (const FoundConnection& one : found) {
      CHECK_FALSE(one.connection.title.empty());
      if (!one.evidence.empty()) {
        here[one.connection.id] = one.evidence;
      }
    }
    CHECK(here
          == std::map<std::string, std::string>{{"codex", "`~/.codex` exists"},
                                                {"vscode", "`/bin/code` is on PATH"}});
  }
}
