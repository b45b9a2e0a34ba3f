#include "skills/library/skill_uri.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::library;

TEST_SUITE("SkillUri") {
  TEST_CASE("an address is written and read back, whatever the names") {
    for (const char* name : {"plain", "with space", "100%", "a#b?c", "навык", "a+b&c", "a%2fb"}) {
      std::string uri = skill_uri("", name, "scripts/run me.sh");
      CAPTURE(uri);
      CHECK(uri.find_first_of(" #?") == std::string::npos);
      auto parsed = parse_skill_uri(uri, {});
      REQUIRE(parsed);
      CHECK(*parsed == SkillUri{"", name, "scripts/run me.sh"});
    }
    CHECK(skill_uri("", "a b", "SKILL.md") == "skill://a%20b/SKILL.md");
  }

  TEST_CASE("a project is named by the hash of its path") {
    std::string id = project_id("/home/u/work");
    CHECK(id == "project-6853732b"); // printf /home/u/work | sha256sum
    std::string uri = skill_uri("/home/u/work", "a", "SKILL.md");
    CHECK(uri == "skill://" + id + "/a/SKILL.md");
    std::vector<std::string> known{id};
    CHECK(*parse_skill_uri(uri, known) == SkillUri{id, "a", "SKILL.md"});
    // One that is not known may be the name of a skill.
    CHECK(*parse_skill_uri(uri, {}) == SkillUri{"", id, "a/SKILL.md"});
    CHECK(*parse_skill_uri("skill://" + id + "/SKILL.md", known) == SkillUri{"", id, "SKILL.md"});
  }

  TEST_CASE("a folder has an address without a slash at its end, the skill's own too") {
    std::string id = project_id("/home/u/work");
    std::vector<std::string> known{id};
    CHECK(*parse_folder_uri("skill://a", known) == SkillUri{"", "a", ""});
    CHECK(*parse_folder_uri("skill://a/x/y", known) == SkillUri{"", "a", "x/y"});
    CHECK(*parse_folder_uri("skill://" + id + "/a", known) == SkillUri{id, "a", ""});
    CHECK(*parse_folder_uri("skill://" + id + "/a/x", known) == SkillUri{id, "a", "x"});
    CHECK(*parse_folder_uri("skill://" + id, known) == SkillUri{"", id, ""});
    for (std::string uri : {"",
                            "skill://",
                            "skill:///",
                            "skill://a/",
                            "skill://a/x/",
                            "skill://a//x",
                            "skill://..",
                            "skill://a/%2e%2e",
                            "skill://a/..%2f",
                            "skill://a?x",
                            "file:///a"}) {
      CAPTURE(uri);
      CHECK_FALSE(parse_folder_uri(uri, known));
    }
  }

  TEST_CASE("what could not be parsed again has no address") {
    CHECK(uri_below("skill://a/", "b c/d.md") == "skill://a/b%20c/d.md");
    for (std::string file : {std::string(),
                             std::string("/x"),
                             std::string("x/"),
                             std::string("x//y"),
                             std::string(".."),
                             std::string("x/../y"),
                             std::string("a\\b"),
                             std::string("bad\xFF"),
                             std::string("x\0y", 3),
                             std::string(5000, 'x'),
                             std::string(1400, '\x01')}) {
      CAPTURE(file);
      CHECK_FALSE(uri_below("skill://a/", file));
    }
  }

  TEST_CASE("what is no address of a file of a skill is refused, however it is written") {
    for (std::string uri : {"",
                            "skill:",
                            "skill://",
                            "skill://a",
                            "skill://a/",
                            "skill:///etc/passwd",
                            "skill://a//SKILL.md",
                            "skill://a/x/",
                            "skill://a/./x",
                            "skill://a/../b/SKILL.md",
                            "skill://../a/SKILL.md",
                            "skill://a/%2e%2e/b",
                            "skill://a/%2E%2e/b",
                            "skill://a/.%2e/b",
                            "skill://%2e%2e/x",
                            "skill://a/%2e",
                            "skill://a/x%2fy",
                            "skill://a/..%2f..%2fetc",
                            "skill://a/%5c..%5cx",
                            "skill://a/..\\x",
                            "skill://a/x%00.md",
                            "skill://a/%",
                            "skill://a/%2",
                            "skill://a/%zz",
                            "skill://a/%ff%fe",
                            "skill://a/SKILL.md?x=1",
                            "skill://a/SKILL.md#top",
                            "SKILL://a/SKILL.md",
                            "file:///etc/passwd",
                            "https://a/SKILL.md",
                            "skills://a/SKILL.md"}) {
      CAPTURE(uri);
      auto parsed = parse_skill_uri(uri, {});
      REQUIRE_FALSE(parsed);
      CHECK(parsed.error().code == ErrorCode::not_found);
    }
    CHECK_FALSE(parse_skill_uri("skill://a/" + std::string(100'000, 'x'), {}));
    CHECK_FALSE(parse_skill_uri(std::string("skill://a/x\0y", 13), {}));
    // Decoded once only: this is a name with percent signs.
    CHECK(parse_skill_uri("skill://a/%252e%252e", {})->file == "%2e%2e");
  }
}
