#include "skills/library/catalogue.h"
#include "skills/library/sight.h"
#include "skills_library_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <ctime>

using namespace upskill;
using namespace upskill::library;
using library_test::Tree;

namespace {

using Names = std::vector<std::string>;

// A reader that knows just enough of a SKILL.md for these tests.
DocumentFacts first_description(std::string_view bytes) {
  DocumentFacts facts;
  std::size_t at = bytes.find("description: ");
  if (at == std::string_view::npos) {
    facts.warnings.emplace_back("no description");
    return facts;
  }
  std::string_view rest = bytes.substr(at + 13);
  facts.description = rest.substr(0, rest.find('\n'));
  facts.tokens = static_cast<std::int64_t>(bytes.size() / 4);
  return facts;
}

struct Library {
  std::vector<AgentFolders> folders;
  std::vector<Root> roots;
  std::vector<Listing> listings = {};
  std::vector<ListedRoot> listed = {};

  Library(const Tree& tree, std::vector<const char*> agents, const std::string& project = {})
      : folders(library_test::folders_of(tree, std::move(agents), project))
      , roots(discover_roots(folders, tree.path())) {
    listings.reserve(roots.size());
    for (const Root& root : roots) {
      listings.push_back(list_root(root, roots, {Nesting::all}));
      listed.push_back({&root, &listings.back()});
    }
  }

  // The hash of a copy is its SKILL.md.
  std::vector<SkillSummary> rows() const {
    return catalogue(listed, {first_description, [](const Root& root, const Entry& entry) {
                                return read_document(root, entry, 1000).value_or("");
                              }});
  }

  AgentView view(const char* id, const Judge& judge = {}) const {
    const agents::Agent* agent = library_test::table().find(id);
    return agent_views(std::span(&agent, 1), folders, listed, judge).at(0);
  }
};

const std::vector<const char*> k_three = {"claude-code", "codex", "cursor"};

void set_mtime(const std::string& path, std::time_t seconds) {
  timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

} // namespace

TEST_SUITE("Catalogue") {
  TEST_CASE("a row tells of all copies, and of the newest what it says") {
    Tree tree;
    tree.skill(".agents/skills/a", "old");
    tree.skill(".claude/skills/a", "new");
    set_mtime(tree / ".agents/skills/a/SKILL.md", 1'000);
    set_mtime(tree / ".claude/skills/a/SKILL.md", 2'000);
    auto rows = Library(tree, k_three).rows();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].skill == "a");
    CHECK(rows[0].description == "new");
    CHECK(rows[0].tokens > 0);
    CHECK(rows[0].hash.find("new") != std::string::npos);
    CHECK(rows[0].agents == Names{"claude-code", "codex", "cursor"});
    CHECK_FALSE(rows[0].in_sync);
    REQUIRE(rows[0].replicas.size() == 2);
    CHECK(rows[0].replicas[0].path == tree / ".agents/skills/a");
    CHECK(rows[0].replicas[0].agents == Names{"codex", "cursor"});
    CHECK_FALSE(rows[0].replicas[0].link);
    CHECK(rows[0].warnings.empty());
  }

  TEST_CASE("equal copies are in sync, and an incomplete one is not and says so") {
    Tree tree;
    tree.skill(".agents/skills/a");
    tree.skill(".claude/skills/a");
    CHECK(Library(tree, k_three).rows().at(0).in_sync);
    tree.file(".claude/skills/a/SKILL.md", "");
    auto rows = Library(tree, k_three).rows();
    CHECK_FALSE(rows.at(0).in_sync);
    CHECK(rows[0].warnings == Names{"`" + tree / ".claude/skills/a` has an empty `SKILL.md`"});
    CHECK(rows[0].agents == Names{"codex", "cursor"});
  }

  TEST_CASE("a link is a replica for the agents that follow links") {
    Tree tree;
    tree.skill(".agents/skills/a");
    tree.link(".claude/skills/a", "../../.agents/skills/a");
    auto rows = Library(tree, k_three).rows();
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].in_sync);
    CHECK(rows[0].warnings.empty());
    CHECK(rows[0].replicas.at(1).link);
    CHECK(rows[0].replicas[1].agents == Names{"claude-code"});
  }

  TEST_CASE("what no agent can find is no row, and a trouble of its root") {
    Tree tree;
    tree.file(".agents/skills/notes/a.txt", "x");
    tree.link(".agents/skills/gone", "nowhere");
    tree.skill(".agents/skills/group/b");
    Library library(tree, k_three);
    CHECK(library.rows().empty());
    CHECK(troubles(library.listings.at(0)).size() == 2);
  }

  TEST_CASE("scopes do not mix") {
    Tree tree;
    tree.skill(".claude/skills/a", "the user's");
    tree.skill("p/.claude/skills/a", "the project's");
    auto rows = Library(tree, k_three, tree / "p").rows();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].description == "the user's");
    CHECK(rows[1].description == "the project's");
    CHECK(rows[1].replicas.at(0).scope == Scope::project);
    CHECK(rows[0].in_sync);
    CHECK(rows[1].in_sync);
  }

  TEST_CASE("names that collide are told, in one root or across roots of one scope") {
    Tree tree;
    tree.skill(".agents/skills/foo");
    tree.skill(".claude/skills/Foo");
    tree.skill("p/.claude/skills/FOO");
    auto rows = Library(tree, k_three, tree / "p").rows();
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].skill == "FOO");
    CHECK(rows[0].warnings.empty());
    CHECK(rows[1].skill == "Foo");
    CHECK(rows[1].warnings
          == Names{"its name differs from `foo` only in case or in how letters are composed"});
    CHECK(rows[2].warnings
          == Names{"its name differs from `Foo` only in case or in how letters are composed"});
  }

  TEST_CASE("a SKILL.md that cannot be taken is a warning, and without readers there is no text") {
    Tree tree;
    tree.file(".agents/skills/a/SKILL.md", "no front matter");
    tree.file(".agents/skills/b/SKILL.md", std::string(k_max_catalogue_document + 1, 'x'));
    Library library(tree, k_three);
    auto rows = library.rows();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].warnings == Names{"no description"});
    CHECK(rows[1].warnings.at(0).find("holds more than 4194304 bytes") != std::string::npos);
    auto plain = catalogue(library.listed, {});
    REQUIRE(plain.size() == 2);
    CHECK(plain[0].hash.empty());
    CHECK(plain[0].warnings.empty());
  }
}

TEST_SUITE("Sight") {
  TEST_CASE("the minimal cover as each of three agents sees it") {
    Tree tree;
    tree.skill(".agents/skills/x");
    tree.skill(".claude/skills/x");
    Library library(tree, k_three);
    AgentView claude = library.view("claude-code");
    REQUIRE(claude.lists.size() == 1);
    CHECK(claude.lists[0].times == 1);
    CHECK(claude.lists[0].path == tree / ".claude/skills/x");
    CHECK(library.view("codex").lists.at(0).times == 1);
    CHECK(library.view("cursor").lists.at(0).times == 2);
    CHECK(library.view("cursor").lists[0].note
          == "also lies in `" + tree / ".claude/skills/x`; Cursor may list each copy");
  }

  TEST_CASE("a whole root that is a link shows twice where copies are not told apart") {
    Tree tree;
    tree.skill(".agents/skills/x");
    tree.link(".claude/skills", "../.agents/skills");
    tree.link(".codex/skills", "../.agents/skills");
    Library library(tree, k_three);
    CHECK(library.view("claude-code").lists.at(0).path == tree / ".claude/skills/x");
    CHECK(library.view("codex").lists.at(0).times == 1);
    CHECK(library.view("cursor").lists.at(0).times == 3);
  }

  TEST_CASE("a group is seen by Codex and missed by nobody who lists only skills") {
    Tree tree;
    tree.skill(".agents/skills/group/inner");
    tree.skill(".agents/skills/outer/examples/nested");
    tree.skill(".agents/skills/outer");
    Library library(tree, {"codex", "gemini-cli", "claude-code"});
    AgentView codex = library.view("codex");
    REQUIRE(codex.lists.size() == 3);
    CHECK(codex.lists[0].skill == "inner");
    CHECK(codex.lists[0].times == 1);
    CHECK(codex.lists[1].skill == "nested");
    CHECK(codex.lists[1].path == tree / ".agents/skills/outer/examples/nested");
    CHECK(codex.misses.empty());
    AgentView gemini = library.view("gemini-cli");
    CHECK(gemini.lists.at(0).times == 0);
    CHECK(gemini.lists.at(2).times == 1);
    CHECK(library.view("claude-code").misses == Names{"outer"});
  }

  TEST_CASE("Claude Code lets the user's copy win over the project's, Gemini CLI the project's") {
    Tree tree;
    tree.skill(".claude/skills/x");
    tree.skill("p/.claude/skills/x");
    tree.skill(".gemini/skills/x");
    tree.skill("p/.gemini/skills/x");
    Library library(tree, {"claude-code", "gemini-cli"}, tree / "p");
    CHECK(library.view("claude-code").lists.at(0).path == tree / ".claude/skills/x");
    CHECK(library.view("gemini-cli").lists.at(0).path == tree / "p/.gemini/skills/x");
  }

  TEST_CASE("where home is the project nothing is listed twice for that") {
    Tree tree;
    tree.skill(".claude/skills/x");
    Library library(tree, {"cursor", "claude-code"}, tree.path());
    CHECK(library.view("cursor").lists.at(0).times == 1);
  }

  TEST_CASE("skills that have one name meet as copies do, and their folders are what is missed") {
    Tree tree;
    tree.skill(".agents/skills/outer");
    tree.skill(".agents/skills/x1");
    Judge judge = [](const agents::Agent& agent, const std::string&) {
      return LoadedSkill{{agent.title, LoaderVerdict::valid, {}}, "outer"};
    };
    Library library(tree, {"codex", "gemini-cli"});
    AgentView codex = library.view("codex", judge);
    REQUIRE(codex.lists.size() == 1);
    CHECK(codex.lists[0].skill == "outer");
    CHECK(codex.lists[0].times == 2);
    CHECK(codex.lists[0].note.find(tree / ".agents/skills/x1") != std::string::npos);
    CHECK(codex.misses.empty());
    AgentView gemini = library.view("gemini-cli", judge);
    REQUIRE(gemini.lists.size() == 1);
    CHECK(gemini.lists[0].times == 1);
    CHECK(gemini.misses == Names{"outer"}); // the last one wins
  }

  TEST_CASE("the judge is asked for what an agent looks at, and is believed") {
    Tree tree;
    tree.skill(".agents/skills/x");
    tree.skill(".agents/skills/x/deep/y");
    Names asked;
    Judge judge = [&](const agents::Agent& agent, const std::string& folder) {
      asked.push_back(agent.id + " " + folder);
      return LoadedSkill{{agent.title, LoaderVerdict::skipped, "`description` is missing"}, "z"};
    };
    Library library(tree, {"gemini-cli"});
    AgentView view = library.view("gemini-cli", judge);
    CHECK(asked == Names{"gemini-cli " + tree / ".agents/skills/x"});
    CHECK(view.lists.at(0).times == 0);
    CHECK(view.lists[0].skill == "x");
    CHECK(view.lists[0].note
          == "`" + tree / ".agents/skills/x` is skipped: `description` is missing");
    CHECK(view.misses == Names{"x"});
  }
}
