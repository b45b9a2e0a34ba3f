#include "daemon/handlers/eval_options.h"
#include "daemon/models/model_table.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;
using namespace std::chrono_literals;
using tests::put_file;
namespace fs = std::filesystem;

namespace {

constexpr const char* k_generic_key = "GENERIC_API_KEY"; // of whatever server, and of no provider

// A variable of this process, as the daemon has some of its own.
class OwnVariable {
public:
  OwnVariable(std::string name, const char* value)
      : m_name(std::move(name)) {
    if (const char* before = std::getenv(m_name.c_str())) {
      m_before = before;
    }
    ::setenv(m_name.c_str(), value, 1);
  }

  OwnVariable(const OwnVariable&) = delete;
  OwnVariable& operator=(const OwnVariable&) = delete;

  ~OwnVariable() {
    if (m_before) {
      ::setenv(m_name.c_str(), m_before->c_str(), 1);
    } else {
      ::unsetenv(m_name.c_str());
    }
  }

private:
  std::string m_name;
  std::optional<std::string> m_before = {};
};

// A daemon with keys of its own in its environment and in its file, and a call.
struct World {
  World() {
    places.config = folder / "config";
    fs::create_directories(places.config);
    context.caller.cwd = folder / "project";
    fs::create_directories(context.caller.cwd);
  }

  static World of_person() { return {}; }

  static World of_agent() {
    World world;
    world.context.principal = "some client";
    return world;
  }

  void file(std::string_view text, mode_t mode = 0600) const {
    std::string path = places.config + "/credentials";
    put_file(path, text);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
  }

  EvalModelOptions options() const {
    Result<EvalModelOptions> options = read_model_options(params, context, places);
    if (!options) {
      FAIL(options.error().message);
    }
    return std::move(*options);
  }

  Error error() const {
    Result<EvalModelOptions> options = read_model_options(params, context, places);
    REQUIRE_FALSE(options);
    return options.error();
  }

  // What its models are told of a variable; `none` where that is nothing.
  std::string told(const std::string& name) const {
    return options().environment(name).value_or("none");
  }

  tests::TemporaryFolder folder;
  EvalParams params;
  RequestContext context;
  Places places;
};

// The variables by which a provider's server knows who pays.
std::vector<std::string> provider_keys() {
  std::vector<std::string> names;
  for (const models::ProviderRow& row : models::ModelTable::built_in().providers()) {
    if (row.key_variable != k_generic_key) {
      names.push_back(row.key_variable);
    }
  }
  REQUIRE(names.size() >= 3);
  return names;
}

Result<void> check(const EvalParams& params, bool is_person) {
  return check_params(params, Asker{is_person, "/"});
}

EvalParams at(std::string base_url) {
  EvalParams params;
  params.base_url = std::move(base_url);
  return params;
}

// This machine, whatever answers there.
constexpr std::array<const char*, 7> k_here{"http://127.0.0.1:8080/v1",
                                            "http://localhost",
                                            "https://localhost:1/",
                                            "http://[::1]:65535/v1",
                                            "http://127.1:9",
                                            "http://127.255.255.254",
                                            "http://user:word@127.0.0.1:1/v1"};
// Other machines, or what is this one by a spelling that nobody needs.
constexpr std::array<const char*, 26> k_elsewhere{"http://example.com/v1",
                                                  "https://api.openai.com/v1",
                                                  "http://127.0.0.1.example.com",
                                                  "http://127.0.0.1@example.com",
                                                  "http://localhost:80@example.com/",
                                                  "http://localhost%40example.com",
                                                  "http://example.com#@127.0.0.1",
                                                  "http://example.com?@127.0.0.1",
                                                  "http://example.com/@127.0.0.1",
                                                  "http://[::1]example.com",
                                                  "http://[::1",
                                                  "http://[::]:1",
                                                  "http://[::ffff:127.0.0.1]:1",
                                                  "http://localhost.",
                                                  "http://localhost.example.com",
                                                  "http://LOCALHOST:1",
                                                  "HTTP://127.0.0.1:1",
                                                  "http://127.0.0.1.",
                                                  "http://127.0.0.1.5",
                                                  "http://127.0.0.256",
                                                  "http://127%2E0.0.1",
                                                  "http://%3127.0.0.1",
                                                  "http://0.0.0.0:1",
                                                  "http://2130706433",
                                                  "file:///etc/passwd",
                                                  "127.0.0.1:8080"};

} // namespace

TEST_SUITE("read_model_options") {
  TEST_CASE("a person's call gets the keys that came with it, then those of the file") {
    World world = World::of_person();
    world.context.caller.environment = {{"A_KEY", "sent"}, {"OPENAI_BASE_URL", "http://h/v1"}};
    world.file("A_KEY=of-file\nB_KEY=of-file\n");
    OwnVariable own("UPSKILL_TEST_KEY", "of-daemon");
    CHECK(world.told("A_KEY") == "sent");
    CHECK(world.told("B_KEY") == "of-file");
    CHECK(world.told("OPENAI_BASE_URL") == "http://h/v1");
    CHECK(world.told("NO_SUCH_KEY") == "none");
    // Whoever started the daemon is not who pays for this call.
    CHECK(world.told("UPSKILL_TEST_KEY") == "none");
    world.context.caller.environment.clear();
    CHECK(world.told("UPSKILL_TEST_KEY") == "none");
    CHECK(world.told("A_KEY") == "of-file");
  }

  TEST_CASE("a person may send keys wherever they say") {
    World world = World::of_person();
    world.params.base_url = "https://proxy.example.com/v1";
    world.context.caller.environment = {{"ANTHROPIC_API_KEY", "sent"}};
    world.file("HF_TOKEN=of-file\n");
    CHECK(world.told("ANTHROPIC_API_KEY") == "sent");
    CHECK(world.told("HF_TOKEN") == "of-file");
    CHECK(world.options().base_url == "https://proxy.example.com/v1");
  }

  TEST_CASE("an agent without a server of its own gets the daemon's keys, then those of the file") {
    World world = World::of_agent();
    world.file("ANTHROPIC_API_KEY=of-file\nHF_TOKEN=of-file\nOPENAI_API_KEY=of-file\n");
    OwnVariable anthropic("ANTHROPIC_API_KEY", "of-daemon");
    OwnVariable address("OPENAI_BASE_URL", "http://h/v1");
    OwnVariable openai("OPENAI_API_KEY", ""); // as those set it who want to have it unset
    OwnVariable hf("HF_TOKEN", "");
    CHECK(world.told("ANTHROPIC_API_KEY") == "of-daemon");
    CHECK(world.told("OPENAI_BASE_URL") == "http://h/v1");
    CHECK(world.told("OPENAI_API_KEY") == "of-file");
    CHECK(world.told("HF_TOKEN") == "of-file");
    // Where something came with the call, that is it.
    world.context.caller.environment = {{"A_KEY", "sent"}};
    CHECK(world.told("A_KEY") == "sent");
    CHECK(world.told("OPENAI_BASE_URL") == "none");
    CHECK(world.told("ANTHROPIC_API_KEY") == "of-file");
  }

  // It may be anybody's: a loopback port is free for whoever takes it first, and what names it may
  // be the words of whoever wrote what the agent has just read.
  TEST_CASE("a server that an agent names gets none of the providers' keys, wherever they lie") {
    for (const std::string& key : provider_keys()) {
      CAPTURE(key);
      World world = World::of_agent();
      auto is_told_nowhere = [&] {
        for (const char* url : k_here) {
          CAPTURE(url);
          world.params.base_url = url;
          CHECK(world.told(key) == "none");
        }
        // These are refused before; if they were not, they would be told nothing either.
        for (const char* url : k_elsewhere) {
          CAPTURE(url);
          world.params.base_url = url;
          CHECK(world.told(key) == "none");
        }
        world.params.base_url.clear();
        CHECK(world.told(key) != "none"); // or there was nothing to hide
      };
      {
        OwnVariable own(key, "of-daemon");
        is_told_nowhere();
      }
      world.file(key + "=of-file\n");
      is_told_nowhere();
      world.context.caller.environment = {{key, "sent"}};
      is_told_nowhere();
    }
  }

  TEST_CASE("such a server gets the key that is for any server, and other agents' keys neither") {
    World world = World::of_agent();
    world.params.base_url = "http://127.0.0.1:8080/v1";
    world.file("GENERIC_API_KEY=of-file\nGEMINI_API_KEY=g\nCURSOR_API_KEY=c\n"
               "COPILOT_GITHUB_TOKEN=t\nNO_PROXY=n\n");
    CHECK(world.told(k_generic_key) == "of-file");
    CHECK(world.told("NO_PROXY") == "n");
    for (const char* key : {"GEMINI_API_KEY", "CURSOR_API_KEY", "COPILOT_GITHUB_TOKEN"}) {
      CAPTURE(key);
      CHECK(world.told(key) == "none");
    }
    OwnVariable own(k_generic_key, "of-daemon");
    CHECK(world.told(k_generic_key) == "of-daemon");
  }

  TEST_CASE("a file of keys that others can read ends the call, whoever asks") {
    for (World world : {World::of_person(), World::of_agent()}) {
      world.file("A_KEY=hush\n", 0644);
      CHECK(world.error().code == ErrorCode::refused);
      world.file("hush\n");
      CHECK(world.error().code == ErrorCode::corrupt);
    }
  }

  TEST_CASE("limits are those of the call") {
    World world = World::of_person();
    CHECK(world.options().in_flight == 0);
    CHECK_FALSE(world.options().limits.dollars);
    CHECK_FALSE(world.options().limits.tokens);
    CHECK_FALSE(world.options().limits.time);
    CHECK_FALSE(world.options().fresh);
    world.params.jobs = 3;
    world.params.budget = 0.5;
    world.params.token_budget = 1000;
    world.params.time_budget = 90;
    world.params.fresh = true;
    EvalModelOptions options = world.options();
    CHECK(options.in_flight == 3);
    CHECK(options.limits.dollars == 0.5);
    CHECK(options.limits.tokens == 1000);
    CHECK(options.limits.time == 90s);
    CHECK(options.fresh);
  }

  TEST_CASE("records lie where the caller is, and one that is to be replayed must be there") {
    World world = World::of_person();
    CHECK_FALSE(world.options().record);
    CHECK_FALSE(world.options().replay);
    world.params.replay = "answers";
    CHECK(world.error().code == ErrorCode::not_found);
    world.params.replay.clear();
    world.params.record = "answers";
    CHECK(world.options().record->folder() == world.context.caller.cwd + "/answers");
    CHECK(fs::is_directory(world.context.caller.cwd + "/answers"));
    world.params.record.clear();
    world.params.replay = "./x/../answers";
    CHECK(world.options().replay->folder() == world.context.caller.cwd + "/answers");
  }
}

TEST_SUITE("check_params") {
  TEST_CASE("an agent's server is on this machine, and a person's is anywhere") {
    for (const char* url : k_here) {
      CAPTURE(url);
      CHECK(check(at(url), false));
      CHECK(check(at(url), true));
    }
    for (const char* url : k_elsewhere) {
      CAPTURE(url);
      Result<void> checked = check(at(url), false);
      REQUIRE_FALSE(checked);
      CHECK(checked.error().code == ErrorCode::refused);
      CHECK(checked.error().message.starts_with("params.base_url: "));
      CHECK(check(at(url), true));
    }
    CHECK(check(at(""), false));
  }

  TEST_CASE("what writes files, or reads them outside of the skill, is a person's") {
    for (auto path : {&EvalParams::against,
                      &EvalParams::runs_dir,
                      &EvalParams::output,
                      &EvalParams::html,
                      &EvalParams::junit,
                      &EvalParams::csv,
                      &EvalParams::benchmark_json,
                      &EvalParams::record,
                      &EvalParams::replay}) {
      EvalParams params;
      params.*path = "some/where";
      CHECK(check(params, true));
      Result<void> checked = check(params, false);
      REQUIRE_FALSE(checked);
      CAPTURE(checked.error().message);
      CHECK(checked.error().code == ErrorCode::refused);
    }
  }

  TEST_CASE("one records or replays") {
    EvalParams both;
    both.record = both.replay = "answers";
    CHECK(check(both, true).error().code == ErrorCode::invalid_argument);
    for (auto path : {&EvalParams::record, &EvalParams::replay}) {
      EvalParams params;
      params.*path = "answers";
      for (const char* student : {"chat", "agent", "cli.claude-code"}) {
        params.student = {student};
        CHECK(check(params, true));
      }
    }
  }

  TEST_CASE("another agent is started by a person only, and without a sandbox by none else") {
    EvalParams open;
    open.no_sandbox = true;
    CHECK(check(open, true));
    CHECK(check(open, false).error().code == ErrorCode::refused);
    EvalParams params;
    params.student = {"cli.codex"};
    CHECK(check(params, true));
    CHECK(check(params, false).error().code == ErrorCode::refused);
    params.student = {"agent", "chat"};
    CHECK(check(params, false));
  }
}
