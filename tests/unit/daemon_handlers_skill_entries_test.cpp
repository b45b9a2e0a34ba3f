#include "daemon/handlers/skill_manifest.h"
#include "protocol/base/bounds.h"
#include "skills/library/skill_uri.h"
#include "tests/support/skills_world.h"

#include <algorithm>
#include <fstream>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

Result<mcp::SkillEntry> get(SkillsWorld& world, std::string uri) {
  return world.run(world.entries().get(std::move(uri), {}));
}

mcp::SkillPage list(SkillsWorld& world, std::string cursor = {}) {
  auto page = world.run(world.entries().list(std::move(cursor), {}));
  REQUIRE(page);
  return std::move(*page);
}

std::vector<std::string> uris(const mcp::SkillPage& page) {
  std::vector<std::string> all;
  for (const mcp::SkillEntry& entry : page.skills) {
    all.push_back(entry.uri);
  }
  return all;
}

std::string bytes_at(SkillsWorld& world, const std::string& uri) {
  auto answer = world.run(world.resources().read(uri, {}));
  REQUIRE(answer);
  return std::get<mcp::ResourceContents>(*answer).bytes;
}

using Uris = std::vector<std::string>;

} // namespace

TEST_SUITE("SkillEntries") {
  TEST_CASE("an entry has the front matter and every file with its digest") {
    SkillsWorld world;
    world.file(".agents/skills/a/SKILL.md",
               "---\nname: a\ndescription: \"says: much\"\nversion: 1.0\nwhen: 2026-01-02\n"
               "metadata:\n  author: me\n  tags: [x, 2, null, true]\n---\nBody\n");
    world.file(".agents/skills/a/scripts/run me.sh", "hello\n");
    world.file(".agents/skills/a/nested/SKILL.md", "---\nname: nested\n---\n");
    world.file(".agents/skills/a/logo.png", std::string("\x89PNG\0", 5));
    world.file(".agents/skills/a/empty", "");
    world.file(".agents/skills/a/.git/config", "secret");
    world.link(".agents/skills/a/same.sh", "scripts/run me.sh");
    auto entry = get(world, "skill://a/SKILL.md");
    REQUIRE(entry);
    CHECK(entry->uri == "skill://a/SKILL.md");
    CHECK_FALSE(entry->is_dynamic);
    CHECK(entry->front_matter
          == R"({"name":"a","description":"says: much","version":1.0,"when":"2026-01-02",)"
             R"("metadata":{"author":"me","tags":["x",2,null,true]}})");
    Uris files;
    for (const mcp::SkillEntry::File& file : entry->files) {
      files.push_back(file.uri);
      // What a host reads a moment later is what the digest says.
      std::string bytes = bytes_at(world, file.uri);
      CHECK(file.digest == "sha256:" + sha256(bytes).hex());
      CHECK(file.size == static_cast<std::int64_t>(bytes.size()));
    }
    CHECK(files
          == Uris{"skill://a/SKILL.md",
                  "skill://a/empty",
                  "skill://a/logo.png",
                  "skill://a/nested/SKILL.md",
                  "skill://a/same.sh",
                  "skill://a/scripts/run%20me.sh"});
    CHECK(entry->files[5].size == 6);
    CHECK(entry->files[5].digest // printf 'hello\n' | sha256sum
          == "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
    auto page = list(world);
    REQUIRE(page.skills.size() == 1);
    CHECK(page.skills[0].front_matter == entry->front_matter);
    CHECK(page.skills[0].files.size() == entry->files.size());
    CHECK(page.next_cursor.empty());
  }

  TEST_CASE("what no host could take is left out, and get() says why") {
    SkillsWorld world;
    world.skill(".agents/skills/good");
    auto document = [&](std::string folder, std::string text) {
      world.file(".agents/skills/" + folder + "/SKILL.md", text);
    };
    document("mismatch", "---\nname: other\ndescription: d\n---\n");
    document("Upper", "---\nname: Upper\ndescription: d\n---\n");
    document("a--b", "---\nname: a--b\ndescription: d\n---\n");
    document("-a", "---\nname: -a\ndescription: d\n---\n");
    document("a b", "---\nname: a b\ndescription: d\n---\n");
    document("навык", "---\nname: навык\ndescription: d\n---\n");
    document(std::string(65, 'n'),
             "---\nname: " + std::string(65, 'n') + "\ndescription: d\n---\n");
    document("no-front", "# Just text\n");
    document("unclosed", "---\nname: unclosed\ndescription: d\n");
    document("repaired", "---\nname: repaired\ndescription: a: b\n---\n");
    document("doubled", "---\nname: doubled\nname: doubled\ndescription: d\n---\n");
    document("blank", "\n---\nname: blank\ndescription: d\n---\n");
    document("silent", "---\nname: silent\n---\n");
    document("hollow", "---\nname: hollow\ndescription: ''\n---\n");
    document("42", "---\nname: 42\ndescription: d\n---\n");
    document("bytes", "---\nname: bytes\ndescription: d\n---\n\xFF\xFE");
    world.skill(".agents/skills/odd");
    world.file(".agents/skills/odd/bad\xFFname", "x");
    CHECK(uris(list(world)) == Uris{"skill://good/SKILL.md"});
    auto resources = world.run(world.resources().list({}, {}));
    REQUIRE(resources->resources.size() == 18);
    for (const mcp::Resource& resource : resources->resources) {
      CAPTURE(resource.uri);
      CHECK(world.run(world.resources().read(resource.uri, {})));
      if (resource.uri != "skill://good/SKILL.md") {
        auto refused = get(world, resource.uri);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::not_found);
        CHECK(refused.error().message.find("`, because ") != std::string::npos);
      }
    }
    CHECK(get(world, "skill://mismatch/SKILL.md").error().message
          == "no skill is served at `skill://mismatch/SKILL.md`, because the name in its front "
             "matter, `other`, is not that of its folder");
  }

  TEST_CASE("a skill in small letters is served by the name that hosts ask for") {
    SkillsWorld world;
    world.file(".agents/skills/low/skill.md", "---\nname: low\ndescription: d\n---\n");
    world.file(".agents/skills/low/sub/skill.md", "x");
    auto entry = get(world, "skill://low/SKILL.md");
    REQUIRE(entry);
    REQUIRE(entry->files.size() == 2);
    CHECK(entry->files[0].uri == "skill://low/SKILL.md");
    CHECK(entry->files[1].uri == "skill://low/sub/skill.md");
    CHECK(entry->files[0].digest
          == "sha256:" + sha256(bytes_at(world, "skill://low/SKILL.md")).hex());
  }

  TEST_CASE("only the very address of a skill names it") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.skill(".agents/skills/a/inner");
    world.skill("elsewhere/hidden");
    world.link(".agents/skills/hidden", world / "elsewhere/hidden");
    for (std::string uri : {"skill://a",
                            "skill://a/",
                            "skill://%61/SKILL.md",
                            "skill://a/%53KILL.md",
                            "skill://a/skill.md",
                            "skill://a//SKILL.md",
                            "skill://a/./SKILL.md",
                            "skill://a/x/../SKILL.md",
                            "skill://a/%2e%2e/a/SKILL.md",
                            "skill://a/..%2fa/SKILL.md",
                            "skill://a/SKILL.md%00",
                            "skill://a/inner/SKILL.md",
                            "skill://A/SKILL.md",
                            "skill://hidden/SKILL.md",
                            "skill://none/SKILL.md",
                            "SKILL://a/SKILL.md",
                            "file:///a/SKILL.md",
                            ""}) {
      CAPTURE(uri);
      auto refused = get(world, uri);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::not_found);
    }
    CHECK(get(world, "skill://a/SKILL.md"));
  }

  TEST_CASE("a project's skill has its own address, and nothing of the user's is taken for it") {
    SkillsWorld world;
    std::string id = library::project_id(world / "work");
    world.skill(".agents/skills/both", "of the user");
    world.skill(".agents/skills/" + id, "called like the project");
    world.skill("work/.agents/skills/both", "of the project");
    SyncEnableParams enable;
    enable.project = world / "work";
    REQUIRE(world.call(k_sync_enable, enable));
    std::string theirs = "skill://" + id + "/both/SKILL.md";
    CHECK(uris(list(world)) == Uris{"skill://both/SKILL.md", theirs});
    CHECK(get(world, theirs)->front_matter.find("of the project") != std::string::npos);
    CHECK(get(world, theirs)->files.front().uri == theirs);
    CHECK_FALSE(get(world, "skill://" + id + "/SKILL.md"));
  }

  TEST_CASE("512 files and 16 MiB are served, and one more of either is not") {
    SkillsWorld world;
    world.skill(".agents/skills/files");
    world.skill(".agents/skills/bytes");
    auto add = [&](int i) { world.file(".agents/skills/files/f" + std::to_string(i), ""); };
    for (int i = 1; i < 512; ++i) {
      add(i);
    }
    std::string big = world / ".agents/skills/bytes/big";
    auto room =
        k_mcp_skill_bytes - std::filesystem::file_size(world / ".agents/skills/bytes/SKILL.md");
    std::ofstream(big) << std::string(room, 'x');
    CHECK(uris(list(world)) == Uris{"skill://bytes/SKILL.md", "skill://files/SKILL.md"});
    CHECK(get(world, "skill://files/SKILL.md")->files.size() == 512);
    add(512);
    std::ofstream(big, std::ios::app) << 'x';
    CHECK(uris(list(world)).empty());
    CHECK(uris(list(world)).empty());
    CHECK(get(world, "skill://files/SKILL.md").error().message
          == "no skill is served at `skill://files/SKILL.md`, because it has more than 512 files");
    CHECK(get(world, "skill://bytes/SKILL.md").error().code == ErrorCode::not_found);
    std::string log = world.log();
    std::string_view warning = "`skill://files/SKILL.md` is not offered to hosts of skills";
    std::size_t at = log.find(warning);
    REQUIRE(at != std::string::npos);
    CHECK(log.find(warning, at + 1) == std::string::npos); // once
  }

  TEST_CASE("what nobody touched is not read again") {
    SkillsWorld world;
    for (int i = 0; i < 20; ++i) {
      std::string skill = ".agents/skills/s" + std::to_string(i);
      world.skill(skill);
      world.file(skill + "/notes.md", "one\n");
    }
    auto reads_of_list = [&] {
      std::uint64_t before = world.entries().files_read();
      REQUIRE(list(world).skills.size() == 20);
      return world.entries().files_read() - before;
    };
    // What was written a moment ago may change once more with the same times.
    CHECK(reads_of_list() == 40);
    CHECK(reads_of_list() == 40);
    world.age_files();
    CHECK(reads_of_list() == 40);
    CHECK(reads_of_list() == 0);
    // The same size, and a time that was set back: ctime tells.
    std::string touched = world / ".agents/skills/s7/notes.md";
    auto mtime = std::filesystem::last_write_time(touched);
    std::ofstream(touched) << "two\n";
    std::filesystem::last_write_time(touched, mtime);
    CHECK(reads_of_list() == 1);
    auto entry = get(world, "skill://s7/SKILL.md");
    CHECK(entry->files[1].digest == "sha256:" + sha256("two\n").hex());
    world.skill(".agents/skills/s8", "says something else");
    CHECK(reads_of_list() == 1);
    CHECK(get(world, "skill://s8/SKILL.md")->front_matter.find("else") != std::string::npos);
  }

  TEST_CASE("pages hold at most 100 skills, and cursors survive what is deleted") {
    SkillsWorld world;
    auto name = [](int i) { return "s" + std::to_string(1000 + i); };
    for (int i = 0; i < 230; ++i) {
      world.skill(".agents/skills/" + name(i));
    }
    auto first = list(world);
    REQUIRE(first.skills.size() == 100);
    std::filesystem::remove_all(world / (".agents/skills/" + name(99)));
    auto second = list(world, first.next_cursor);
    REQUIRE(second.skills.size() == 100);
    CHECK(second.skills.front().uri == "skill://" + name(100) + "/SKILL.md");
    auto third = list(world, second.next_cursor);
    CHECK(third.skills.size() == 30);
    CHECK(third.next_cursor.empty());
    auto wrong = world.run(world.entries().list("nonsense", {}));
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("pages end at some 256 KB, and an entry is never split") {
    SkillsWorld world;
    for (char c = 'a'; c < 'k'; ++c) {
      world.skill(std::string(".agents/skills/") + c, std::string(60'000, c));
    }
    std::vector<std::size_t> sizes;
    Uris all;
    std::string cursor;
    do {
      auto page = list(world, cursor);
      sizes.push_back(page.skills.size());
      for (const mcp::SkillEntry& entry : page.skills) {
        CHECK(entry.front_matter.size() > 60'000);
        CHECK(entry.files.size() == 1);
        all.push_back(entry.uri);
      }
      cursor = page.next_cursor;
    } while (!cursor.empty() && sizes.size() < 10);
    CHECK(sizes == std::vector<std::size_t>{4, 4, 2});
    REQUIRE(all.size() == 10);
    CHECK(all.front() == "skill://a/SKILL.md");
    CHECK(std::ranges::is_sorted(all));
    CHECK(std::ranges::adjacent_find(all) == all.end());
  }

  TEST_CASE("a cancelled call reads nothing any more") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    REQUIRE(list(world).skills.size() == 1); // the catalogue is there
    std::uint64_t before = world.entries().files_read();
    std::stop_source source;
    source.request_stop();
    RequestContext context;
    context.stopping = source.get_token();
    auto page = world.run(world.entries().list({}, context));
    REQUIRE_FALSE(page);
    CHECK(page.error().code == ErrorCode::cancelled);
    auto entry = world.run(world.entries().get("skill://a/SKILL.md", context));
    REQUIRE_FALSE(entry);
    CHECK(entry.error().code == ErrorCode::cancelled);
    CHECK(world.entries().files_read() == before);
  }
}

TEST_SUITE("front_matter_of") {
  TEST_CASE("every field is there, typed as others read it") {
    FrontMatter front = front_matter_of("\xEF\xBB\xBF---\r\nname: a\r\ndescription: d\r\n"
                                        "disable-model-invocation: true\r\nn: 0x1F\r\n---\r\n");
    CHECK(front.reason.empty());
    CHECK(front.name == "a");
    CHECK(front.json == R"({"name":"a","description":"d","disable-model-invocation":true,"n":31})");
  }

  TEST_CASE("a name is not trimmed into another") {
    CHECK(front_matter_of("---\nname: ' a '\ndescription: d\n---\n").name == " a ");
    CHECK_FALSE(front_matter_of("---\nname: [a]\ndescription: d\n---\n").reason.empty());
    CHECK_FALSE(front_matter_of("---\nname: true\ndescription: d\n---\n").reason.empty());
    CHECK_FALSE(front_matter_of("---\nname: a\ndescription:\n---\n").reason.empty());
    CHECK_FALSE(front_matter_of("--- \nname: a\ndescription: d\n---\n").reason.empty());
    CHECK_FALSE(
        front_matter_of(std::string("---\nname: a\ndescription: d\n---\n\0", 32)).reason.empty());
    CHECK_FALSE(front_matter_of("").reason.empty());
  }
}
