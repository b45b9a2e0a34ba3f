#include "daemon/students/cli_agents.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace upskill;
using namespace upskill::students;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

Environment environment_of(const Variables& variables) {
  return [variables](std::string_view name) {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

// Every key and address there is.
const Variables k_all{{"PATH", "/bin"},
                      {"ANTHROPIC_API_KEY", "key-anthropic"},
                      {"OPENAI_API_KEY", "key-openai"},
                      {"GENERIC_API_KEY", "key-generic"},
                      {"GEMINI_API_KEY", "key-gemini"},
                      {"COPILOT_GITHUB_TOKEN", "key-github"},
                      {"CURSOR_API_KEY", "key-cursor"},
                      {"HF_TOKEN", "key-hf"}};

// The keys among what an agent gets, by their values.
std::set<std::string>
keys_given(const CliAgentRow& row, const std::string& url, const Variables& variables) {
  Environment environment = environment_of(variables);
  Result<CliCall> call = make_cli_call(row, "m1", url, environment);
  REQUIRE(call);
  std::set<std::string> keys;
  for (const std::string& one : cli_environment(row, *call, environment)) {
    if (std::size_t at = one.find("=key-"); at != std::string::npos) {
      keys.insert(one.substr(at + 1));
    }
  }
  return keys;
}

const CliAgentRow& row(std::string_view name) {
  const CliAgentRow* found = find_cli_agent(name);
  REQUIRE(found != nullptr);
  return *found;
}

bool has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

} // namespace

TEST_SUITE("cli agents") {
  TEST_CASE("each has what is needed, and nobody else's name") {
    std::set<std::string_view> names;
    for (const CliAgentRow& one : cli_agents()) {
      CAPTURE(one.name);
      CHECK(names.insert(one.name).second);
      CHECK(find_cli_agent("cli." + std::string(one.name)) == &one);
      CHECK_FALSE(one.program.empty());
      CHECK_FALSE(one.install.empty());
      CHECK(one.skills.ends_with("/skills"));
      CHECK_FALSE(one.keys.empty());
    }
    CHECK(names
          == std::set<std::string_view>{
              "claude-code", "codex", "gemini", "opencode", "copilot", "cursor"});
    CHECK(find_cli_agent("claude-code") == nullptr);
    CHECK(find_cli_agent("cli.") == nullptr);
  }

  TEST_CASE("a key goes to the server that it is for") {
    using Keys = std::set<std::string>;
    CHECK(keys_given(row("cli.claude-code"), "", k_all) == Keys{"key-anthropic"});
    CHECK(keys_given(row("cli.codex"), "", k_all) == Keys{"key-openai"});
    CHECK(keys_given(row("cli.gemini"), "", k_all) == Keys{"key-gemini"});
    CHECK(keys_given(row("cli.opencode"), "", k_all) == Keys{"key-anthropic", "key-openai"});
    CHECK(keys_given(row("cli.copilot"), "", k_all) == Keys{"key-github"});
    CHECK(keys_given(row("cli.cursor"), "", k_all) == Keys{"key-cursor"});
    // An address of its own gets its own key.
    for (const CliAgentRow& one : cli_agents()) {
      if (!one.servers.empty()) {
        CAPTURE(one.name);
        CHECK(keys_given(one, "https://models.example/v1", k_all) == Keys{"key-generic"});
      }
    }
    Variables generic = k_all;
    generic["GENERIC_BASE_URL"] = "https://models.example/v1";
    CHECK(keys_given(row("cli.opencode"), "", generic) == Keys{"key-generic"});
    CHECK(keys_given(row("cli.copilot"), "", generic) == Keys{"key-generic"});
    generic["ANTHROPIC_BASE_URL"] = "https://anthropic.example";
    CHECK(keys_given(row("cli.claude-code"), "", generic) == Keys{"key-anthropic"});
    generic.erase("GENERIC_API_KEY");
    CHECK(keys_given(row("cli.copilot"), "", generic) == Keys{});
  }

  TEST_CASE("a server of this machine is asked without a key too") {
    for (const CliAgentRow& one : cli_agents()) {
      if (one.servers.empty()) {
        continue;
      }
      Result<CliCall> call = make_cli_call(one, "m1", "http://127.0.0.1:99/v1", environment_of({}));
      REQUIRE(call);
      REQUIRE(call->keys.size() == 1);
      // Copilot hides it wherever it occurs: it must not be a part of words.
      CHECK(call->keys.begin()->second.size() > 12);
      call = make_cli_call(one, "m1", "https://models.example", environment_of({}));
      REQUIRE(call);
      CHECK(call->keys.empty());
    }
  }

  TEST_CASE("a model and an address reach the agent") {
    const std::string url = "http://127.0.0.1:99/v1";
    for (const CliAgentRow& one : cli_agents()) {
      CAPTURE(one.name);
      Environment environment = environment_of({});
      Result<CliCall> call = make_cli_call(one, "m1", one.servers.empty() ? "" : url, environment);
      REQUIRE(call);
      std::vector<std::string> argv = cli_argv(one, *call);
      CHECK(argv.front() == one.program);
      CHECK(has(argv, one.name == "opencode" ? "upskill/m1" : "m1"));
      if (!one.servers.empty()) {
        std::string all;
        for (const std::string& text : cli_environment(one, *call, environment)) {
          all += text + "\n";
        }
        for (const auto& [path, text] :
             one.files != nullptr ? one.files(*call) : std::map<std::string, std::string>()) {
          all += text;
        }
        CHECK(all.find(url) != std::string::npos);
        // Keys are in no file.
        CHECK(all.find(call->keys.begin()->second) == all.rfind(call->keys.begin()->second));
      }
      call = make_cli_call(one, "", "", environment);
      REQUIRE(call);
      for (std::string_view option : one.model_argv) {
        CHECK_FALSE(has(cli_argv(one, *call), option));
      }
    }
  }

  TEST_CASE("no proxy stands before a server of this machine") {
    const Variables proxies{{"HTTP_PROXY", "http://proxy"}, {"NO_PROXY", "intern"}};
    Environment environment = environment_of(proxies);
    const CliAgentRow& codex = row("cli.codex");
    Result<CliCall> call = make_cli_call(codex, "m1", "http://localhost:99/v1", environment);
    REQUIRE(call);
    CHECK(
        has(cli_environment(codex, *call, environment), "NO_PROXY=intern,127.0.0.1,localhost,::1"));
    call = make_cli_call(codex, "m1", "", environment);
    REQUIRE(call);
    CHECK(has(cli_environment(codex, *call, environment), "NO_PROXY=intern"));
    CHECK(has(cli_environment(codex, *call, environment), "HTTP_PROXY=http://proxy"));
  }

  TEST_CASE("what would be understood as something else is refused") {
    for (const CliAgentRow& one : cli_agents()) {
      for (std::string bad : {"--version", "-", "a\nb", "a\xff"}) {
        CHECK_FALSE(make_cli_call(one, bad, "", environment_of({})));
      }
      CHECK_FALSE(make_cli_call(one, "m1", "http://a\nb", environment_of({})));
      CHECK_FALSE(
          make_cli_call(one, "m1", "", environment_of({{std::string(one.keys.front()), "a\nb"}})));
    }
    CHECK_FALSE(make_cli_call(row("cli.cursor"), "m1", "http://127.0.0.1:1", environment_of({})));
    CHECK_FALSE(make_cli_call(row("cli.opencode"), "", "http://127.0.0.1:1", environment_of({})));
  }

  TEST_CASE("texts stay texts in the files of a configuration") {
    CliCall call;
    call.model = "a\"b\\c";
    call.base_url = "http://127.0.0.1/\"]\nx";
    std::string codex = row("cli.codex").files(call).at("config/config.toml");
    CHECK(codex.find(R"(model = "a\"b\\c")") != std::string::npos);
    CHECK(codex.find(R"(base_url = "http://127.0.0.1/\"]\nx")") != std::string::npos);
  }
}
