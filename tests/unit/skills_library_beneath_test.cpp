#include "skills/library/beneath.h"
#include "skills_library_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

using namespace upskill;
using namespace upskill::library;
using library_test::Tree;

namespace {

constexpr int k_opened = 0;

using Opener = UniqueFd (*)(int, const char*, int);

struct Skill {
  Tree tree = {};
  UniqueFd fd = {};

  Skill() {
    tree.file("secret", "s3cret");
    tree.file("skill/a/b/file", "x");
    tree.file("skill/.git/config", "s3cret");
    tree.link("skill/a/link", "b");
    tree.link("skill/out", "../secret");
    tree.link("skill/loop", "loop");
    tree.link("skill/nowhere", "nothing");
    tree.link("skill/config", ".git/config");
    tree.link("skill/repository", ".git");
    tree.link("skill/self", ".");
    fd.reset(::open((tree / "skill").c_str(), O_PATH | O_DIRECTORY));
    REQUIRE(fd);
  }

  // The errno; 0 where it was opened.
  int error(Opener open, const char* path, int flags = O_RDONLY) const {
    return open(fd.get(), path, flags) ? k_opened : errno;
  }
};

} // namespace

TEST_SUITE("open_beneath") {
  TEST_CASE("follows links to what belongs to the skill, and no other") {
    Skill skill;
    auto error = [&](const char* path) { return skill.error(open_beneath, path); };
    CHECK(error("a/b/file") == k_opened);
    CHECK(error("a/link/file") == k_opened);
    CHECK(error("self/a/link/file") == k_opened);
    CHECK(skill.error(open_beneath, "self", O_PATH) == k_opened);
    CHECK(error("out") == EXDEV);
    CHECK(error("config") == EXDEV);
    CHECK(error("repository/config") == EXDEV);
    CHECK(error("self/repository/config") == EXDEV);
    CHECK(skill.error(open_beneath, "config", O_PATH) == EXDEV);
    CHECK(skill.error(open_beneath, "repository", O_PATH) == EXDEV);
    CHECK(error("loop") == ELOOP);
    CHECK(error("nowhere") == ENOENT);
    CHECK(error("a/../../secret") == EXDEV);
    CHECK(error("/etc/passwd") == EXDEV);
  }

  TEST_CASE("a pipe does not hold it up") {
    Skill skill;
    REQUIRE(::mkfifo((skill.tree / "skill/pipe").c_str(), 0600) == 0);
    CHECK(skill.error(open_beneath, "pipe") == k_opened);
    CHECK(skill.error(open_beneath_by_parts, "pipe") == k_opened);
  }

  TEST_CASE("without openat2 no link is followed at all, and the rest is the same") {
    Skill skill;
    auto error = [&](const char* path) { return skill.error(open_beneath_by_parts, path); };
    CHECK(error("a/b/file") == k_opened);
    CHECK(skill.error(open_beneath_by_parts, "a/b", O_PATH) == k_opened);
    CHECK(error("a/link/file") == ELOOP);
    CHECK(error("self/a/b/file") == ELOOP);
    CHECK(error("out") == ELOOP);
    CHECK(error("config") == ELOOP);
    CHECK(skill.error(open_beneath_by_parts, "out", O_PATH) == ELOOP);
    CHECK(error("a/../../secret") == EXDEV);
    CHECK(error("/etc/passwd") == ENOENT);
    CHECK(error("a/b/none") == ENOENT);
    CHECK(error("none/b") == ENOENT);
  }
}
