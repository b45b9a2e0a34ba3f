#include "daemon/handlers/configuration.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;
using tests::put_file;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

// A person in a project, with a home.
struct World {
  World() {
    caller.cwd = folder / "project";
    places.home = folder / "home";
    places.config = places.home + "/.config/upskill";
    fs::create_directories(caller.cwd);
    fs::create_directories(places.config);
  }

  void of_project(std::string_view text) { put_file(caller.cwd + "/upskill.config.yaml", text); }

  void of_user(std::string_view text) { put_file(places.config + "/config.yaml", text); }

  FoundConfig found() const {
    Result<FoundConfig> config = find_config(caller, places);
    if (!config) {
      FAIL(config.error().message);
    }
    return *config;
  }

  Error error() const {
    Result<FoundConfig> config = find_config(caller, places);
    REQUIRE_FALSE(config);
    return config.error();
  }

  TemporaryFolder folder;
  CallContext caller;
  Places places;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("find_config") {
  TEST_CASE("without a file it is the defaults") {
    World world;
    FoundConfig found = world.found();
    CHECK(found.source.empty());
    CHECK(found.config.skill_generation_model == "sonnet");
    CHECK(found.runs_dir == world.caller.cwd + "/runs");
    CHECK(found.skills_dir == world.caller.cwd + "/skills");
  }

  TEST_CASE("the first one there is counts, whole") {
    World world;
    world.of_user("eval_model: of-user\nnum_runs: 7\nruns_dir: ~/runs\n");
    CHECK(world.found().config.eval_model == "of-user");
    CHECK(world.found().source == world.places.config + "/config.yaml");
    CHECK(world.found().runs_dir == world.places.home + "/runs");
    world.of_project("eval_model: of-project\n");
    CHECK(world.found().config.eval_model == "of-project");
    CHECK_FALSE(world.found().config.num_runs); // nothing is merged
    CHECK(world.found().source == world.caller.cwd + "/upskill.config.yaml");
    put_file(world.folder / "named.yaml", "eval_model: of-option\nruns_dir: /data/runs\n");
    world.caller.config = world.folder / "named.yaml";
    CHECK(world.found().config.eval_model == "of-option");
    CHECK(world.found().runs_dir == "/data/runs");
    world.caller.config = "../named.yaml"; // UPSKILL_CONFIG may be relative
    CHECK(world.found().config.eval_model == "of-option");
  }

  TEST_CASE("a named one that is not there is an error") {
    World world;
    world.of_user("eval_model: of-user\n");
    world.caller.config = "nowhere.yaml";
    CHECK(world.error().code == ErrorCode::not_found);
    CHECK(has(world.error().message, "`nowhere.yaml`"));
    CHECK(has(world.error().hint, "UPSKILL_CONFIG"));
  }

  TEST_CASE("one that is wrong is an error with its name, and none behind it is taken") {
    World world;
    world.of_user("eval_model: of-user\n");
    world.of_project("num_runs: many\n");
    CHECK(world.error().code == ErrorCode::invalid_argument);
    CHECK(has(world.error().message, world.caller.cwd + "/upskill.config.yaml"));
    CHECK(has(world.error().message, "`num_runs`"));
    world.of_project(std::string(config::k_max_config + 1, '#'));
    CHECK(world.error().code == ErrorCode::too_large);
    fs::remove(world.caller.cwd + "/upskill.config.yaml");
    fs::create_directories(world.caller.cwd + "/upskill.config.yaml");
    CHECK(world.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("a project stays inside, by links too") {
    World world;
    world.of_project("runs_dir: out/runs\n");
    CHECK(world.found().runs_dir == world.caller.cwd + "/out/runs");
    world.of_project("runs_dir: ../runs\n");
    CHECK(world.error().code == ErrorCode::refused);
    fs::create_directories(world.folder / "elsewhere");
    fs::create_symlink(world.folder / "elsewhere", world.caller.cwd + "/out");
    world.of_project("runs_dir: out/runs\n");
    CHECK(world.error().code == ErrorCode::refused);
    // The same words in a file that the person names are the person's.
    world.caller.config = "upskill.config.yaml";
    CHECK(world.found().runs_dir == world.caller.cwd + "/out/runs");
  }

  TEST_CASE("a project asks for few samples, the person for as many as they like") {
    World world;
    world.of_project("num_runs: 10\nmax_parallel: 20\n");
    CHECK(world.found().config.num_runs == 10);
    CHECK(world.found().config.max_parallel == 20);
    CHECK(world.found().config.warnings.empty());
    world.of_project("num_runs: 11\nmax_parallel: 21\n");
    CHECK(world.found().config.num_runs == 10);
    CHECK(world.found().config.max_parallel == 20);
    REQUIRE(world.found().config.warnings.size() == 2);
    CHECK(has(world.found().config.warnings[0], "upskill.config.yaml`: `num_runs`"));
    CHECK(has(world.found().config.warnings[1], "upskill.config.yaml`: `max_parallel`"));
    // The same file, named by the person.
    world.caller.config = "upskill.config.yaml";
    CHECK(world.found().config.num_runs == 11);
    CHECK(world.found().config.max_parallel == 21);
    CHECK(world.found().config.warnings.empty());
    world.caller = {};
    world.of_user("num_runs: 1000\nmax_parallel: 1000\n");
    CHECK(world.found().config.num_runs == 1000);
    CHECK(world.found().config.max_parallel == 1000);
  }

  TEST_CASE("without a folder it is the user's, and what is relative leads nowhere") {
    World world;
    world.of_project("eval_model: of-project\n");
    world.of_user("eval_model: of-user\nskills_dir: /data/skills\n");
    world.caller = {};
    CHECK(world.found().config.eval_model == "of-user");
    CHECK(world.found().runs_dir.empty());
    CHECK(world.found().skills_dir == "/data/skills");
  }

  TEST_CASE("warnings name the file") {
    World world;
    world.of_project("eval_modle: haiku\n");
    REQUIRE(world.found().config.warnings.size() == 1);
    CHECK(has(world.found().config.warnings[0], "upskill.config.yaml`: `eval_modle`"));
  }
}
