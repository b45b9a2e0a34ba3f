#include "daemon/handlers/prompts.h"
#include "daemon/handlers/skill_files.h"
#include "protocol/base/hash.h"
#include "tests/support/skills_world.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

constexpr std::string_view k_secret = "s3cret, in what skills leave out";

Result<mcp::Answer> read(SkillsWorld& world, std::string uri) {
  return world.run(world.resources().read(std::move(uri), {}));
}

std::string bytes_of(const Result<mcp::Answer>& answer) {
  return answer ? std::get<mcp::ResourceContents>(*answer).bytes : std::string();
}

// A skill with a repository in it, and links to what lies there by many ways.
void make_skill(SkillsWorld& world) {
  const std::string alpha = ".agents/skills/alpha/";
  world.skill(".agents/skills/alpha");
  world.file(alpha + "docs/inside.md", "inside");
  world.file(alpha + ".git/config", k_secret);
  world.file(alpha + "sub/node_modules/m/key", k_secret);
  world.file(alpha + "draft.md~", k_secret);
  world.link(alpha + "cfg.md", ".git/config");
  world.link(alpha + "absolute.md", world / (alpha + ".git/config"));
  world.link(alpha + "backup.md", "draft.md~");
  world.link(alpha + "chain.md", "cfg.md");
  world.link(alpha + "sub/up.md", "../.git/config");
  world.link(alpha + "module", "sub/node_modules/m");
  world.link(alpha + "g", ".git");
  world.link(alpha + "h", "g");
  world.link(alpha + "round", ".");
  world.link(alpha + "good.md", "docs/inside.md");
  world.link(alpha + "better.md", "good.md");
  world.link(alpha + "shelf", "docs");
}

const std::vector<std::string> k_left_out = {"cfg.md",
                                             "absolute.md",
                                             "backup.md",
                                             "chain.md",
                                             "sub/up.md",
                                             "module/key",
                                             "g/config",
                                             "h/config",
                                             "round/g/config",
                                             "round/cfg.md",
                                             "round/.git/config",
                                             "sub/node_modules/m/key"};
// Links among them, because they lead to files of the skill.
const std::vector<std::string> k_served = {"SKILL.md", "better.md", "docs/inside.md", "good.md"};

} // namespace

TEST_SUITE("what skills leave out") {
  TEST_CASE("is not read through a link, and what is inside still is") {
    SkillsWorld world;
    make_skill(world);
    for (const std::string& path : k_left_out) {
      CAPTURE(path);
      auto resource = read(world, "skill://alpha/" + path);
      REQUIRE_FALSE(resource);
      CHECK(resource.error().code == ErrorCode::not_found);
      SkillReadParams params;
      params.skill = "alpha";
      params.file = path;
      CHECK_FALSE(world.call(k_skill_read, params));
    }
    for (const char* path : {"good.md", "better.md", "shelf/inside.md", "round/good.md"}) {
      CAPTURE(path);
      CHECK(bytes_of(read(world, std::string("skill://alpha/") + path)) == "inside");
    }
  }

  TEST_CASE("is in no list of files") {
    SkillsWorld world;
    make_skill(world);
    std::vector<std::string> uris;
    for (const std::string& path : k_served) {
      uris.push_back("skill://alpha/" + path);
    }
    auto of = [](const mcp::SkillEntry& entry) {
      std::vector<std::string> all;
      for (const mcp::SkillEntry::File& file : entry.files) {
        all.push_back(file.uri);
        CHECK(file.digest != "sha256:" + sha256(k_secret).hex());
      }
      return all;
    };
    auto page = world.run(world.entries().list({}, {}));
    REQUIRE(page);
    REQUIRE(page->skills.size() == 1);
    CHECK(of(page->skills.front()) == uris);
    auto entry = world.run(world.entries().get("skill://alpha/SKILL.md", {}));
    REQUIRE(entry);
    CHECK(of(*entry) == uris);

    std::vector<std::string> children;
    auto folder = world.run(world.resources().read_directory("skill://alpha", {}, {}));
    REQUIRE(folder);
    for (const mcp::Resource& resource : folder->resources) {
      children.push_back(resource.name);
    }
    CHECK(children == std::vector<std::string>{"SKILL.md", "better.md", "docs", "good.md", "sub"});
    for (const char* uri : {"skill://alpha/g", "skill://alpha/h", "skill://alpha/round/g"}) {
      CHECK_FALSE(world.run(world.resources().read_directory(uri, {}, {})));
    }

    SkillReadParams params;
    params.skill = "alpha";
    auto whole = world.call(k_skill_read, params);
    auto shown = world.call(k_skill_show, SkillShowParams{"alpha"});
    REQUIRE(whole);
    REQUIRE(shown);
    for (const std::vector<SkillFile>& files : {whole->files, shown->files}) {
      std::vector<std::string> paths;
      std::ranges::transform(files, std::back_inserter(paths), &SkillFile::path);
      CHECK(paths == k_served);
    }
    auto prompt =
        world.run(SkillPrompts(world.library()).get("review_skill", R"({"skill":"alpha"})", {}));
    REQUIRE(prompt);
    const std::string& text = std::get<mcp::PromptMessages>(*prompt).contents.front();
    CHECK(text.find("good.md (") != std::string::npos);
    CHECK(text.find("cfg.md") == std::string::npos);
    CHECK(text.find("backup.md") == std::string::npos);
  }

  TEST_CASE("is no SKILL.md either, by whatever way it is asked for") {
    SkillsWorld world;
    world.file(".agents/skills/beta/.git/config",
               "---\nname: beta\ndescription: " + std::string(k_secret) + "\n---\n");
    world.link(".agents/skills/beta/SKILL.md", ".git/config");
    world.skill(".claude/skills/beta", "the good one"); // so that it is in the lists
    auto holds_no_secret = [](std::string_view text) {
      CHECK(text.find("s3cret") == std::string_view::npos);
    };
    auto list = world.run(world.resources().list({}, {}));
    REQUIRE(list);
    REQUIRE(list->resources.size() == 1);
    CHECK(list->resources[0].description == "the good one");
    std::string path = world / ".agents/skills/beta";
    SkillReadParams params;
    params.skill = path;
    auto whole = world.call(k_skill_read, params);
    REQUIRE_FALSE(whole);
    holds_no_secret(whole.error().message);
    auto shown = world.call(k_skill_show, SkillShowParams{path});
    REQUIRE_FALSE(shown);
    holds_no_secret(shown.error().message);
    auto checked = world.call(k_skill_validate, SkillValidateParams{{path}});
    REQUIRE(checked);
    CHECK_FALSE(checked->valid);
    holds_no_secret(encode(*checked));
    auto prompt = world.run(
        SkillPrompts(world.library()).get("review_skill", R"({"skill":")" + path + R"("})", {}));
    REQUIRE_FALSE(prompt);
    holds_no_secret(prompt.error().message);
  }

  TEST_CASE("of a root that is a repository its `.git` is no skill, nor behind a link") {
    SkillsWorld world;
    world.skill(".agents/skills/alpha");
    world.file(".agents/skills/.git/config", k_secret);
    world.link(".agents/skills/gamma", ".git");
    for (const char* name : {".git", "gamma"}) {
      CAPTURE(name);
      SkillReadParams params;
      params.skill = world / (std::string(".agents/skills/") + name);
      params.file = "config";
      CHECK_FALSE(world.call(k_skill_read, params));
      CHECK_FALSE(read(world, std::string("skill://") + name + "/config"));
    }
  }

  TEST_CASE("is not read through links that are swapped in while we read") {
    SkillsWorld world;
    world.skill(".agents/skills/alpha");
    world.file(".agents/skills/alpha/.git/file", k_secret);
    world.file(".agents/skills/alpha/file", "inside");
    world.file(".agents/skills/alpha/folder/file", "inside");
    world.link("swap/file", ".git/file");
    world.link("swap/folder", ".git");
    world.link(".agents/skills/alpha/by-link", "folder");
    UniqueFd skill(::open((world / ".agents/skills/alpha").c_str(), O_PATH | O_DIRECTORY));
    REQUIRE(skill);
    std::atomic<bool> ends = false;
    std::thread churn([&] {
      auto exchange = [&](const std::string& name) {
        ::syscall(SYS_renameat2,
                  AT_FDCWD,
                  (world / (".agents/skills/alpha/" + name)).c_str(),
                  AT_FDCWD,
                  (world / ("swap/" + name)).c_str(),
                  2 /* RENAME_EXCHANGE */);
      };
      while (!ends) {
        exchange("file");
        exchange("folder");
      }
    });
    int seen = 0;
    int refused = 0;
    int wrong = 0;
    // Until both answers were there; a test that waits in vain is ended by its limit.
    for (int i = 0; i < 2000 || seen == 0 || refused == 0; ++i) {
      for (const char* path : {"file", "folder/file", "by-link/file"}) {
        auto part = read_part(skill.get(), path, 0, 100);
        ++(part ? seen : refused);
        wrong += part && part->bytes != "inside" ? 1 : 0;
      }
    }
    ends = true;
    churn.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("a skill that is moved while it is read is itself all the time") {
    // Sync swaps whole folders: that must not make a link inside look like one out of it.
    SkillsWorld world;
    world.file("a/docs/inside.md", "inside");
    world.link("a/good.md", "docs/inside.md");
    UniqueFd skill(::open((world / "a").c_str(), O_PATH | O_DIRECTORY));
    REQUIRE(skill);
    REQUIRE(std::rename((world / "a").c_str(), (world / "b").c_str()) == 0);
    world.file("a/docs/inside.md", "another");
    auto part = read_part(skill.get(), "good.md", 0, 100);
    REQUIRE(part);
    CHECK(part->bytes == "inside");
  }
}
