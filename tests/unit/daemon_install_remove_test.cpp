#include "tests/unit/daemon_install_world.h"

using namespace upskill;
using tests::InstallWorld;
namespace fs = std::filesystem;

namespace {

RemoveParams these(std::vector<std::string> skills) {
  RemoveParams params;
  params.skill = std::move(skills);
  return params;
}

} // namespace

TEST_SUITE("skill_remove") {
  TEST_CASE("it goes from agents' folders, the record and the lock, and its source stays") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    RemoveParams params = these({"demo"});
    params.dry_run = true;
    REQUIRE(world.call(k_skill_remove, params));
    CHECK(world.has(".claude/skills/demo"));
    CHECK(world.row("demo"));
    Result<RemoveResult> removed = world.call(k_skill_remove, these({"demo"}));
    REQUIRE_MESSAGE(removed, removed.error().message);
    REQUIRE(removed->skills.size() == 1);
    CHECK_FALSE(removed->skills[0].paths.empty());
    CHECK_FALSE(world.has(".claude/skills/demo"));
    CHECK_FALSE(world.row("demo"));
    CHECK(world.text(".agents/.skill-lock.json").find("demo") == std::string::npos);
    CHECK(world.has("source/demo/SKILL.md"));
  }

  TEST_CASE("exactly what was asked goes") {
    InstallWorld world;
    world.offer("source/demo");
    world.offer("source/demo-two");
    InstallParams params;
    params.source = "./source";
    params.all = true;
    REQUIRE(world.call(k_skill_install, params));
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    CHECK(world.has(".claude/skills/demo-two"));
    Result<RemoveResult> unknown = world.call(k_skill_remove, these({"demo-two", "demo-tw"}));
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::not_found);
    CHECK(unknown.error().hint.find("demo-two") != std::string::npos);
    CHECK(world.has(".claude/skills/demo-two"));
  }

  TEST_CASE("a row of what is not here any more is forgotten") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    for (const char* root : {".claude/skills", ".agents/skills", ".codex/skills"}) {
      fs::remove_all(world / (std::string(root) + "/demo"));
    }
    Result<RemoveResult> removed = world.call(k_skill_remove, these({"demo"}));
    REQUIRE_MESSAGE(removed, removed.error().message);
    CHECK_FALSE(world.row("demo"));
  }
}

TEST_SUITE("a removal that is taken back") {
  TEST_CASE("an undone removal counts as installed again, in the record and in the lock") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    std::optional<install::InstallRow> before = world.row("demo");
    std::string lock = world.text(".agents/.skill-lock.json");
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    CHECK(world.update()->current == 0);
    CHECK_FALSE(world.row("demo"));
    REQUIRE(world.skills.call(k_sync_undo, {}));
    REQUIRE(world.has(".claude/skills/demo"));
    CHECK(world.update()->current == 1);
    CHECK(world.row("demo") == before);
    CHECK(world.text(".agents/.skill-lock.json") == lock);
    world.offer("source/demo", "# New\n");
    CHECK(world.updated().state == UpdateState::updated);
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    CHECK_FALSE(world.row("demo"));
  }

  TEST_CASE("what was edited before it was removed is still edited") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    std::optional<install::InstallRow> before = world.row("demo");
    for (const char* root : {".claude/skills", ".agents/skills", ".codex/skills"}) {
      if (world.has(std::string(root) + "/demo")) {
        world.offer(std::string(root) + "/demo", "# Mine\n");
      }
    }
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    REQUIRE(world.skills.call(k_sync_undo, {}));
    REQUIRE(world.has(".claude/skills/demo"));
    CHECK(world.updated().state == UpdateState::edited);
    CHECK(world.row("demo") == before);
  }

  TEST_CASE("rolled back to, it counts again at once, with its agents") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    std::optional<install::InstallRow> before = world.row("demo");
    std::string lock = world.text(".agents/.skill-lock.json");
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    RollbackParams params;
    params.skill = "demo";
    params.dry_run = true;
    REQUIRE(world.call(k_skill_rollback, params));
    CHECK_FALSE(world.row("demo"));
    params.dry_run = false;
    Result<RollbackResult> back = world.call(k_skill_rollback, params);
    REQUIRE_MESSAGE(back, back.error().message);
    REQUIRE(world.has(".claude/skills/demo"));
    CHECK(world.row("demo") == before);
    CHECK(world.text(".agents/.skill-lock.json") == lock);
  }

  TEST_CASE("another skill of that name is not taken for it") {
    InstallWorld world;
    world.offer("source/demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    REQUIRE(world.call(k_skill_remove, these({"demo"})));
    world.offer(".claude/skills/demo", "# Somebody's own\n");
    CHECK(world.update()->current == 0);
    CHECK_FALSE(world.row("demo"));
    CHECK(world.text(".agents/.skill-lock.json").find("demo") == std::string::npos);
  }
}

TEST_SUITE("skill_rollback") {
  TEST_CASE("an earlier version comes back, and the next update knows what was installed") {
    InstallWorld world;
    world.offer("source/demo", "# One\n");
    std::string one = world.installed("./source/demo").hash;
    world.offer("source/demo", "# Two\n");
    std::string two = world.updated().after;
    RollbackParams params;
    params.skill = "demo";
    params.list = true;
    Result<RollbackResult> listed = world.call(k_skill_rollback, params);
    REQUIRE_MESSAGE(listed, listed.error().message);
    REQUIRE(listed->versions.size() >= 2);
    CHECK(listed->versions[0].hash == two);
    CHECK(listed->versions[0].current);
    CHECK(listed->versions[0].installed);
    params.list = false;
    Result<RollbackResult> back = world.call(k_skill_rollback, params);
    REQUIRE_MESSAGE(back, back.error().message);
    CHECK(back->before == two);
    CHECK(back->after == one);
    CHECK(back->diff.find("+# One\n") != std::string::npos);
    CHECK(world.text(".claude/skills/demo/SKILL.md").ends_with("# One\n"));
    CHECK(world.row("demo")->base.hex() == two);
    params.version = two.substr(0, 10);
    REQUIRE(world.call(k_skill_rollback, params));
    CHECK(world.text(".claude/skills/demo/SKILL.md").ends_with("# Two\n"));
    params.version = "0123456789";
    Result<RollbackResult> unknown = world.call(k_skill_rollback, params);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::not_found);
  }
}
