#include "daemon/sync/settings.h"
#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_settings = ".local/share/upskill/sync.json";

SyncSettings saved(const SkillsWorld& world) {
  auto settings = load_settings(world / k_settings);
  REQUIRE(settings);
  return std::move(*settings);
}

SyncStatusResult status(SkillsWorld& world) {
  auto answer = world.call(k_sync_status, SyncStatusParams{});
  REQUIRE(answer);
  return std::move(*answer);
}

SyncEnableParams of_project(const std::string& path) {
  SyncEnableParams params;
  params.project = path;
  return params;
}

bool any_refused(SkillsWorld& world) {
  return std::ranges::any_of(
      status(world).roots, [](const RootStatus& root) { return root.state == RootState::refused; });
}

bool is_warned_of(SkillsWorld& world, std::string_view text) {
  return std::ranges::any_of(status(world).warnings, [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

} // namespace

TEST_SUITE("sync enable and disable") {
  TEST_CASE("who hangs up leaves settings, engine and watcher of one mind") {
    SkillsWorld world;
    world.wait_idle();
    int enabled = 0;
    int disabled = 0;
    for (int turns = 0; turns < 40; ++turns) {
      CAPTURE(turns);
      std::string first = "first" + std::to_string(turns);
      std::string second = "second" + std::to_string(turns);
      world.skill(".claude/skills/" + first);
      auto enabling = world.ask(k_sync_enable, SyncEnableParams{});
      world.turn(*enabling, turns);
      enabling->hang_up.emit(asio::cancellation_type::terminal);
      world.until_answered(*enabling);
      world.wait_idle();
      bool is_on = saved(world).enabled;
      enabled += is_on;
      CHECK(status(world).enabled == is_on);
      CHECK(fs::exists(world / ".agents/skills/" + first) == is_on);
      world.skill(".claude/skills/" + second);
      world.wait_idle();
      CHECK(fs::exists(world / ".agents/skills/" + second) == is_on);
      REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
      auto disabling = world.ask(k_sync_disable, SyncDisableParams{});
      world.turn(*disabling, turns);
      disabling->hang_up.emit(asio::cancellation_type::terminal);
      world.until_answered(*disabling);
      world.wait_idle();
      bool is_off = !saved(world).enabled;
      disabled += is_off;
      CHECK(status(world).enabled == !is_off);
      REQUIRE(world.call(k_sync_disable, SyncDisableParams{}));
    }
    CHECK(enabled > 0);
    CHECK(disabled > 0);
  }

  TEST_CASE("calls at the same time lose nothing of each other") {
    SkillsWorld world;
    std::vector<std::unique_ptr<SkillsWorld::Asked>> asked;
    std::vector<std::string> wanted;
    for (const char* name : {"p0", "p1", "p2", "p3"}) {
      wanted.push_back(world / name);
      fs::create_directory(wanted.back());
      asked.push_back(world.ask(k_sync_enable, of_project(wanted.back())));
    }
    asked.push_back(world.ask(k_sync_enable, SyncEnableParams{}));
    for (const auto& one : asked) {
      world.until_answered(*one);
      CHECK(*one->answer);
    }
    SyncSettings settings = saved(world);
    CHECK(settings.enabled);
    std::vector<std::string> kept;
    for (const ProjectSettings& project : settings.projects) {
      kept.push_back(project.path);
    }
    CHECK(kept == wanted); // in the order of the calls
  }

  TEST_CASE("an empty list that is given empties the one before, an absent one keeps it") {
    SkillsWorld world;
    SyncEnableParams all;
    all.agents = {"claude-code"};
    all.without = {"cursor"};
    all.link = {"codex"};
    all.exclude = {"outside"};
    REQUIRE(world.call(k_sync_enable, all));
    REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
    SyncSettings settings = saved(world);
    CHECK(settings.agents == *all.agents);
    CHECK(settings.without == *all.without);
    CHECK(settings.link == *all.link);
    CHECK(settings.exclude == *all.exclude);
    for (auto* list : {&all.agents, &all.without, &all.link, &all.exclude}) {
      (*list)->clear();
    }
    REQUIRE(world.call(k_sync_enable, all));
    settings = saved(world);
    CHECK(settings.agents.empty());
    CHECK(settings.without.empty());
    CHECK(settings.link.empty());
    CHECK(settings.exclude.empty());
  }

  TEST_CASE("a project is one folder, however it is spelled") {
    SkillsWorld world;
    world.skill("proj/.claude/skills/a");
    world.link("plink", world / "proj");
    REQUIRE(world.call(k_sync_enable, of_project(world / "plink")));
    REQUIRE(world.call(k_sync_enable, of_project(world / "proj")));
    REQUIRE(world.call(k_sync_enable, of_project(world / "plink/../proj/")));
    CHECK(saved(world).projects == std::vector<ProjectSettings>{{world / "proj"}});
    CHECK_FALSE(any_refused(world));
    CHECK(fs::exists(world / "proj/.agents/skills/a"));
    SyncDisableParams disable;
    disable.project = world / "plink";
    REQUIRE(world.call(k_sync_disable, disable));
    CHECK(saved(world).projects.empty());
  }

  TEST_CASE("two spellings that were kept by an older version are one project") {
    SkillsWorld world;
    world.skill("proj/.claude/skills/a");
    world.link("plink", world / "proj");
    SyncSettings older;
    older.projects = {{world / "proj"}, {world / "plink"}};
    REQUIRE(save_settings(world / k_settings, older));
    world.wait_idle();
    CHECK_FALSE(any_refused(world));
    CHECK(fs::exists(world / "proj/.agents/skills/a"));
  }

  TEST_CASE("what is no folder is no project, and one that is gone can be left") {
    SkillsWorld world;
    world.file("file", "text");
    for (const char* path : {"nonexistent/x", "file"}) {
      CAPTURE(path);
      auto refused = world.call(k_sync_enable, of_project(world / path));
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::invalid_argument);
      CHECK(refused.error().message.find(world / path) != std::string::npos);
    }
    CHECK_FALSE(fs::exists(world / k_settings));
    fs::create_directory(world / "proj");
    REQUIRE(world.call(k_sync_enable, of_project(world / "proj")));
    fs::remove(world / "proj");
    SyncDisableParams disable;
    disable.project = world / "proj";
    REQUIRE(world.call(k_sync_disable, disable));
    CHECK(saved(world).projects.empty());
  }

  TEST_CASE("an agent in sync.json that we do not know locks nobody out") {
    SkillsWorld world;
    world.skill(".claude/skills/a");
    SyncSettings strange;
    strange.enabled = true;
    strange.agents = {"claude-code", "nosuch"};
    REQUIRE(save_settings(world / k_settings, strange));
    CHECK(world.call(k_skill_list, SkillListParams{})->skills.size() == 1);
    CHECK(status(world).enabled);
    CHECK(status(world).agents == std::vector<std::string>{"claude-code"});
    CHECK(is_warned_of(world, "`nosuch`"));
    SyncEnableParams enable;
    enable.link = {"nosuch"};
    auto refused = world.call(k_sync_enable, enable);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    REQUIRE(world.call(k_sync_disable, SyncDisableParams{}));
    CHECK_FALSE(saved(world).enabled);
    enable.link = {};
    enable.agents = {"claude-code"};
    REQUIRE(world.call(k_sync_enable, enable));
    CHECK_FALSE(is_warned_of(world, "`nosuch`"));
  }

  TEST_CASE("settings that were damaged are no problem any more once they are written anew") {
    SkillsWorld world;
    world.file(k_settings, "garbage");
    world.wait_idle();
    CHECK(is_warned_of(world, "sync.json"));
    REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
    CHECK_FALSE(is_warned_of(world, "sync.json"));
  }
}

TEST_SUITE("sync now") {
  TEST_CASE("how far it is, what it did and what somebody should know is told as it happens") {
    SkillsWorld world;
    REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
    world.wait_idle();
    world.skill(".claude/skills/pdf");
    double last = 0;
    std::vector<std::string> said;
    daemon::RequestContext context;
    context.progress = [&](double done, std::optional<double> of, std::string_view) {
      CHECK(done > last);
      CHECK(of == 1);
      last = done;
    };
    context.log = [&](mcp::LogLevel level, std::string_view logger, std::string_view data) {
      CHECK(level == mcp::LogLevel::debug);
      CHECK(logger == "sync");
      said.emplace_back(data);
    };
    Result<SyncNowResult> result = world.call(k_skill_sync, SkillSyncParams{}, context);
    REQUIRE(result);
    CHECK(last == 1);
    REQUIRE(said.size() == result->steps.size());
    CHECK_FALSE(said.empty());
    CHECK(said.front() == encode(result->steps.front()));
    said.clear();
    last = 0;
    SkillSyncParams rehearsal;
    rehearsal.dry_run = true;
    REQUIRE(world.call(k_skill_sync, rehearsal, context));
    CHECK(said.empty());
    CHECK(last == 1);
  }
}

TEST_SUITE("SyncService") {
  TEST_CASE("a look that is asked for comes to its end, whoever hangs up") {
    int looked = 0;
    for (int turns = 0; turns < 20; ++turns) {
      CAPTURE(turns);
      SkillsWorld world;
      world.skill(".claude/skills/a");
      // The link is further up, where nobody watches, and leads to what is no place for skills.
      fs::create_directory(world / "elsewhere");
      world.link("elsewhere/skills", world.home());
      world.link(".agents", world / "elsewhere");
      REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
      REQUIRE(any_refused(world));
      world.skill("away/skills/b");
      fs::remove(world / ".agents");
      fs::rename(world / "away", world / ".agents");
      auto looking = world.ask(k_sync_now, SyncNowParams{});
      world.turn(*looking, turns);
      looking->hang_up.emit(asio::cancellation_type::terminal);
      world.until_answered(*looking);
      world.wait_idle();
      looked += !any_refused(world);
      CHECK(fs::exists(world / ".claude/skills/b") == !any_refused(world));
    }
    CHECK(looked > 0);
  }

  TEST_CASE("a store that could not be used for a moment is tried again") {
    SkillsWorld world;
    world.skill(".claude/skills/a");
    SyncSettings on;
    on.enabled = true;
    REQUIRE(save_settings(world / k_settings, on));
    const std::string database = world / ".local/state/upskill/sync.db";
    fs::create_directories(database);
    CHECK(status(world).state == SyncState::stopped);
    auto refused = world.call(k_sync_plan, SyncNowParams{});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with("sync is on, but stopped: "));
    fs::remove(database);
    SUBCASE("by whoever asks for a round") {
      auto done = world.call(k_sync_now, SyncNowParams{});
      REQUIRE_MESSAGE(done, done.error().message);
      CHECK(done->steps.size() == 1);
    }
    SUBCASE("by itself") {
      world.until([&] { return !world.service().why_stopped(); });
    }
    world.wait_idle();
    CHECK(fs::exists(world / ".agents/skills/a"));
    CHECK(status(world).enabled);
    CHECK(status(world).state == SyncState::idle);
  }

  TEST_CASE("sync can be switched off while its store cannot be used") {
    SkillsWorld world;
    SyncSettings on;
    on.enabled = true;
    REQUIRE(save_settings(world / k_settings, on));
    fs::create_directories(world / ".local/state/upskill/sync.db");
    CHECK(status(world).state == SyncState::stopped);
    auto disabled = world.call(k_sync_disable, SyncDisableParams{});
    REQUIRE_MESSAGE(disabled, disabled.error().message);
    CHECK_FALSE(disabled->enabled);
    CHECK_FALSE(saved(world).enabled);
    CHECK(status(world).state == SyncState::off);
  }

  TEST_CASE("what cannot be tidied away is told in the log") {
    SkillsWorld world;
    world.file(".local/share/upskill/trash", "no folder");
    world.wait_idle(); // which does not wait for what is tidied
    world.until([&] { return world.log().find("cannot be tidied away: ") != std::string::npos; });
  }
}
