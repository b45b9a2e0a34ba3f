#include "skills/install/skills_lock.h"
#include "tests/unit/daemon_install_world.h"

using namespace upskill;
using tests::InstallWorld;

namespace {

constexpr const char* k_lock = ".agents/.skill-lock.json";

// What the lock has, as `npx skills` would find it.
install::LockEntry entry(const InstallWorld& world, const std::string& name) {
  Result<install::SkillsLock> lock =
      install::SkillsLock::parse(install::LockKind::global, world.text(k_lock));
  REQUIRE_MESSAGE(lock, lock.error().message);
  std::map<std::string, install::LockEntry> entries = lock->entries();
  REQUIRE(entries.size() == 1);
  CAPTURE(entries.begin()->first);
  REQUIRE(entries.contains(name));
  return entries.at(name);
}

void offer_named(InstallWorld& world, const std::string& path, const std::string& name) {
  world.skills.file(path, "---\nname: " + name + "\ndescription: Shows how.\n---\n# Demo\n");
}

RemoveParams removal(const std::string& skill) {
  RemoveParams params;
  params.skill = {skill};
  return params;
}

} // namespace

TEST_SUITE("the lock file of npx skills") {
  TEST_CASE("its key is the name that the front matter says, and not that of the folder") {
    InstallWorld world;
    offer_named(world, "source/demo/SKILL.md", "My Demo");
    REQUIRE(world.installed("./source/demo").skill == "my-demo");
    CHECK(entry(world, "My Demo").source == world / "source/demo");
    CHECK(world.row("my-demo")->renamed_from.empty());
    offer_named(world, "source/demo/SKILL.md", "my demo");
    REQUIRE(world.updated().state == UpdateState::updated);
    entry(world, "my demo"); // and no other, since both are one folder
    REQUIRE(world.call(k_skill_remove, removal("my-demo")));
    CHECK(world.text(k_lock).find("emo") == std::string::npos);
  }

  TEST_CASE("an entry that takes another name keeps what only npx skills knows of it") {
    InstallWorld world;
    offer_named(world, "source/demo/SKILL.md", "My Demo");
    world.skills.file(k_lock,
                      R"({"version": 3, "skills": {"my-demo": {"source": "a/b", "sourceType": )"
                      R"("github", "pluginName": "office"}}})");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    CHECK(entry(world, "My Demo").source == world / "source/demo");
    CHECK(world.text(k_lock).find("\"pluginName\": \"office\"") != std::string::npos);
  }

  TEST_CASE("a skill that was given another name has that") {
    InstallWorld world;
    world.offer("source/demo");
    InstallParams params;
    params.source = "./source/demo";
    params.as = "other";
    REQUIRE(world.call(k_skill_install, params));
    entry(world, "other");
  }

  TEST_CASE("one of an older version stops nobody, stays, and is told") {
    InstallWorld world;
    world.offer("source/demo");
    const std::string older = R"({"version": 2, "skills": {"old": {"source": "a/b"}}})";
    world.skills.file(k_lock, older);
    Result<InstallResult> result = world.install("./source/demo");
    REQUIRE_MESSAGE(result, result.error().message);
    CHECK(result->skills[0].state == InstallState::installed);
    CHECK(tests::has_word(result->warnings, "older version"));
    CHECK(world.row("demo"));
    CHECK(world.update()->current == 1);
    CHECK(world.call(k_skill_remove, removal("demo")));
    CHECK(world.text(k_lock) == older);
    world.skills.file(k_lock, R"({"version": 4, "skills": {}})");
    CHECK_FALSE(world.install("./source/demo"));
  }

  TEST_CASE("the path within the source is that of the file that is there") {
    InstallWorld world;
    offer_named(world, "source/demo/skill.md", "demo");
    REQUIRE(world.installed("./source/demo").state == InstallState::installed);
    CHECK(entry(world, "demo").skill_path == "skill.md");
    InstallWorld other;
    offer_named(other, "source/demo/SKILL.md", "demo");
    REQUIRE(other.installed("./source").state == InstallState::installed);
    CHECK(entry(other, "demo").skill_path == "demo/SKILL.md");
  }
}
