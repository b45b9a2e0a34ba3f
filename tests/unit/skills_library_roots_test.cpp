#include "skills_library_tree.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::library;
using library_test::roots_of;
using library_test::Tree;

namespace {

using Names = std::vector<std::string>;

const Root& root_at(const std::vector<Root>& roots, const std::string& path) {
  const Root* root = find_root(roots, path);
  REQUIRE_MESSAGE(root != nullptr, path);
  return *root;
}

} // namespace

TEST_SUITE("Roots") {
  TEST_CASE("three agents in a fresh home have their roots, absent and in order of priority") {
    Tree tree;
    auto roots = roots_of(tree, {"claude-code", "codex", "cursor"});
    Names paths;
    for (const Root& root : roots) {
      paths.push_back(root.path);
      CHECK(root.state == RootState::absent);
      CHECK_FALSE(root.exists());
      CHECK(root.scope == Scope::user);
    }
    CHECK(paths
          == Names{tree / ".agents/skills",
                   tree / ".claude/skills",
                   tree / ".codex/skills",
                   tree / ".cursor/skills"});
    CHECK(roots[0].readers == Names{"codex", "cursor"});
    CHECK(roots[0].writers == Names{"codex"});
    CHECK(roots[1].readers == Names{"claude-code", "cursor"});
    CHECK(roots[1].writers == Names{"claude-code"});
    CHECK(roots[1].link_readers == Names{"claude-code"});
    CHECK(roots[1].never_touch == Names{".trash", "synced"});
    CHECK(roots[3].writers == Names{"cursor"});
  }

  TEST_CASE("a linked root is the same replica") {
    Tree tree;
    tree.folder(".agents/skills");
    tree.link(".claude/skills", "../.agents/skills");
    auto roots = roots_of(tree, {"claude-code", "codex"});
    const Root& root = root_at(roots, tree / ".agents/skills");
    CHECK(root.state == RootState::ok);
    CHECK(root.path == tree / ".agents/skills");
    CHECK_FALSE(root.link);
    CHECK(root.aliases == Names{tree / ".claude/skills"});
    CHECK(root.readers == Names{"claude-code", "codex"});
    CHECK(root.writers == Names{"claude-code", "codex"});
    CHECK(&root_at(roots, tree / ".claude/skills") == &root);
  }

  TEST_CASE("a linked parent folder is seen through, also while the root is absent") {
    Tree tree;
    tree.folder(".agents");
    tree.link(".claude", ".agents");
    auto roots = roots_of(tree, {"claude-code", "codex"});
    const Root& root = root_at(roots, tree / ".claude/skills");
    CHECK(root.state == RootState::absent);
    CHECK(root.real_path == tree / ".agents/skills");
    CHECK(root.path == tree / ".agents/skills");
  }

  TEST_CASE("a root linked to a place of the person's own is fine") {
    Tree tree;
    tree.folder("dotfiles/skills");
    tree.link(".claude/skills", tree / "dotfiles/skills");
    const Root root = root_at(roots_of(tree, {"claude-code"}), tree / ".claude/skills");
    CHECK(root.state == RootState::ok);
    CHECK(root.link);
    CHECK(root.real_path == tree / "dotfiles/skills");
  }

  TEST_CASE("a home that is reached by a link does not make every root a link") {
    Tree tree;
    tree.folder("real/.claude/skills");
    tree.link("home", "real");
    agents::Setting setting = library_test::setting_of(tree);
    setting.places.home = tree / "home";
    auto folders = library::folders_of(*library_test::table().find("claude-code"), setting);
    auto roots = discover_roots(folders, tree / "home");
    REQUIRE(roots.size() == 1);
    CHECK(roots[0].path == tree / "home/.claude/skills");
    CHECK(roots[0].real_path == tree / "real/.claude/skills");
    CHECK_FALSE(roots[0].link);
  }

  TEST_CASE("what cannot be a root is refused and says why") {
    Tree tree;
    tree.link(".claude/skills", "nowhere");
    tree.link(".agents/skills", "skills");
    tree.file(".cursor/skills", "a file");
    tree.file(".codex", "a file");
    auto roots = roots_of(tree, {"claude-code", "codex", "cursor"});
    auto reason = [&](const char* path) {
      const Root& root = root_at(roots, tree / path);
      CHECK(root.state == RootState::refused);
      return root.reason;
    };
    CHECK(reason(".claude/skills") == "`" + tree / ".claude/skills` is a link that leads nowhere");
    CHECK(reason(".agents/skills")
          == "`" + tree / ".agents/skills` is a link that leads in a circle");
    CHECK(reason(".cursor/skills") == "`" + tree / ".cursor/skills` is not a folder");
    CHECK(reason(".codex/skills")
          == "`" + tree / ".codex/skills` lies below something that is not a folder");
  }

  TEST_CASE("home and what holds it are no folders of skills") {
    Tree tree;
    tree.link(".claude/skills", tree.path());
    tree.link(".agents/skills", "/");
    auto roots = roots_of(tree, {"claude-code", "codex"});
    CHECK(root_at(roots, tree / ".claude/skills").state == RootState::refused);
    CHECK(root_at(roots, tree / ".claude/skills").reason
          == "`" + tree / ".claude/skills` leads to `" + tree.path()
                 + "`, which is no folder of skills");
    CHECK(root_at(roots, tree / ".agents/skills").state == RootState::refused);
    CHECK(root_at(roots, tree / ".codex/skills").state == RootState::absent);
  }

  TEST_CASE("a root inside another is refused, and a stray link does not switch a real root off") {
    Tree tree;
    SUBCASE("the link holds a real root") {
      tree.folder(".agents/skills");
      tree.link(".claude/skills", tree / ".agents");
      auto roots = roots_of(tree, {"claude-code", "codex"});
      CHECK(root_at(roots, tree / ".agents/skills").state == RootState::ok);
      CHECK(root_at(roots, tree / ".claude/skills").state == RootState::refused);
      CHECK(root_at(roots, tree / ".claude/skills").reason
            == "`" + tree / ".claude/skills` leads to `" + tree / ".agents`, which holds the root `"
                   + tree / ".agents/skills`");
    }
    SUBCASE("the link leads into a real root") {
      tree.skill(".agents/skills/a");
      tree.link(".claude/skills", tree / ".agents/skills/a");
      auto roots = roots_of(tree, {"claude-code", "codex"});
      CHECK(root_at(roots, tree / ".agents/skills").state == RootState::ok);
      CHECK(root_at(roots, tree / ".claude/skills").reason
            == "`" + tree / ".claude/skills` lies inside the root `" + tree / ".agents/skills`");
    }
    SUBCASE("a project inside a skill gives way") {
      tree.skill(".claude/skills/a");
      std::string project = tree / ".claude/skills/a";
      auto roots = roots_of(tree, {"claude-code"}, project);
      CHECK(root_at(roots, tree / ".claude/skills").state == RootState::ok);
      CHECK(root_at(roots, project + "/.claude/skills").state == RootState::refused);
    }
  }

  TEST_CASE("a project's roots come after the user's and are its own") {
    Tree tree;
    tree.folder("p/.agents/skills");
    tree.folder(".claude/skills");
    auto roots = roots_of(tree, {"claude-code", "codex"}, tree / "p");
    const Root& root = root_at(roots, tree / "p/.agents/skills");
    CHECK(root.scope == Scope::project);
    CHECK(root.project == tree / "p");
    CHECK(root.state == RootState::ok);
    CHECK(root.writers == Names{"codex"});
    CHECK(std::ranges::is_sorted(roots, {}, &Root::scope));
  }

  TEST_CASE("a project's root may not lead out of the project") {
    Tree tree;
    tree.folder(".claude/skills");
    tree.folder("elsewhere");
    tree.link("p/.claude/skills", tree / ".claude/skills");
    tree.link("p/.agents", tree / "elsewhere");
    auto roots = roots_of(tree, {"claude-code", "codex"}, tree / "p");
    CHECK(root_at(roots, tree / "p/.claude/skills").state == RootState::refused);
    CHECK(root_at(roots, tree / "p/.claude/skills").reason
          == "`" + tree / "p/.claude/skills` leads outside the project, to `"
                 + tree / ".claude/skills`");
    CHECK(root_at(roots, tree / "p/.agents/skills").state == RootState::refused);
    CHECK(root_at(roots, tree / ".claude/skills").state == RootState::ok);
  }

  TEST_CASE("a link inside the project is the same replica there too") {
    Tree tree;
    tree.folder("p/.agents/skills");
    tree.link("p/.claude/skills", "../.agents/skills");
    auto roots = roots_of(tree, {"claude-code", "codex"}, tree / "p");
    CHECK(root_at(roots, tree / "p/.claude/skills").path == tree / "p/.agents/skills");
    CHECK(root_at(roots, tree / "p/.claude/skills").state == RootState::ok);
  }

  TEST_CASE("where home is the project the scopes are one") {
    Tree tree;
    tree.folder(".claude/skills");
    auto roots = roots_of(tree, {"claude-code", "codex"}, tree.path());
    for (const Root& root : roots) {
      CHECK(root.scope == Scope::user);
      CHECK(root.project.empty());
      CHECK(root.state != RootState::refused);
    }
    CHECK(std::ranges::count(roots, tree / ".claude/skills", &Root::path) == 1);
  }

  TEST_CASE("a legacy folder counts where it exists, for nobody to see and nobody to write") {
    Tree tree;
    CHECK(find_root(roots_of(tree, {"forgecode"}), tree / "forge/skills") == nullptr);
    tree.folder("forge/skills");
    const Root root = root_at(roots_of(tree, {"forgecode"}), tree / "forge/skills");
    CHECK(root.state == RootState::ok);
    CHECK(root.readers.empty());
    CHECK(root.writers.empty());
  }

  TEST_CASE("an administrator's folder is read and refused") {
    Tree tree;
    tree.folder("etc/skills");
    AgentFolders folders{.agent = "codex"};
    folders.roots.administered = {tree / "etc/skills", tree / "etc/none"};
    auto roots = discover_roots(std::vector{folders}, tree / "home");
    REQUIRE(roots.size() == 1);
    CHECK(roots[0].state == RootState::refused);
    CHECK(roots[0].readers == Names{"codex"});
    CHECK(roots[0].reason == "`" + tree / "etc/skills` belongs to an administrator");
  }

  TEST_CASE("a folder that may not be searched is refused, and the rest is found") {
    if (::geteuid() == 0) {
      MESSAGE("skipped: root may read everything");
      return;
    }
    Tree tree;
    tree.folder(".claude/skills");
    tree.folder(".agents/skills");
    ::chmod((tree / ".claude").c_str(), 0);
    auto roots = roots_of(tree, {"claude-code", "codex"});
    ::chmod((tree / ".claude").c_str(), 0700);
    CHECK(root_at(roots, tree / ".claude/skills").state == RootState::refused);
    CHECK(root_at(roots, tree / ".agents/skills").state == RootState::ok);
  }

  TEST_CASE("detection finds what is really there") {
    Tree tree;
    tree.folder(".claude");
    tree.folder(".cursor");
    tree.folder("p/agent");
    tree.file("p/package.json", R"({"dependencies":{"eve":"^1"}})");
    auto found = agents::detect(library_test::table(), library_test::setting_of(tree, tree / "p"));
    Names ids;
    for (const agents::Detected& detected : found) {
      ids.push_back(detected.id);
    }
    // /etc/codex may exist on the machine that runs this.
    std::erase(ids, "codex");
    CHECK(ids == Names{"claude-code", "cursor", "eve"});
    CHECK(found.front().evidence == "`~/.claude` exists");
  }
}
