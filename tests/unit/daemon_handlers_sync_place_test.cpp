#include "tests/support/skills_world.h"

#include <fstream>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;
namespace fs = std::filesystem;

namespace {

sync::PlaceOrder order_of(const std::string& name, const std::string& project = {}) {
  sync::Placement one;
  one.skill = name;
  one.reason = "installed";
  one.content = [name]() -> Result<sync::SharedFiles> {
    return std::make_shared<const sync::NewFiles>(
        sync::NewFiles{{"SKILL.md", {"---\nname: " + name + "\ndescription: d\n---\n"}}});
  };
  sync::PlaceOrder order;
  order.project = project;
  order.skills.push_back(std::move(one));
  return order;
}

std::vector<sync::Placed> place(SkillsWorld& world, sync::PlaceOrder order) {
  auto placed = world.run(world.service().place(std::move(order)));
  REQUIRE_MESSAGE(placed, placed.error().message);
  return std::move(*placed);
}

SyncSettings saved(SkillsWorld& world) {
  Result<SyncSettings> settings =
      load_settings(world.service().context().places.data + "/sync.json");
  REQUIRE(settings);
  return *settings;
}

std::size_t entries(SkillsWorld& world) {
  auto log = [](sync::Engine& engine) { return engine.log({}); };
  auto entries = world.run(world.service().lane().with_engine(std::move(log)));
  REQUIRE(entries);
  return entries->entries.size();
}

} // namespace

TEST_SUITE("SyncService: place") {
  TEST_CASE("places a skill whether or not sync is on, tells clients, and nothing follows") {
    for (bool on : {false, true}) {
      SkillsWorld world;
      if (on) {
        REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
      }
      world.wait_idle();
      world.updated().clear();
      std::vector<sync::Placed> placed = place(world, order_of("pdf"));
      CHECK(placed[0].state == sync::PlacedState::placed);
      CHECK(fs::exists(world / ".claude/skills/pdf/SKILL.md"));
      CHECK(fs::exists(world / ".agents/skills/pdf/SKILL.md"));
      world.wait_idle();
      CHECK(world.updated().contains("skill://pdf/"));
      CHECK(entries(world) == 1);
      auto round = world.run(world.service().run_now({}, true));
      REQUIRE(round);
      CHECK(round->steps.empty());
      // Where it is, and what it was.
      auto looked = world.run(world.service().look_at({}, {"pdf", "gone"}));
      REQUIRE(looked);
      CHECK((*looked)[0] == placed[0].hash);
      CHECK_FALSE((*looked)[1]);
      auto versions = world.run(world.service().versions({}, "pdf"));
      REQUIRE(versions);
      CHECK(versions->size() == 1);
      CHECK(world.run(world.service().files_of(placed[0].hash))->contains("SKILL.md"));
      CHECK(world.run(world.service().pin({placed[0].hash})));
      world.updated().clear();
      sync::TakeAwayOrder order;
      order.skills = {"pdf"};
      auto taken = world.run(world.service().take_away(order));
      REQUIRE(taken);
      CHECK((*taken)[0].paths.size() == placed[0].paths.size());
      CHECK_FALSE(fs::exists(world / ".claude/skills/pdf"));
      world.wait_idle();
      CHECK(world.updated().contains("skill://pdf/"));
      CHECK_FALSE(fs::exists(world / ".agents/skills/pdf"));
      CHECK(entries(world) == 2);
    }
  }

  TEST_CASE("knows a project where something was placed, and does not synchronise it") {
    SkillsWorld world;
    fs::create_directories(world / "project");
    world.wait_idle();
    sync::PlaceOrder rehearsal = order_of("pdf", world / "project");
    rehearsal.dry_run = true;
    CHECK(place(world, rehearsal)[0].paths.size() > 0);
    CHECK(saved(world).projects.empty());
    place(world, order_of("pdf", world / "project"));
    CHECK(fs::exists(world / "project/.claude/skills/pdf/SKILL.md"));
    CHECK(saved(world).projects == std::vector<ProjectSettings>{{world / "project", true}});
    auto scene = world.run(world.service().scene());
    CHECK_FALSE((*scene)->sync_is_on());
    world.skill("project/.claude/skills/mine");
    world.wait_idle();
    CHECK_FALSE(fs::exists(world / "project/.agents/skills/mine"));
    auto undone = world.call(k_sync_undo, SyncUndoParams{});
    REQUIRE_MESSAGE(undone, undone.error().message);
    CHECK_FALSE(fs::exists(world / "project/.claude/skills/pdf"));
    SyncEnableParams enabling;
    enabling.project = world / "project";
    REQUIRE(world.call(k_sync_enable, enabling));
    CHECK(saved(world).projects == std::vector<ProjectSettings>{{world / "project", false}});
    world.wait_idle();
    CHECK(fs::exists(world / "project/.agents/skills/mine"));
    auto nowhere = world.run(world.service().place(order_of("pdf", world / "nowhere")));
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("says why where there is no store") {
    SkillsWorld world;
    fs::create_directories(world / ".local/state/upskill");
    std::ofstream(world / ".local/share") << "no folder";
    auto placed = world.run(world.service().place(order_of("pdf")));
    REQUIRE_FALSE(placed);
    CHECK(placed.error().message.starts_with("the store of skills cannot be used: "));
    CHECK_FALSE(placed.error().hint.empty());
    CHECK_FALSE(fs::exists(world / ".claude/skills/pdf"));
  }
}
