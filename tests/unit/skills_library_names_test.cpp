#include "skills/library/names.h"

#include <doctest/doctest.h>

using namespace upskill::library;

TEST_SUITE("Names") {
  TEST_CASE("what tools leave behind is ignored everywhere") {
    for (const char* name : {".git",
                             "node_modules",
                             "__pycache__",
                             ".DS_Store",
                             ".SKILL.md.swp",
                             "SKILL.md~",
                             "4913",
                             ".#SKILL.md",
                             "x.tmp"}) {
      CAPTURE(name);
      CHECK(ignored_in_skill(name));
      CHECK(ignored_name(name));
    }
  }

  TEST_CASE("an agent's own folders are ignored in a root and are content in a skill") {
    for (const char* name : {".trash", "synced", ".system"}) {
      CAPTURE(name);
      CHECK(ignored_name(name));
      CHECK_FALSE(ignored_in_skill(name));
    }
  }

  TEST_CASE("what only looks alike is content") {
    for (const char* name :
         {"git", ".gitignore", "swp", "tmp", "49130", "node_modules2", "syncedx"}) {
      CAPTURE(name);
      CHECK_FALSE(ignored_name(name));
    }
  }

  TEST_CASE("a workspace is one by its neighbour or by having no SKILL.md") {
    CHECK(workspace_owner("pdf-workspace") == "pdf");
    CHECK(workspace_owner("pdf-workspaces").empty());
    CHECK(is_workspace("pdf-workspace", true, true));
    CHECK(is_workspace("pdf-workspace", false, false));
    CHECK_FALSE(is_workspace("pdf-workspace", false, true));
    CHECK_FALSE(is_workspace("pdf", true, false));
    CHECK_FALSE(is_workspace("-workspace", false, false));
  }

  TEST_CASE("names that cannot be propagated are refused with a reason") {
    CHECK(refused_name("") == "is empty");
    CHECK(refused_name(".hidden") == "begins with a dot");
    CHECK(refused_name("..") == "begins with a dot");
    CHECK(refused_name(std::string(256, 'a')) == "is longer than 255 bytes");
    CHECK_FALSE(refused_name(std::string(255, 'a')));
    CHECK(refused_name("a\nb") == "has a control character or a slash");
    CHECK(refused_name("a\x7F") == "has a control character or a slash");
    CHECK(refused_name("a/b") == "has a control character or a slash");
    CHECK(refused_name("a\xFF") == "is not UTF-8");
    for (const char* name :
         {"CON", "con", "nul.txt", "Com1", "LPT9.x", "aux .y", "conin$", "com\u00B2"}) {
      CAPTURE(name);
      CHECK(refused_name(name) == "is reserved on Windows");
    }
    for (const char* name :
         {"console", "com", "com0", "com10", "lpt", "auxiliary", "技能", "мой-навык"}) {
      CAPTURE(name);
      CHECK_FALSE(refused_name(name));
    }
  }

  TEST_CASE("two names with one key are one name somewhere") {
    CHECK(folded_key("Foo") == folded_key("foo"));
    CHECK(folded_key("caf\u00E9") == folded_key("cafe\u0301"));
    CHECK(folded_key("CAFE\u0301") == folded_key("caf\u00E9"));
    CHECK(folded_key("НАВЫК") == folded_key("навык"));
    CHECK(folded_key("stra\u00DFe") == folded_key("STRASSE"));
    CHECK(folded_key("foo") != folded_key("fo\u00F6"));
    CHECK(folded_key("a\xFF") == "a\xFF");
    CHECK(folded_key("a\xFF") != folded_key("A\xFF"));
  }

  TEST_CASE("collisions are grouped, and a name does not collide with itself") {
    std::vector<std::string> names = {
        "foo", "bar", "Foo", "foo", "FOO", "caf\u00E9", "cafe\u0301", "bar"};
    auto collisions = find_collisions(names);
    REQUIRE(collisions.size() == 2);
    CHECK(collisions[0] == std::vector<std::string>{"cafe\u0301", "caf\u00E9"});
    CHECK(collisions[1] == std::vector<std::string>{"FOO", "Foo", "foo"});
    CHECK(find_collisions({}).empty());
  }
}
