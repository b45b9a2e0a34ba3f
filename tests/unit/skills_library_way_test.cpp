#include "skills/library/way.h"
#include "skills_library_tree.h"

using namespace upskill;
using namespace upskill::library;
using library_test::Tree;

using Names = std::vector<std::string>;

TEST_SUITE("Way") {
  TEST_CASE("a path without links leads to itself, whether anything is there or not") {
    Tree tree;
    tree.folder(".claude");
    Way way = way_to(tree / ".claude/skills/x");
    CHECK(way.links.empty());
    CHECK(way.end == tree / ".claude/skills/x");
  }

  TEST_CASE("every link on the way is told by where it really lies") {
    Tree tree;
    tree.folder("dotfiles/claude");
    tree.link(".claude", "dotfiles/claude");
    tree.link("dotfiles/claude/skills", "../../shared");
    tree.link("shared", (tree / "real/./place/").c_str());
    Way way = way_to(tree / ".claude/skills/pdf");
    CHECK(way.links == Names{tree / ".claude", tree / "dotfiles/claude/skills", tree / "shared"});
    CHECK(way.end == tree / "real/place/pdf");
  }

  TEST_CASE("a circle has an end") {
    Tree tree;
    tree.link("a", "b");
    tree.link("b", "a");
    CHECK(way_to(tree / "a/x").links.size() == 40);
  }
}
