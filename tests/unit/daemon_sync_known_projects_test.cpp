#include "daemon/sync/settings.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("SyncSettings: projects that are only known") {
  TEST_CASE("stay so over a restart, and until sync is enabled there") {
    tests::TemporaryFolder folder;
    const std::string path = folder.path() + "/sync.json";
    const std::string project = folder.path() + "/project";
    std::filesystem::create_directory(project);
    SyncSettings settings = with_known({}, project);
    REQUIRE(save_settings(path, settings));
    settings = load_settings(path).value();
    REQUIRE(settings.projects.size() == 1);
    CHECK_FALSE(settings.projects[0].is_enabled());
    CHECK(with_known(settings, project) == settings);
    CHECK(project_path(settings, project + "/../project").value() == project);
    SyncEnableParams params;
    params.project = project;
    settings = with_enabled(settings, agents::AgentTable{}, params).value();
    REQUIRE(save_settings(path, settings));
    settings = load_settings(path).value();
    REQUIRE(settings.projects.size() == 1);
    CHECK(settings.projects[0].is_enabled());
    CHECK(with_known(settings, project) == settings);
  }

  TEST_CASE("are no projects under sync") {
    const SyncSettings settings = with_known({}, "/nowhere");
    SyncDisableParams params;
    params.project = "/nowhere";
    CHECK(with_disabled(settings, params) == settings);
  }
}
