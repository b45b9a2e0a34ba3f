#include "daemon/handlers/mime_type.h"
#include "protocol/base/utf8.h"
#include "skills/library/skill_uri.h"
#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

Result<mcp::ResourceContents> read(SkillsWorld& world, std::string uri) {
  Result<mcp::Answer> answer = world.run(world.resources().read(std::move(uri), {}));
  if (!answer) {
    return tl::make_unexpected(answer.error());
  }
  return std::get<mcp::ResourceContents>(*std::move(answer));
}

mcp::ResourcePage list(SkillsWorld& world, std::string cursor = {}) {
  auto page = world.run(world.resources().list(std::move(cursor), {}));
  REQUIRE(page);
  return std::move(*page);
}

} // namespace

TEST_SUITE("SkillResources") {
  TEST_CASE("each skill is one resource") {
    SkillsWorld world;
    world.skill(".agents/skills/b", "second");
    world.skill(".claude/skills/b", "second");
    world.file(".agents/skills/a folder/SKILL.md",
               "---\nname: its own name\ndescription: first\n---\n");
    world.link(".agents/skills/c", world / "elsewhere");
    world.skill("elsewhere", "out of reach");
    auto page = list(world);
    REQUIRE(page.resources.size() == 2);
    CHECK(page.next_cursor.empty());
    CHECK(page.resources[0].uri == "skill://a%20folder/SKILL.md");
    CHECK(page.resources[0].name == "its own name");
    CHECK(page.resources[0].description == "first");
    CHECK(page.resources[0].mime_type == "text/markdown");
    CHECK(page.resources[0].size == 46);
    CHECK(page.resources[0].last_modified.ends_with("Z"));
    CHECK(page.resources[1].name == "b");
    for (const mcp::Resource& resource : page.resources) {
      auto contents = read(world, resource.uri);
      REQUIRE(contents);
      CHECK(static_cast<std::int64_t>(contents->bytes.size()) == *resource.size);
      CHECK(contents->is_text);
      CHECK(contents->mime_type == "text/markdown");
    }
  }

  TEST_CASE("every file of a skill can be read, and nothing else") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/references/x y.json", "{}");
    world.file(".agents/skills/a/logo.png", std::string("\x89PNG\0", 5));
    world.file(".agents/skills/a/notes", "plain\n");
    world.file(".agents/skills/a/.git/config", "s3cret");
    world.file("secret", "s3cret");
    world.link(".agents/skills/a/out", "../../../secret");
    auto json = read(world, "skill://a/references/x%20y.json");
    REQUIRE(json);
    CHECK(json->bytes == "{}");
    CHECK(json->mime_type == "application/json");
    CHECK(json->uri == "skill://a/references/x%20y.json");
    auto picture = read(world, "skill://a/logo.png");
    CHECK_FALSE(picture->is_text);
    CHECK(picture->mime_type == "image/png");
    CHECK(picture->bytes.size() == 5);
    CHECK(read(world, "skill://a/notes")->mime_type == "text/plain");
    for (const char* uri : {"skill://a/none",
                            "skill://none/SKILL.md",
                            "skill://a/references",
                            "skill://a/.git/config",
                            "skill://a/%2e%2e/%2e%2e/%2e%2e/secret",
                            "skill://a/..%2f..%2f..%2fsecret",
                            "skill://a//etc/passwd",
                            "skill://a/out"}) {
      CAPTURE(uri);
      auto refused = read(world, uri);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::not_found);
    }
  }

  TEST_CASE("a project's skills have addresses of their own") {
    SkillsWorld world;
    world.skill(".agents/skills/both", "of the user");
    world.skill("work/.agents/skills/both", "of the project");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    auto page = list(world);
    REQUIRE(page.resources.size() == 2);
    CHECK(page.resources[1].uri == library::skill_uri(world / "work", "both", "SKILL.md"));
    CHECK(read(world, page.resources[0].uri)->bytes.find("of the user") != std::string::npos);
    CHECK(read(world, page.resources[1].uri)->bytes.find("of the project") != std::string::npos);
  }

  TEST_CASE("what clients are told has changed is called as in the list") {
    SkillsWorld world;
    world.skill(".agents/skills/100% mine");
    world.skill("work/.agents/skills/theirs");
    SyncEnableParams enable;
    REQUIRE(world.call(k_sync_enable, enable));
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    world.wait_idle();
    std::set<std::string> listed;
    for (const mcp::Resource& resource : list(world).resources) {
      REQUIRE(resource.uri.ends_with("/SKILL.md"));
      listed.insert(resource.uri.substr(0, resource.uri.rfind('/') + 1));
    }
    REQUIRE(listed.size() == 2);
    CHECK(world.updated() == listed); // by what sync did
    world.updated().clear();
    world.skill(".agents/skills/100% mine", "edited");
    world.skill("work/.agents/skills/theirs", "edited");
    world.wait_idle();
    CHECK(world.updated() == listed);
  }

  TEST_CASE("who subscribed to a skill that goes is told once") {
    SkillsWorld world;
    world.skill(".agents/skills/alpha");
    world.file(".agents/skills/alpha/references/deep/a.md", "one\n");
    world.skill(".agents/skills/beta");
    world.wait_idle();
    world.updated().clear();
    world.updates() = 0;
    // As a person removes it: file by file, the folder last.
    std::filesystem::remove_all(world / ".agents/skills/alpha");
    world.wait_idle();
    CHECK(world.updated() == std::set<std::string>{"skill://alpha/"});
    CHECK(world.updates() == 1);
    CHECK(world.list_changes() > 0);
    CHECK(read(world, "skill://alpha/SKILL.md").error().code == ErrorCode::not_found);
  }

  TEST_CASE("a folder of skills that comes into being is a change of the list, sync or not") {
    SkillsWorld world;
    world.wait_idle();
    world.list_changes() = 0;
    world.skill("elsewhere/first");
    std::filesystem::create_directories(world / ".agents");
    std::filesystem::rename(world / "elsewhere", world / ".agents/skills");
    world.wait_idle();
    CHECK(world.list_changes() > 0);
    CHECK(list(world).resources.size() == 1);
  }

  TEST_CASE("an edit that the list does not show is no change of the list") {
    SkillsWorld world;
    world.skill(".claude/skills/alpha");
    world.file(".claude/skills/alpha/scripts/a.sh", "one\n");
    world.wait_idle();
    world.list_changes() = 0;
    world.updated().clear();
    std::ofstream(world / ".claude/skills/alpha/scripts/a.sh") << "two\n";
    world.wait_idle();
    CHECK(world.updated() == std::set<std::string>{"skill://alpha/"});
    CHECK(world.list_changes() == 0);
    world.skill(".claude/skills/alpha", "edited");
    world.wait_idle();
    CHECK(world.list_changes() == 1);
    std::filesystem::remove_all(world / ".claude/skills/alpha");
    world.wait_idle();
    CHECK(world.list_changes() == 2);
  }

  TEST_CASE("what sync does after an edit is not told as another change of the list") {
    SkillsWorld world;
    world.skill(".claude/skills/alpha");
    world.file(".claude/skills/alpha/scripts/a.sh", "one\n");
    REQUIRE(world.call(k_sync_enable, SyncEnableParams{}));
    world.wait_idle();
    for (int i = 0; i < 5; ++i) {
      CAPTURE(i);
      world.list_changes() = 0;
      world.skill(".claude/skills/alpha", "edited " + std::to_string(i));
      world.wait_idle();
      CHECK(read_file(world / ".agents/skills/alpha/SKILL.md", 1000)
            == read_file(world / ".claude/skills/alpha/SKILL.md", 1000));
      CHECK(world.list_changes() == 1);
    }
  }

  TEST_CASE("pages are short enough for a model, and hold every skill once") {
    SkillsWorld world;
    auto add = [&](int number, const std::string& name, const std::string& description) {
      std::string folder = world / (".agents/skills/s" + std::to_string(10'000 + number));
      std::filesystem::create_directories(folder);
      std::ofstream(folder + "/SKILL.md")
          << "---\nname: " << name << "\ndescription: " << description << "\n---\n";
    };
    std::string euros;
    for (int i = 0; i < 400; ++i) {
      euros += "\xE2\x82\xAC"; // three bytes
    }
    for (int i = 0; i < 200; ++i) {
      add(i, "x", std::string(600, 'd'));
    }
    for (int i = 200; i < 300; ++i) {
      add(i, euros, euros);
    }
    int number = 0;
    int pages = 0;
    std::string cursor;
    do {
      mcp::ResourcePage page = list(world, cursor);
      ++pages;
      std::size_t bytes = 0;
      for (const mcp::Resource& resource : page.resources) {
        CHECK(resource.uri == "skill://s" + std::to_string(10'000 + number++) + "/SKILL.md");
        CHECK(code_points(resource.description) == 201); // with what tells that it was cut
        CHECK(resource.description.ends_with("…"));
        bytes += resource.uri.size() + resource.name.size() + resource.description.size();
      }
      CHECK(page.resources.size() <= 100);
      CHECK(bytes <= 64u << 10);
      cursor = page.next_cursor;
      if (pages == 1) {
        CHECK(page.resources.size() == 100);
        // The last one of a page need not be there any more when the next is asked for.
        std::filesystem::remove_all(world / ".agents/skills/s10099");
      }
    } while (!cursor.empty());
    CHECK(number == 300);
    CHECK(pages == 5); // the last hundred are of 1.4 KB each, so 46, 46 and 8

    auto templates = world.run(world.resources().list_templates({}, {}));
    REQUIRE(templates->templates.size() == 2);
    CHECK(templates->templates[0].uri_template == "skill://{name}/{+path}");
    CHECK(templates->templates[1].uri_template == "eval://{+skill}");
  }

  TEST_CASE("the result of a watched skill is read by its address") {
    SkillsWorld world;
    auto read = [&](std::string uri) {
      return world.run(world.resources().read(std::move(uri), {}));
    };
    CHECK_FALSE(read("eval://pdf")); // nobody watches
    world.resources().set_results([](std::string_view uri) {
      return uri == "eval://pdf" ? std::optional<std::string>("{}") : std::nullopt;
    });
    auto answer = read("eval://pdf");
    REQUIRE(answer);
    const auto& contents = std::get<mcp::ResourceContents>(*answer);
    CHECK(contents.bytes == "{}");
    CHECK(contents.mime_type == "application/json");
    answer = read("eval://other");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::not_found);
  }

  TEST_CASE("a cursor of nobody's is refused") {
    SkillsWorld world;
    auto wrong = world.run(world.resources().list("nonsense", {}));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("names are completed, those that begin so before those that have it somewhere") {
    SkillsWorld world;
    for (const char* name : {"my-pdf", "pdf-forms", "pdf-merge", "other", "навык"}) {
      world.skill(std::string(".agents/skills/") + name);
    }
    world.skill("work/.agents/skills/pdf-of-project");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    auto complete = [&](std::string uri_template, std::string argument, std::string value) {
      auto done = world.run(world.resources().complete(
          std::move(uri_template), std::move(argument), std::move(value), {}));
      REQUIRE(done);
      return std::move(*done);
    };
    const char* ours = "skill://{name}/{+path}";
    auto found = complete(ours, "name", "PDF");
    CHECK(found.values == std::vector<std::string>{"pdf-forms", "pdf-merge", "my-pdf"});
    CHECK(found.total == 3);
    CHECK(complete(ours, "name", "НАВ").values == std::vector<std::string>{"навык"});
    CHECK(complete(ours, "name", "").total == 5);
    CHECK(complete(ours, "name", "zzz").values.empty());
    CHECK(complete(ours, "name", std::string(100'000, 'p')).values.empty());
    CHECK(complete(ours, "path", "S").values.empty());
    CHECK(complete("skill://{other}", "name", "p").values.empty());
    for (int i = 0; i < 150; ++i) {
      world.skill(".agents/skills/many-" + std::to_string(i));
    }
    found = complete(ours, "name", "many");
    CHECK(found.values.size() == 100);
    CHECK(found.total == 150);
  }

  TEST_CASE("a file over 16 MiB is refused by name") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::ofstream(world / ".agents/skills/a/big.bin") << std::string((16u << 20) + 1, 'x');
    auto refused = read(world, "skill://a/big.bin");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::too_large);
    CHECK(refused.error().message == "`big.bin` of skill `a` is larger than 16 MiB");
  }
}

TEST_SUITE("mime_type") {
  TEST_CASE("known extensions decide, else the content") {
    CHECK(mime_type("a/B.PNG", false) == "image/png");
    CHECK(mime_type("x.md", true) == "text/markdown");
    CHECK(mime_type("zip", false) == "application/octet-stream");
    CHECK(mime_type("a.b/c", true) == "text/plain");
    CHECK(mime_type("x.zip", false) == "application/zip");
    CHECK(mime_type("x.css", true) == "text/css");
  }
}
