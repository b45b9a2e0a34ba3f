#include "tests/support/skills_world.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

Result<mcp::DirectoryPage> look(SkillsWorld& world, std::string uri, std::string cursor = {}) {
  return world.run(world.resources().read_directory(std::move(uri), std::move(cursor), {}));
}

std::vector<std::string> uris(const Result<mcp::DirectoryPage>& page) {
  REQUIRE(page);
  std::vector<std::string> all;
  for (const mcp::Resource& resource : page->resources) {
    all.push_back(resource.uri);
  }
  return all;
}

using Uris = std::vector<std::string>;

} // namespace

TEST_SUITE("resources/directory/read") {
  TEST_CASE("a skill and every folder below it show their direct children") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/references/one two.md", "12345");
    world.file(".agents/skills/a/references/deep/x.json", "{}");
    world.file(".agents/skills/a/notes", "plain\n");
    world.file(".agents/skills/a/.git/config", "s3cret");
    std::filesystem::create_directories(world / ".agents/skills/a/empty");
    auto root = look(world, "skill://a");
    CHECK(uris(root)
          == Uris{
              "skill://a/SKILL.md", "skill://a/empty", "skill://a/notes", "skill://a/references"});
    CHECK(root->next_cursor.empty());
    const mcp::Resource& document = root->resources[0];
    CHECK(document.name == "SKILL.md");
    CHECK(document.mime_type == "text/markdown");
    auto size = std::filesystem::file_size(world / ".agents/skills/a/SKILL.md");
    CHECK(document.size == static_cast<std::int64_t>(size));
    CHECK(document.last_modified.ends_with("Z"));
    CHECK(root->resources[1].mime_type == "inode/directory");
    CHECK_FALSE(root->resources[1].size);
    CHECK(root->resources[2].mime_type.empty()); // only its content would tell
    auto references = look(world, "skill://a/references");
    CHECK(uris(references)
          == Uris{"skill://a/references/deep", "skill://a/references/one%20two.md"});
    CHECK(references->resources[1].name == "one two.md");
    CHECK(references->resources[1].size == 5);
    CHECK(uris(look(world, "skill://a/references/deep"))
          == Uris{"skill://a/references/deep/x.json"});
    CHECK(uris(look(world, "skill://a/empty")).empty());
    // Every file that is shown can be read by its address.
    for (const mcp::Resource& resource : root->resources) {
      if (resource.mime_type != "inode/directory") {
        CHECK(world.run(world.resources().read(resource.uri, {})));
      }
    }
  }

  TEST_CASE("what is no folder of a skill is unknown, however it is written") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/sub/x", "x");
    world.file(".agents/skills/a/.git/config", "s3cret");
    world.file(".agents/skills/a_evil/x", "s3cret");
    world.file("secret/x", "s3cret");
    world.link(".agents/skills/a/out", world / "secret");
    world.link(".agents/skills/a/up", "..");
    world.link(".agents/skills/a/inside", "sub");
    world.link(".agents/skills/linked", world / "secret");
    for (std::string uri : {"skill://a/SKILL.md",
                            "skill://a/",
                            "skill://a/sub/",
                            "skill://a/none",
                            "skill://none",
                            "skill://",
                            "skill://a/sub/x",
                            "skill://a/sub/x/y",
                            "skill://a/.git",
                            "skill://a/..",
                            "skill://a/%2e%2e",
                            "skill://a/%2e%2e/a_evil",
                            "skill://a/..%2fa_evil",
                            "skill://a%2f..%2fa_evil",
                            "skill://a//sub",
                            "skill://a/.",
                            "skill://a/sub%00",
                            "skill://a/sub\\..",
                            "skill://a/sub%5c..",
                            "skill://a/out",
                            "skill://a/up",
                            "skill://a/inside",
                            "skill://linked",
                            "skill://a_evil",
                            "file:///",
                            "skill:///etc"}) {
      CAPTURE(uri);
      auto page = look(world, uri);
      REQUIRE_FALSE(page);
      CHECK(page.error().code == ErrorCode::not_found);
      CHECK(page.error().message.find("s3cret") == std::string::npos);
    }
    CHECK(uris(look(world, "skill://a")) == Uris{"skill://a/SKILL.md", "skill://a/sub"});
  }

  TEST_CASE("what has no address is left out, and a skill.md is shown as it is asked for") {
    SkillsWorld world;
    world.file(".agents/skills/low/skill.md", "---\nname: low\ndescription: d\n---\n");
    world.file(".agents/skills/low/back\\slash", "x");
    world.file(".agents/skills/low/bad\xFFname", "x");
    world.file(".agents/skills/low/sub/skill.md", "x");
    REQUIRE(::mkfifo((world / ".agents/skills/low/pipe").c_str(), 0600) == 0);
    CHECK(uris(look(world, "skill://low")) == Uris{"skill://low/SKILL.md", "skill://low/sub"});
    CHECK(uris(look(world, "skill://low/sub")) == Uris{"skill://low/sub/skill.md"});
    CHECK(world.run(world.resources().read("skill://low/SKILL.md", {})));
  }

  TEST_CASE("a project's skill is looked into below its own address") {
    SkillsWorld world;
    world.skill(".agents/skills/both");
    world.skill("work/.agents/skills/both");
    world.file("work/.agents/skills/both/docs/of-project.md", "x");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    auto listed = world.run(world.resources().list({}, {}));
    REQUIRE(listed->resources.size() == 2);
    std::string root = listed->resources[1].uri;
    root.resize(root.rfind('/'));
    CHECK(uris(look(world, root)) == Uris{root + "/SKILL.md", root + "/docs"});
    CHECK(uris(look(world, root + "/docs")) == Uris{root + "/docs/of-project.md"});
    CHECK(uris(look(world, "skill://both")) == Uris{"skill://both/SKILL.md"});
    // What stands before the name is no folder.
    CHECK_FALSE(look(world, root.substr(0, root.rfind('/'))));
  }

  TEST_CASE("large folders come in pages that go on after what was deleted") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::string folder = world / ".agents/skills/a/many";
    std::filesystem::create_directories(folder);
    for (int i = 0; i < 102; ++i) {
      std::ofstream(folder + "/f" + std::to_string(10'000 + i)) << i;
    }
    auto first = look(world, "skill://a/many");
    REQUIRE(uris(first).size() == 100);
    CHECK_FALSE(first->next_cursor.empty());
    std::filesystem::remove(folder + "/f10099"); // the last one of the first page
    auto second = look(world, "skill://a/many", first->next_cursor);
    CHECK(uris(second) == Uris{"skill://a/many/f10100", "skill://a/many/f10101"});
    CHECK(second->next_cursor.empty());
    CHECK(first->next_cursor.size() < 1024); // as long as clients may send
    for (std::string cursor : {std::string("nonsense"), "after-" + std::string(1000, 'x')}) {
      CAPTURE(cursor);
      auto wrong = look(world, "skill://a/many", cursor);
      REQUIRE_FALSE(wrong);
      CHECK(wrong.error().code == ErrorCode::invalid_argument);
    }
  }

  TEST_CASE("a page of long names ends before it is too long for a model") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::string folder = world / ".agents/skills/a/many";
    std::filesystem::create_directories(folder);
    for (int i = 0; i < 150; ++i) {
      std::ofstream(folder + "/" + std::string(240, '%') + std::to_string(10'000 + i)) << i;
    }
    std::size_t seen = 0;
    std::string cursor;
    do {
      auto page = look(world, "skill://a/many", cursor);
      REQUIRE(page);
      std::size_t bytes = 0;
      for (const mcp::Resource& resource : page->resources) {
        bytes += resource.uri.size() + resource.name.size();
      }
      CHECK(bytes <= 64u << 10);
      CHECK(bytes > 32u << 10); // and is not cut without need
      seen += page->resources.size();
      cursor = page->next_cursor;
    } while (!cursor.empty());
    CHECK(seen == 150);
  }
}
