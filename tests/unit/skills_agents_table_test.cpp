#include "skills/agents/resolve.h"
#include "skills/agents/row_reader.h"
#include "skills/agents/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace upskill;
using namespace upskill::agents;

namespace {

// Typed from the vendors' table (facts: agents.md, section 1), independently of agents.json.
// `~/.config` stands for the XDG configuration folder; an empty text for "none"; `|` parts
// alternatives.
struct Expected {
  const char* id;
  const char* project;
  const char* user;
  const char* signs;
};

// clang-format off
constexpr Expected k_expected[] = {
    {"adal", ".adal/skills", "~/.adal/skills", "~/.adal"},
    {"aider-desk", ".aider-desk/skills", "~/.aider-desk/skills", "~/.aider-desk"},
    {"amp", ".agents/skills", "~/.config/agents/skills", "~/.config/amp"},
    {"antigravity", ".agents/skills", "~/.gemini/antigravity/skills", "~/.gemini/antigravity"},
    {"antigravity-cli", ".agents/skills", "~/.gemini/antigravity-cli/skills", "~/.gemini/antigravity-cli"},
    {"astrbot", "data/skills", "~/.astrbot/data/skills", "./data/skills|~/.astrbot"},
    {"augment", ".augment/skills", "~/.augment/skills", "~/.augment"},
    {"autohand-code", ".autohand/skills", "~/.autohand/skills", "~/.autohand"},
    {"bob", ".bob/skills", "~/.bob/skills", "~/.bob"},
    {"claude-code", ".claude/skills", "~/.claude/skills", "~/.claude"},
    {"cline", ".agents/skills", "~/.agents/skills", "~/.cline"},
    {"codearts-agent", ".codeartsdoer/skills", "~/.codeartsdoer/skills", "~/.codeartsdoer"},
    {"codebuddy", ".codebuddy/skills", "~/.codebuddy/skills", "~/.codebuddy|./.codebuddy"},
    {"codemaker", ".codemaker/skills", "~/.codemaker/skills", "~/.codemaker"},
    {"codestudio", ".codestudio/skills", "~/.codestudio/skills", "~/.codestudio"},
    {"codex", ".agents/skills", "~/.agents/skills", "~/.codex|/etc/codex"},
    {"command-code", ".commandcode/skills", "~/.commandcode/skills", "~/.commandcode"},
    {"continue", ".continue/skills", "~/.continue/skills", "~/.continue|./.continue"},
    {"cortex", ".cortex/skills", "~/.snowflake/cortex/skills", "~/.snowflake/cortex"},
    {"crush", ".crush/skills", "~/.config/crush/skills", "~/.config/crush"},
    {"cursor", ".agents/skills", "~/.cursor/skills", "~/.cursor"},
    {"deepagents", ".agents/skills", "~/.deepagents/agent/skills", "~/.deepagents"},
    {"devin", ".devin/skills", "~/.config/devin/skills", "~/.config/devin"},
    {"dexto", ".agents/skills", "~/.agents/skills", "~/.dexto"},
    {"droid", ".agents/skills", "~/.factory/skills", "~/.factory"},
    {"eve", "agent/skills", "", "./agent"},
    {"firebender", ".agents/skills", "~/.firebender/skills", "~/.firebender"},
    {"forgecode", ".forge/skills", "~/.forge/skills", "~/.forge"},
    {"fx", ".agents/skills", "~/.agents/skills", "~/.fx"},
    {"gemini-cli", ".agents/skills", "~/.gemini/skills", "~/.gemini"},
    {"github-copilot", ".agents/skills", "~/.copilot/skills", "~/.copilot"},
    {"goose", ".goose/skills", "~/.config/goose/skills", "~/.config/goose"},
    {"grok", ".grok/skills", "~/.grok/skills", "~/.grok"},
    {"hermes-agent", ".hermes/skills", "~/.hermes/skills", "~/.hermes"},
    {"iflow-cli", ".iflow/skills", "~/.iflow/skills", "~/.iflow"},
    {"inference-sh", ".inferencesh/skills", "~/.inferencesh/skills", "~/.inferencesh"},
    {"jazz", ".jazz/skills", "~/.jazz/skills", "~/.jazz|./.jazz"},
    {"junie", ".junie/skills", "~/.junie/skills", "~/.junie"},
    {"kilo", ".agents/skills", "~/.kilo/skills", "~/.kilo|~/.kilocode"},
    {"kimchi", ".kimchi/skills", "~/.config/kimchi/harness/skills", "~/.config/kimchi"},
    {"kimi-code-cli", ".agents/skills", "~/.agents/skills", "~/.kimi-code|~/.kimi"},
    {"kiro-cli", ".kiro/skills", "~/.kiro/skills", "~/.kiro"},
    {"kode", ".kode/skills", "~/.kode/skills", "~/.kode"},
    {"lingma", ".lingma/skills", "~/.lingma/skills", "~/.lingma"},
    {"loaf", ".agents/skills", "~/.agents/skills", "~/.loaf"},
    {"mcpjam", ".mcpjam/skills", "~/.mcpjam/skills", "~/.mcpjam"},
    {"minimax-code", ".minimax/skills", "~/.minimax/skills", "~/.minimax|/Applications/MiniMax Code.app"},
    {"mistral-vibe", ".vibe/skills", "~/.vibe/skills", "~/.vibe"},
    {"moxby", ".moxby/skills", "~/.moxby/skills", "~/.moxby"},
    {"mux", ".mux/skills", "~/.mux/skills", "~/.mux"},
    {"neovate", ".neovate/skills", "~/.neovate/skills", "~/.neovate"},
    {"ona", ".ona/skills", "~/.ona/skills", "~/.ona"},
    {"openclaw", "skills", "~/.openclaw/skills", "~/.openclaw|~/.clawdbot|~/.moltbot"},
    {"opencode", ".agents/skills", "~/.config/opencode/skills", "~/.config/opencode"},
    {"openhands", ".openhands/skills", "~/.openhands/skills", "~/.openhands"},
    {"pi", ".agents/skills", "~/.agents/skills", "~/.pi/agent"},
    {"pochi", ".pochi/skills", "~/.pochi/skills", "~/.pochi"},
    {"posit-assistant", ".posit/assistant/skills", "~/.posit/assistant/skills", "~/.posit/assistant|~/.positai"},
    {"promptscript", ".agents/skills", "", "./.promptscript|./promptscript.yaml"},
    {"qoder", ".qoder/skills", "~/.qoder/skills", "~/.qoder"},
    {"qoder-cn", ".qoder/skills", "~/.qoder-cn/skills", "~/.qoder-cn"},
    {"qwen-code", ".qwen/skills", "~/.qwen/skills", "~/.qwen"},
    {"reasonix", ".reasonix/skills", "~/.reasonix/skills", "~/.reasonix"},
    {"replit", ".agents/skills", "~/.config/agents/skills", "./.replit"},
    {"roo", ".roo/skills", "~/.roo/skills", "~/.roo"},
    {"rovodev", ".rovodev/skills", "~/.rovodev/skills", "~/.rovodev"},
    {"sarvam-code", ".agents/skills", "~/.agents/skills", "~/.sarvam"},
    {"tabnine-cli", ".tabnine/agent/skills", "~/.tabnine/agent/skills", "~/.tabnine"},
    {"terramind", ".terramind/skills", "~/.terramind/skills", "~/.terramind"},
    {"tinycloud", ".tinycloud/skills", "~/.tinycloud/skills", "~/.tinycloud"},
    {"trae", ".trae/skills", "~/.trae/skills", "~/.trae"},
    {"trae-cn", ".trae/skills", "~/.trae-cn/skills", "~/.trae-cn"},
    {"universal", ".agents/skills", "~/.config/agents/skills", ""},
    {"warp", ".agents/skills", "~/.agents/skills", "~/.warp"},
    {"windsurf", ".windsurf/skills", "~/.codeium/windsurf/skills", "~/.codeium/windsurf"},
    {"zcode", ".zcode/skills", "~/.zcode/skills", "~/.zcode|/Applications/ZCode.app"},
    {"zed", ".agents/skills", "~/.agents/skills", "~/.config/zed|$APPDATA/Zed|$FLATPAK_XDG_CONFIG_HOME/zed"},
    {"zencoder", ".zencoder/skills", "~/.zencoder/skills", "~/.zencoder"},
    {"zenflow", ".zencoder/skills", "~/.zencoder/skills", "~/.zencoder"},
};

// clang-format on

// A machine with nothing but the paths in `present`.
struct Machine {
  std::map<std::string, std::string> variables = {};
  std::set<std::string> present = {};
  std::map<std::string, std::string> files = {};

  Setting setting(const std::string& project = "/work/p") const {
    auto exists = [this](const std::string& path) { return present.contains(path); };
    auto read = [this](const std::string& path) -> std::optional<std::string> {
      auto at = files.find(path);
      return at == files.end() ? std::nullopt : std::optional(at->second);
    };
    Environment environment = [this](std::string_view name) -> std::optional<std::string> {
      auto at = variables.find(std::string(name));
      return at == variables.end() ? std::nullopt : std::optional(at->second);
    };
    Places places;
    places.home = "/home/ann";
    places.config_home = "/home/ann/.config";
    return {places, environment, {exists, exists, read}, project};
  }
};

AgentTable built_in() {
  auto table = AgentTable::built_in();
  REQUIRE_MESSAGE(table, table.error().message);
  return std::move(*table);
}

std::string in_home(std::string path) {
  return path.starts_with("~/") ? "/home/ann" + path.substr(1) : path;
}

std::string user_message(std::string_view rows) {
  AgentTable table = built_in();
  std::string text = R"({"format":1,"agents":[)" + std::string(rows) + "]}";
  auto merged = table.merge_user(text, "agents.json");
  CHECK(table.agents().size() == 79);
  return merged ? std::string("accepted") : merged.error().message;
}

} // namespace

TEST_SUITE("AgentTable") {
  TEST_CASE("all 79 agents have the folders of the vendors' table") {
    AgentTable table = built_in();
    CHECK(std::size(k_expected) == 79);
    CHECK(table.agents().size() == 79);
    CHECK(table.date() == "2026-11-21");
    Machine machine;
    for (const Expected& expected : k_expected) {
      CAPTURE(expected.id);
      const Agent* agent = table.find(expected.id);
      REQUIRE(agent != nullptr);
      CHECK_FALSE(agent->title.empty());
      CHECK(resolve(*agent, Scope::user, machine.setting()).writes == in_home(expected.user));
      CHECK(resolve(*agent, Scope::project, machine.setting()).writes
            == "/work/p/" + std::string(expected.project));
    }
  }

  TEST_CASE("what an agent writes it also reads") {
    AgentTable table = built_in();
    Machine machine;
    for (const Agent& agent : table.agents()) {
      CAPTURE(agent.id);
      for (Scope scope : {Scope::user, Scope::project}) {
        AgentRoots roots = resolve(agent, scope, machine.setting());
        CHECK((roots.writes.empty()
                   ? roots.reads.empty()
                   : std::ranges::find(roots.reads, roots.writes) != roots.reads.end()));
      }
    }
  }

  TEST_CASE("24 of the 79 share the project folder `.agents/skills`") {
    AgentTable table = built_in();
    auto shared = std::ranges::count_if(table.agents(), [](const Agent& agent) {
      return agent.project.writes == PlacePattern{{".agents/skills"}};
    });
    CHECK(shared == 24);
  }

  TEST_CASE("an agent is detected by exactly the signs of the vendors' table") {
    AgentTable table = built_in();
    for (const Expected& expected : k_expected) {
      CAPTURE(expected.id);
      std::string signs = expected.signs;
      std::set<std::string> wanted;
      for (std::size_t at = 0; at < signs.size();) {
        std::size_t end = std::min(signs.find('|', at), signs.size());
        wanted.insert(signs.substr(at, end - at));
        at = end + 1;
      }
      CHECK(table.find(expected.id)->signs.size() == wanted.size());
      for (std::string sign : wanted) {
        CAPTURE(sign);
        Machine machine;
        if (sign.starts_with("$")) {
          std::string name = sign.substr(1, sign.find('/') - 1);
          machine.variables[name] = "/var/" + name;
          sign = "/var/" + name + sign.substr(sign.find('/'));
        }
        sign = sign.starts_with("./") ? "/work/p" + sign.substr(1) : in_home(sign);
        machine.present = {sign};
        machine.files["/work/p/package.json"] = R"({"dependencies":{"eve":"1"}})";
        std::set<std::string> found;
        for (const Detected& detected : detect(table, machine.setting())) {
          found.insert(detected.id);
        }
        CHECK(found.contains(expected.id));
      }
    }
  }

  TEST_CASE("no sign, no agent, whatever else the project holds") {
    Machine machine;
    machine.present = {"/work/p", "/work/p/agent", "/home/ann"};
    machine.files["/work/p/package.json"] = R"({"dependencies":["eve"],"devDependencies":7})";
    CHECK(detect(built_in(), machine.setting()).empty());
    machine.files["/work/p/package.json"] = "{not json";
    CHECK(detect(built_in(), machine.setting()).empty());
    machine.present = {"/.replit", "/.promptscript"};
    CHECK(detect(built_in(), machine.setting("")).empty());
  }

  TEST_CASE("where agents keep their sessions, as their vendors have it") {
    // facts: traces.md, 1.1 to 1.3
    Machine machine;
    machine.variables["CODEX_HOME"] = "/data/codex";
    AgentTable table = built_in();
    std::vector<SessionFolder> folders = session_folders(table, machine.setting(""));
    auto is_session = [&](const std::string& agent, const std::string& path) {
      return std::ranges::any_of(folders, [&](const SessionFolder& one) {
        return one.agent == agent && path.starts_with(one.folder + "/")
               && is_session_file(one.place, path.substr(one.folder.size() + 1));
      });
    };
    const std::string id = "3f1c";
    for (const auto& [agent, path] : std::vector<std::pair<std::string, std::string>>{
             {"claude-code", "/home/ann/.claude/projects/-home-ann-p/" + id + ".jsonl"},
             {"claude-code", "/home/ann/.claude/projects/-p/" + id + "/subagents/agent-1.jsonl"},
             {"codex", "/data/codex/sessions/2026/07/01/rollout-2026-07-01T10-00-00-3f.jsonl"},
             {"codex", "/data/codex/sessions/2026/07/01/rollout-1.jsonl.zst"},
             {"codex", "/data/codex/archived_sessions/rollout-1.jsonl"},
             {"cursor", "/home/ann/.cursor/projects/home-p/agent-transcripts/3f.jsonl"},
             {"cursor", "/home/ann/.cursor/projects/home-p/agent-transcripts/3f/3f.jsonl"},
             {"gemini-cli", "/home/ann/.gemini/tmp/p/chats/session-2026-07-01T10-00-3f1c.jsonl"},
             {"gemini-cli", "/home/ann/.gemini/tmp/p/chats/session-2026-07-01T10-00-3f1c.json"},
             {"gemini-cli", "/home/ann/.gemini/tmp/p/chats/parent/3f.jsonl"},
             {"github-copilot", "/home/ann/.copilot/session-state/3f/events.jsonl"},
             {"opencode", "/home/ann/.local/share/opencode/opencode.db"},
             {"pi", "/home/ann/.pi/agent/sessions/--home-ann-p--/2026_3f.jsonl"}}) {
      CHECK_MESSAGE(is_session(agent, path), path);
    }
    CHECK_FALSE(is_session("claude-code", "/home/ann/.claude/projects/-p/3f/tool-results/x.txt"));
    CHECK_FALSE(is_session("codex", "/data/codex/sessions/2026/07/01/a/rollout-1.jsonl"));
    CHECK_FALSE(is_session("codex", "/data/codex/sessions/2026/07/01/history.jsonl"));
    CHECK_FALSE(is_session("cursor", "/home/ann/.cursor/projects/p/mcps/tools.jsonl"));
    CHECK_FALSE(is_session("gemini-cli", "/home/ann/.gemini/tmp/p/logs.json"));
    CHECK_FALSE(is_session("opencode", "/home/ann/.local/share/opencode/opencode.db-wal"));
    // Which session a change tells of.
    for (const SessionFolder& one : folders) {
      bool is_opencode = one.agent == "opencode";
      CHECK(changed_session(one.place, "opencode.db-wal") == (is_opencode ? "opencode.db" : ""));
      CHECK(changed_session(one.place, "opencode.db") == (is_opencode ? "opencode.db" : ""));
      CHECK(changed_session(one.place, "opencode.db-shm").empty());
      CHECK(changed_session(one.place, "other.db-wal").empty());
    }
  }

  TEST_CASE("who is here shows at its signs, and who is not would") {
    AgentTable table = built_in();
    Machine machine;
    machine.present = {"/home/ann/.codex"};
    std::vector<std::string> signs = signs_of(table, machine.setting(""));
    CHECK(std::ranges::count(signs, "/home/ann/.claude") == 1);
    CHECK(std::ranges::count(signs, "/home/ann/.codex") == 1);
    // Whichever of them comes, somebody is here.
    for (const std::string& sign : signs) {
      CAPTURE(sign);
      machine.present = {sign};
      CHECK_FALSE(detect(table, machine.setting("")).empty());
    }
  }

  TEST_CASE("section 2: what the main tools read besides, in their order") {
    AgentTable table = built_in();
    Machine machine;
    auto user = [&](const char* id) {
      return resolve(*table.find(id), Scope::user, machine.setting()).reads;
    };
    auto project = [&](const char* id) {
      return resolve(*table.find(id), Scope::project, machine.setting("/p")).reads;
    };
    using Paths = std::vector<std::string>;
    const std::string home = "/home/ann/";
    CHECK(user("claude-code") == Paths{home + ".claude/skills"});
    CHECK(project("claude-code") == Paths{"/p/.claude/skills"});
    CHECK(user("codex") == Paths{home + ".agents/skills", home + ".codex/skills"});
    CHECK(project("codex") == Paths{"/p/.agents/skills", "/p/.codex/skills"});
    CHECK(resolve(*table.find("codex"), Scope::user, machine.setting()).administered
          == Paths{"/etc/codex/skills"});
    CHECK(user("cursor")
          == Paths{home + ".cursor/skills",
                   home + ".agents/skills",
                   home + ".claude/skills",
                   home + ".codex/skills"});
    CHECK(project("cursor")
          == Paths{
              "/p/.agents/skills", "/p/.cursor/skills", "/p/.claude/skills", "/p/.codex/skills"});
    CHECK(user("gemini-cli") == Paths{home + ".gemini/skills", home + ".agents/skills"});
    CHECK(project("gemini-cli") == Paths{"/p/.gemini/skills", "/p/.agents/skills"});
    CHECK(user("opencode")
          == Paths{home + ".claude/skills",
                   home + ".agents/skills",
                   home + ".config/opencode/skill",
                   home + ".config/opencode/skills"});
    CHECK(
        project("opencode")
        == Paths{
            "/p/.claude/skills", "/p/.agents/skills", "/p/.opencode/skill", "/p/.opencode/skills"});
    CHECK(user("github-copilot")
          == Paths{home + ".copilot/skills", home + ".agents/skills", home + ".claude/skills"});
    CHECK(project("github-copilot")
          == Paths{"/p/.github/skills", "/p/.agents/skills", "/p/.claude/skills"});
    CHECK(user("pi") == Paths{home + ".pi/agent/skills", home + ".agents/skills"});
    CHECK(project("pi") == Paths{"/p/.pi/skills", "/p/.agents/skills"});
    CHECK(user("amp") == Paths{home + ".config/agents/skills", home + ".claude/skills"});
    CHECK(project("amp") == Paths{"/p/.agents/skills", "/p/.claude/skills"});
    CHECK(user("kimi-code-cli")
          == Paths{home + ".agents/skills", home + ".claude/skills", home + ".codex/skills"});
    CHECK(user("firebender")
          == Paths{home + ".firebender/skills",
                   home + ".agents/skills",
                   home + ".claude/skills",
                   home + ".codex/skills",
                   home + ".cursor/skills",
                   home + ".goose/skills"});
    CHECK(user("roo") == Paths{home + ".roo/skills", home + ".agents/skills"});
    CHECK(project("roo") == Paths{"/p/.roo/skills", "/p/.agents/skills"});
    CHECK(user("grok") == Paths{home + ".grok/skills", home + ".agents/skills"});
    CHECK(user("antigravity")
          == Paths{home + ".gemini/antigravity/skills", home + ".agents/skills"});
    CHECK(user("eve").empty());
  }

  TEST_CASE("section 2: how the main tools load") {
    AgentTable table = built_in();
    const Loader& claude = table.find("claude-code")->loader;
    CHECK(claude.follows_links == FollowsLinks::yes);
    CHECK(claude.dedupes_by == DedupesBy::inode);
    CHECK(claude.same_name == SameName::first);
    CHECK(claude.depth == 1);
    CHECK(claude.restart_needed == RestartNeeded::new_root);
    CHECK(table.find("claude-code")->never_touch == std::vector<std::string>{"synced", ".trash"});
    const Loader& codex = table.find("codex")->loader;
    CHECK(codex.dedupes_by == DedupesBy::path);
    CHECK(codex.same_name == SameName::all);
    CHECK(codex.depth == 6);
    CHECK(table.find("codex")->never_touch == std::vector<std::string>{".system"});
    CHECK(table.find("cursor")->loader.dedupes_by == DedupesBy::none);
    CHECK(table.find("cursor")->loader.depth == k_any_depth);
    CHECK(table.find("gemini-cli")->loader.same_name == SameName::last);
    CHECK(table.find("gemini-cli")->loader.depth == 1);
    CHECK(table.find("opencode")->loader.same_name == SameName::last);
    CHECK(table.find("opencode")->loader.depth == k_any_depth);
    CHECK(table.find("pi")->loader.same_name == SameName::first);
    CHECK(table.find("pi")->loader.dedupes_by == DedupesBy::path);
    CHECK(table.find("goose")->loader.follows_links == FollowsLinks::unknown);
    CHECK(table.find("goose")->loader.dedupes_by == DedupesBy::none);
  }

  TEST_CASE("variables move a root, unless they hold no absolute path") {
    AgentTable table = built_in();
    Machine machine;
    auto user = [&](const char* id) {
      return resolve(*table.find(id), Scope::user, machine.setting()).reads;
    };
    const std::map<std::string, std::string> variables = {{"claude-code", "CLAUDE_CONFIG_DIR"},
                                                          {"codex", "CODEX_HOME"},
                                                          {"mistral-vibe", "VIBE_HOME"},
                                                          {"hermes-agent", "HERMES_HOME"},
                                                          {"autohand-code", "AUTOHAND_HOME"},
                                                          {"grok", "GROK_HOME"}};
    for (const auto& [id, variable] : variables) {
      CAPTURE(id);
      machine.variables = {{variable, "/moved/./x/"}};
      auto moved = user(id.c_str());
      CHECK(std::ranges::find(moved, "/moved/x/skills") != moved.end());
      machine.variables = {{variable, "relative"}};
      auto kept = user(id.c_str());
      CHECK(std::ranges::find(kept, "relative/skills") == kept.end());
      machine.variables = {};
      CHECK(kept == user(id.c_str()));
    }
    machine.variables = {{"SARVAM_HOME", "/s"}};
    machine.present = {"/s"};
    CHECK(detect(table, machine.setting()).front().id == "sarvam-code");
    // Those that hard-code ~/.config do not follow XDG; the others do.
    Setting elsewhere = machine.setting();
    elsewhere.places.config_home = "/xdg";
    CHECK(resolve(*table.find("crush"), Scope::user, elsewhere).writes
          == "/home/ann/.config/crush/skills");
    CHECK(resolve(*table.find("goose"), Scope::user, elsewhere).writes == "/xdg/goose/skills");
  }

  TEST_CASE("openclaw takes the first of its folders that exists") {
    AgentTable table = built_in();
    Machine machine;
    auto writes = [&] {
      return resolve(*table.find("openclaw"), Scope::user, machine.setting()).writes;
    };
    CHECK(writes() == "/home/ann/.openclaw/skills");
    machine.present = {"/home/ann/.moltbot"};
    CHECK(writes() == "/home/ann/.moltbot/skills");
    machine.present = {"/home/ann/.moltbot", "/home/ann/.clawdbot"};
    CHECK(writes() == "/home/ann/.clawdbot/skills");
  }

  TEST_CASE("a program on PATH gives an agent away, and the evidence says where") {
    Machine machine;
    machine.variables = {{"PATH", "bin::/opt/a:/opt/b"}};
    machine.present = {"/opt/b/codex", "bin/claude"};
    auto found = detect(built_in(), machine.setting());
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == "codex");
    CHECK(found[0].evidence == "`/opt/b/codex` is on PATH");
  }

  TEST_CASE("a user's row replaces the keys that it has, and may add an agent") {
    AgentTable table = built_in();
    auto merged = table.merge_user(
        R"({"format":1,"agents":[
             {"id":"cursor","project":{"reads":[".cursor/skills"]},"loader":{"follows_links":"yes"}},
             {"id":"my-agent","user":{"reads":["~/.mine/skills"]},"programs":["mine"]}]})",
        "agents.json");
    REQUIRE_MESSAGE(merged, merged.error().message);
    CHECK(table.agents().size() == 80);
    const Agent& cursor = *table.find("cursor");
    CHECK(cursor.title == "Cursor");
    CHECK(cursor.project.reads.size() == 1);
    CHECK(cursor.project.writes == PlacePattern{{".cursor/skills"}});
    CHECK(cursor.user.reads.size() == 4);
    CHECK(cursor.loader.follows_links == FollowsLinks::yes);
    CHECK(cursor.loader.depth == k_any_depth);
    CHECK(table.find("my-agent")->title == "my-agent");
    CHECK(table.date() == "2026-11-21");
  }

  TEST_CASE("a bad user file changes nothing and is told with row and key") {
    const std::string at = "`agents.json`, agent `x`: ";
    auto reads = [](const std::string& pattern) {
      return user_message(R"({"id":"x","user":{"reads":["~/a/skills",")" + pattern + R"("]}})");
    };
    CHECK(reads("~/../b") == at + "`user.reads[1]` must not contain `.` or `..`");
    CHECK(reads("~/a/skills") == at + "`user.reads[1]` is in the list twice");
    CHECK(reads("~") == at + "`user.reads[1]` names no folder of its own");
    CHECK(reads("~/") == at + "`user.reads[1]` names no folder of its own");
    CHECK(reads("/") == at + "`user.reads[1]` names no folder of its own");
    CHECK(reads("$X") == at + "`user.reads[1]` names no folder of its own");
    CHECK(reads("~//a") == at + "`user.reads[1]` has an empty part");
    CHECK(reads("~/a/") == at + "`user.reads[1]` has an empty part");
    CHECK(reads("~bob/skills")
          == at + "`user.reads[1]` must begin with `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`");
    CHECK(reads(".x/skills")
          == at + "`user.reads[1]` must begin with `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`");
    CHECK(reads("${X:-relative}/skills")
          == at + "`user.reads[1]` must begin with `~/`, `/`, `$NAME/` or `${NAME:-~/folder}/`");
    CHECK(reads("${X:-~/../y}/skills") == at + "`user.reads[1]` must not contain `.` or `..`");
    CHECK(reads("~/$HOME/x")
          == at + "`user.reads[1]` has one of `$`, `{`, `}`, `~` where a plain name belongs");
    CHECK(reads("~/a\\u0000b") == at + "`user.reads[1]` must be a line of 1 to 4096 bytes");
    CHECK(reads("~/" + std::string(300, 'a'))
          == at + "`user.reads[1]` has a part longer than 255 bytes");
    CHECK(user_message(R"({"id":"x","project":{"reads":["~/a/skills"]}})")
          == at + "`project.reads[0]` must be a path below the project, such as `.agents/skills`");
    CHECK(user_message(R"({"id":"x","project":{"reads":["/etc"]}})")
          == at + "`project.reads[0]` must be a path below the project, such as `.agents/skills`");
    CHECK(user_message(R"({"id":"x","project":{"reads":["a"],"writes":"b"}})")
          == at + "`project.writes` must be one of the folders in `reads`");
    CHECK(user_message(R"({"id":"x","project":{"reads":["a"],"administered":["b"]}})")
          == at + "`project.administered` is not a known key");
    CHECK(user_message(R"({"id":"x","title":"nothing to read"})")
          == at + "`user.reads` or `project.reads` must name a folder");
    CHECK(user_message(R"({"id":"x","user":{"reads":["~/a"]},"loader":{"dedupes_by":"magic"}})")
          == at + "`loader.dedupes_by` must be one of `none`, `path`, `inode`, `name`");
    CHECK(user_message(R"({"id":"x","user":{"reads":["~/a"]},"loader":{"dedupes_by":"name"}})")
          == at + "`loader.same_name` must be `first` or `last` where `dedupes_by` is `name`");
    CHECK(user_message(R"({"id":"x","user":{"reads":["~/a"]},"loader":{"recursion":0}})")
          == at + "`loader.recursion` must be `direct`, `any` or a number from 1 to 32");
    CHECK(user_message(R"({"id":"x","user":{"reads":[7]}})")
          == at + "`user.reads[0]` must be a string");
    CHECK(user_message(R"({"id":"x","user":{"reads":["~/a"]},"programs":["a/b"]})")
          == at + "`programs[0]` must be a name without `/`");
    CHECK(user_message(R"({"id":"x","user":{"reads":[{"first_of":[],"then":"a"}]}})")
          == at + "`user.reads[0].first_of` must name at least one folder");
    CHECK(user_message(R"({"id":"cursor"},{"id":"x","surprise":1})")
          == at + "`surprise` is not a known key");
    CHECK(user_message(R"({"id":"x","a\nb":1})") == at + "`a?b` is not a known key");
    CHECK(user_message(R"({"title":"no id"})")
          == "`agents.json`, entry 1 of `agents`: `id` is missing");
    CHECK(user_message(R"({"id":"../x"})")
          == "`agents.json`, entry 1 of `agents`: `id` must be a name without `/`");
    CHECK(user_message(R"({"id":"codex"},{"id":"codex"})")
          == "`agents.json`, agent `codex`: `id` is there twice");
  }

  TEST_CASE("hostile files are refused before they cost much") {
    AgentTable table = built_in();
    CHECK(table.merge_user("{", "f").error().message == "`f` is not valid JSON");
    CHECK(table.merge_user("[]", "f").error().message == "`f`: must be an object");
    CHECK(table.merge_user("{}", "f").error().message == "`f`: `format` must be 1");
    CHECK(table.merge_user(R"({"format":2,"agents":[]})", "f").error().message
          == "`f`: `format` must be 1");
    CHECK(table.merge_user(std::string(1'000'000, '['), "f").error().code == ErrorCode::too_large);
    CHECK(table.merge_user(std::string(2u << 20, ' '), "f").error().code == ErrorCode::too_large);
    CHECK(table.merge_user("{\"format\":1,\"agents\":[{\"id\":\"\xFF\"}]}", "f").error().message
          == "`f` is not valid JSON");
    std::string many = R"({"format":1,"agents":[{"id":"x0"})";
    for (int i = 1; i < 600; ++i) {
      many += R"(,{"id":"x)" + std::to_string(i) + R"("})";
    }
    CHECK(table.merge_user(many + "]}", "f").error().code == ErrorCode::too_large);
  }

  TEST_CASE("with a bad user file the built-in table serves and the problem is told") {
    auto loaded = load_table("{", "agents.json");
    REQUIRE(loaded);
    CHECK(loaded->table.agents().size() == 79);
    REQUIRE(loaded->problem);
    CHECK(loaded->problem->message == "`agents.json` is not valid JSON");
    CHECK_FALSE(load_table(std::nullopt, "agents.json")->problem);
  }
}
