#include "daemon/handlers/touched_skills.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using git::FileChange;
using git::FileFate;

namespace {

std::vector<TouchedSkill> touched(const std::vector<FileChange>& changes,
                                  const std::vector<std::string>& base,
                                  const std::set<std::string>& now) {
  std::vector<git::TreeFile> files;
  for (const std::string& path : base) {
    files.push_back({path});
  }
  return touched_skills(
      changes, files, [&](const std::string& folder) { return now.contains(folder); });
}

FileChange changed(std::string path) {
  return {FileFate::changed, std::move(path)};
}

} // namespace

TEST_SUITE("touched_skills") {
  TEST_CASE("a file belongs to the nearest skill above it") {
    CHECK(
        touched({changed("s/a/scripts/deep/run.sh"), changed("README.md"), changed("s/other.txt")},
                {"s/a/SKILL.md", "s/b/SKILL.md"},
                {"s/a", "s/b"})
        == std::vector<TouchedSkill>{{SkillFate::changed, "s/a", "s/a"}});
    CHECK(touched({changed("s/a/inner/x")},
                  {"s/a/SKILL.md", "s/a/inner/skill.md"},
                  {"s/a", "s/a/inner"})
          == std::vector<TouchedSkill>{{SkillFate::changed, "s/a/inner", "s/a/inner"}});
  }

  TEST_CASE("a skill is told once, whatever was changed in it") {
    CHECK(touched({changed("a/SKILL.md"), changed("a/x"), {FileFate::added, "a/y"}},
                  {"a/SKILL.md"},
                  {"a"})
          == std::vector<TouchedSkill>{{SkillFate::changed, "a", "a"}});
  }

  TEST_CASE("a repository may be a skill itself") {
    CHECK(touched({changed("x")}, {"SKILL.md"}, {""})
          == std::vector<TouchedSkill>{{SkillFate::changed, "", ""}});
    CHECK(touched({changed("x")}, {"y"}, {}).empty());
  }

  TEST_CASE("new and removed skills") {
    CHECK(
        touched({{FileFate::added, "n/SKILL.md"}, {FileFate::removed, "o/SKILL.md"}},
                {"o/SKILL.md"},
                {"n"})
        == std::vector<TouchedSkill>{{SkillFate::added, "n", ""}, {SkillFate::removed, "o", "o"}});
    // Its SKILL.md alone is gone: the rest is no skill any more.
    CHECK(touched({{FileFate::removed, "o/SKILL.md"}}, {"o/SKILL.md", "o/x"}, {})
          == std::vector<TouchedSkill>{{SkillFate::removed, "o", "o"}});
  }

  TEST_CASE("a rename is what git says of SKILL.md") {
    CHECK(touched(
              {{FileFate::renamed, "n/SKILL.md", "o/SKILL.md"}, {FileFate::renamed, "n/x", "o/x"}},
              {"o/SKILL.md", "o/x"},
              {"n"})
          == std::vector<TouchedSkill>{{SkillFate::renamed, "n", "o"}});
    // Another file of it went elsewhere.
    CHECK(
        touched({{FileFate::added, "n/SKILL.md"},
                 {FileFate::removed, "o/SKILL.md"},
                 {FileFate::renamed, "n/x", "o/x"}},
                {"o/SKILL.md", "o/x"},
                {"n"})
        == std::vector<TouchedSkill>{{SkillFate::added, "n", ""}, {SkillFate::removed, "o", "o"}});
  }

  TEST_CASE("what was written anew at the old place keeps it") {
    CHECK(
        touched({{FileFate::renamed, "n/SKILL.md", "o/SKILL.md"}, {FileFate::added, "o/SKILL.md"}},
                {"o/SKILL.md"},
                {"n", "o"})
        == std::vector<TouchedSkill>{{SkillFate::added, "n", ""}, {SkillFate::changed, "o", "o"}});
  }

  TEST_CASE("one that was moved into another that was there is a change of that") {
    CHECK(touched({{FileFate::renamed, "a/SKILL.md", "b/SKILL.md"}},
                  {"a/SKILL.md", "b/SKILL.md"},
                  {"a"})
          == std::vector<TouchedSkill>{{SkillFate::changed, "a", "a"},
                                       {SkillFate::removed, "b", "b"}});
  }

  TEST_CASE("hostile names are names") {
    CHECK(touched({changed("a\n/x"), changed("-/SKILL.md")},
                  {"a\n/SKILL.md", "-/SKILL.md"},
                  {"a\n", "-"})
          == std::vector<TouchedSkill>{{SkillFate::changed, "-", "-"},
                                       {SkillFate::changed, "a\n", "a\n"}});
  }

  TEST_CASE("files of a skill, and not of another whose name begins alike") {
    std::vector<git::TreeFile> base{{"a/x"}, {"ab/y"}, {"a"}};
    CHECK(files_in(base, "a") == std::vector<git::TreeFile>{{"a/x"}});
    CHECK(files_in(base, "").size() == 3);
  }
}
