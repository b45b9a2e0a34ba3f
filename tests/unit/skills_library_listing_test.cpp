#include "skills/library/listing.h"
#include "skills_library_tree.h"

#include <algorithm>

using namespace upskill;
using namespace upskill::library;
using library_test::roots_of;
using library_test::Tree;

namespace {

using Names = std::vector<std::string>;

struct Home {
  Tree tree = {};
  std::vector<Root> roots = {};
  std::string project = {};

  Listing list(const std::string& path, ListOptions options = {}) {
    roots = roots_of(tree, {"claude-code", "codex", "cursor"}, project);
    const Root* root = find_root(roots, tree / path);
    REQUIRE(root != nullptr);
    return list_root(*root, roots, options);
  }

  std::string read(const std::string& path, const Entry& entry, std::size_t limit = 1000) {
    auto bytes = read_document(*find_root(roots, tree / path), entry, limit);
    return bytes ? *bytes : bytes.error().message;
  }
};

const Entry& entry(const Listing& listing, const std::string& name) {
  auto at = std::ranges::find(listing.entries, name, &Entry::name);
  REQUIRE_MESSAGE(at != listing.entries.end(), name);
  return *at;
}

Names names_of(const Listing& listing) {
  Names names;
  for (const Entry& one : listing.entries) {
    names.push_back(one.name);
  }
  return names;
}

} // namespace

TEST_SUITE("Listing") {
  TEST_CASE("skills are the folders with a SKILL.md, by name") {
    Home home;
    home.tree.skill(".agents/skills/b");
    home.tree.skill(".agents/skills/a");
    home.tree.file(".agents/skills/c/skill.md", "---\nname: c\n---\n");
    home.tree.file(".agents/skills/README.md", "not a skill");
    Listing listing = home.list(".agents/skills");
    CHECK(names_of(listing) == Names{"a", "b", "c"});
    for (const Entry& one : listing.entries) {
      CHECK(one.kind == EntryKind::skill);
      CHECK(one.size > 0);
      CHECK(one.mtime_ns > 0);
      CHECK(one.reason.empty());
    }
    CHECK(entry(listing, "c").lower_case_document);
    CHECK_FALSE(listing.own_document);
    CHECK(troubles(listing).empty());
    CHECK(home.read(".agents/skills", entry(listing, "c")) == "---\nname: c\n---\n");
  }

  TEST_CASE("an absent root is empty and one with its own SKILL.md says so") {
    Home home;
    CHECK(home.list(".agents/skills").entries.empty());
    home.tree.file(".agents/skills/SKILL.md", "x");
    CHECK(home.list(".agents/skills").own_document);
    CHECK(home.list(".agents/skills").entries.empty());
  }

  TEST_CASE("a skill without a usable SKILL.md is incomplete and says why") {
    Home home;
    home.tree.file(".agents/skills/missing/scripts/run.sh", "x");
    home.tree.file(".agents/skills/empty/SKILL.md", "");
    home.tree.folder(".agents/skills/folder/SKILL.md");
    home.tree.file("secret/SKILL.md", "secret");
    home.tree.link(".agents/skills/leaves/SKILL.md", "../../../secret/SKILL.md");
    home.tree.link(".agents/skills/absolute/SKILL.md", home.tree / "secret/SKILL.md");
    home.tree.link(".agents/skills/nowhere/SKILL.md", "nothing");
    home.tree.file(".agents/skills/ignored/.git/config", "secret");
    home.tree.link(".agents/skills/ignored/SKILL.md", ".git/config");
    Listing listing = home.list(".agents/skills");
    auto why = [&](const std::string& name) {
      CHECK(entry(listing, name).kind == EntryKind::incomplete);
      CHECK(home.read(".agents/skills", entry(listing, name)).find("secret") == std::string::npos);
      std::string at = "`" + home.tree / ".agents/skills/" + name + "` ";
      std::string reason = entry(listing, name).reason;
      return reason.starts_with(at) ? reason.substr(at.size()) : reason;
    };
    CHECK(why("missing") == "has no `SKILL.md`");
    CHECK(why("empty") == "has an empty `SKILL.md`");
    CHECK(why("folder") == "has a `SKILL.md` that is not a file");
    CHECK(why("leaves") == "has a `SKILL.md` that is a link to what is no part of the skill");
    CHECK(why("absolute") == "has a `SKILL.md` that is a link to what is no part of the skill");
    CHECK(why("nowhere") == "has no `SKILL.md`");
    CHECK(why("ignored") == "has a `SKILL.md` that is a link to what is no part of the skill");
    CHECK(troubles(listing).size() == 7);
  }

  TEST_CASE("a SKILL.md may be a link inside the skill") {
    Home home;
    home.tree.file(".agents/skills/a/docs/skill-text.md", "inside");
    home.tree.link(".agents/skills/a/SKILL.md", "docs/skill-text.md");
    Listing listing = home.list(".agents/skills");
    CHECK(entry(listing, "a").kind == EntryKind::skill);
    CHECK(entry(listing, "a").size == 6);
    CHECK(home.read(".agents/skills", entry(listing, "a")) == "inside");
  }

  TEST_CASE("a file that became a link out, a pipe, or too large is not read") {
    Home home;
    home.tree.skill(".agents/skills/a");
    home.tree.file("secret", "secret");
    Listing listing = home.list(".agents/skills");
    std::string file = home.tree / ".agents/skills/a/SKILL.md";
    CHECK(home.read(".agents/skills", entry(listing, "a"), 5)
          == "`" + file + "` holds more than 5 bytes");
    ::unlink(file.c_str());
    CHECK(home.read(".agents/skills", entry(listing, "a")).find(file) != std::string::npos);
    ::symlink((home.tree / "secret").c_str(), file.c_str());
    CHECK(home.read(".agents/skills", entry(listing, "a"))
          == "`" + file + "` is a link to what is no part of the skill");
    ::unlink(file.c_str());
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    CHECK(home.read(".agents/skills", entry(listing, "a")) == "`" + file + "` is not a file");
    ::unlink(file.c_str());
  }

  TEST_CASE("links count for what they lead to") {
    Home home;
    home.tree.skill(".agents/skills/a");
    home.tree.file(".agents/skills/half/x", "no SKILL.md");
    home.tree.skill("elsewhere/b");
    home.tree.link(".claude/skills/a", "../../.agents/skills/a");
    home.tree.link(".claude/skills/renamed", home.tree / ".agents/skills/a");
    home.tree.link(".claude/skills/half", "../../.agents/skills/half");
    home.tree.link(".claude/skills/b", home.tree / "elsewhere/b");
    home.tree.link(".claude/skills/dangling", "../../.agents/skills/gone");
    home.tree.link(".claude/skills/self", "self");
    home.tree.link(".claude/skills/up", "../..");
    home.tree.link(".claude/skills/here", ".");
    home.tree.link(".claude/skills/inner", "../../.agents/skills/a/..");
    home.tree.link(".claude/skills/a-file", "../../.agents/skills/a/SKILL.md");
    home.tree.skill(".claude/skills/c");
    home.tree.link(".claude/skills/c2", "c");
    Listing listing = home.list(".claude/skills");
    auto kind = [&](const std::string& name) { return entry(listing, name).kind; };
    CHECK(kind("a") == EntryKind::link);
    CHECK(entry(listing, "a").target == home.tree / ".agents/skills/a");
    CHECK(entry(listing, "a").has_document());
    CHECK(kind("renamed") == EntryKind::link);
    CHECK(kind("half") == EntryKind::link);
    CHECK_FALSE(entry(listing, "half").has_document());
    CHECK(kind("b") == EntryKind::outside_link);
    CHECK(entry(listing, "b").reason
          == "`" + home.tree / ".claude/skills/b` is a link to `" + home.tree / "elsewhere/b`"
                 + ", which is no skill of a known root");
    CHECK(kind("dangling") == EntryKind::broken_link);
    CHECK(kind("self") == EntryKind::broken_link);
    CHECK(kind("up") == EntryKind::broken_link);
    CHECK(kind("here") == EntryKind::broken_link);
    CHECK(kind("inner") == EntryKind::outside_link);
    CHECK(kind("c") == EntryKind::skill);
    CHECK(kind("c2") == EntryKind::alias);
    CHECK(std::ranges::find(listing.entries, "a-file", &Entry::name) == listing.entries.end());
    CHECK(home.read(".claude/skills", entry(listing, "b")).find("is not read")
          != std::string::npos);
  }

  TEST_CASE("a project's link to a skill of the user's is a link to another scope") {
    Home home;
    home.project = home.tree / "p";
    home.tree.skill(".claude/skills/a");
    home.tree.link("p/.claude/skills/a", home.tree / ".claude/skills/a");
    Listing listing = home.list("p/.claude/skills");
    CHECK(entry(listing, "a").kind == EntryKind::outside_link);
    CHECK(entry(listing, "a").reason.ends_with(" of another scope"));
  }

  TEST_CASE("what is an agent's own, or a tool's, is left out") {
    Home home;
    for (const char* name :
         {".git", ".system", ".trash", "synced", "node_modules", ".hidden", "x.tmp"}) {
      home.tree.skill(std::string(".claude/skills/") + name + "/inner");
      home.tree.skill(std::string(".claude/skills/") + name);
    }
    home.tree.skill(".claude/skills/pdf");
    home.tree.skill(".claude/skills/pdf-workspace");
    home.tree.skill(".claude/skills/old-workspace/iteration-1/eval-a/with_skill");
    home.tree.skill(".claude/skills/named-workspace");
    CHECK(names_of(home.list(".claude/skills")) == Names{"named-workspace", "pdf"});
  }

  TEST_CASE("names that cannot travel are problems that name the thing") {
    Home home;
    home.tree.skill(".agents/skills/con");
    home.tree.skill(".agents/skills/a\nb");
    home.tree.skill(".agents/skills/bad\xFF");
    home.tree.skill(".agents/skills/good");
    Listing listing = home.list(".agents/skills");
    CHECK(entry(listing, "con").kind == EntryKind::problem);
    CHECK(
        entry(listing, "con").reason
        == "`" + home.tree / ".agents/skills/con` is left alone: its name is reserved on Windows");
    CHECK(entry(listing, "a\nb").kind == EntryKind::problem);
    CHECK(entry(listing, "bad\xFF").kind == EntryKind::problem);
    CHECK(entry(listing, "bad\xFF").reason.find('\xFF') == std::string::npos);
    CHECK(entry(listing, "good").kind == EntryKind::skill);
  }

  TEST_CASE("a folder of skills is a group, and skills inside skills are content") {
    Home home;
    home.tree.skill(".agents/skills/group/one");
    home.tree.skill(".agents/skills/group/deep/two");
    home.tree.skill(".agents/skills/group/.hidden/three");
    home.tree.skill(".agents/skills/group/node_modules/four");
    home.tree.skill(".agents/skills/group/a/b/c/d/e/six-is-too-deep");
    home.tree.link(".agents/skills/group/loop", "..");
    home.tree.skill(".agents/skills/outer");
    home.tree.skill(".agents/skills/outer/examples/inner");
    Listing listing = home.list(".agents/skills");
    CHECK(entry(listing, "group").kind == EntryKind::group);
    CHECK(entry(listing, "group").nested
          == std::vector<NestedSkill>{{"group/deep/two", 3}, {"group/one", 2}});
    CHECK(entry(listing, "outer").kind == EntryKind::skill);
    CHECK(entry(listing, "outer").nested.empty());
    CHECK(troubles(listing).empty());
    listing = home.list(".agents/skills", {Nesting::all});
    CHECK(entry(listing, "outer").nested == std::vector<NestedSkill>{{"outer/examples/inner", 3}});
  }

  TEST_CASE("the search for nested skills is bounded and says so") {
    Home home;
    for (int i = 0; i < 10; ++i) {
      home.tree.skill(".agents/skills/group/" + std::to_string(i));
    }
    home.tree.skill(".agents/skills/zoo");
    // 10 folders and 10 files are looked at.
    Listing listing = home.list(".agents/skills", {Nesting::groups, 20});
    CHECK(listing.problems.empty());
    CHECK(entry(listing, "group").nested.size() == 10);
    listing = home.list(".agents/skills", {Nesting::groups, 15});
    CHECK(listing.problems
          == Names{"`"
                   + home.tree
                         / ".agents/skills` holds more than 15 names below its skills; not "
                           "all were looked at"});
    CHECK(entry(listing, "group").nested.size() < 10);
    CHECK(entry(listing, "zoo").kind == EntryKind::skill);
  }

  TEST_CASE("what cannot be read is named, and the rest is listed") {
    if (::geteuid() == 0) {
      MESSAGE("skipped: root may read everything");
      return;
    }
    Home home;
    home.tree.skill(".agents/skills/closed");
    home.tree.skill(".agents/skills/open");
    std::string closed = home.tree / ".agents/skills/closed";
    ::chmod(closed.c_str(), 0);
    Listing listing = home.list(".agents/skills");
    ::chmod(closed.c_str(), 0700);
    CHECK(entry(listing, "closed").kind == EntryKind::problem);
    CHECK(entry(listing, "closed").reason == "`" + closed + "` cannot be read: Permission denied");
    CHECK(entry(listing, "open").kind == EntryKind::skill);
    std::string root = home.tree / ".agents/skills";
    ::chmod(root.c_str(), 0);
    listing = home.list(".agents/skills");
    ::chmod(root.c_str(), 0700);
    CHECK(listing.entries.empty());
    CHECK(listing.problems == Names{"`" + root + "` cannot be read: Permission denied"});
  }

  TEST_CASE("a thousand skills are listed, each once and in order") {
    Home home;
    home.tree.folder(".agents/skills");
    for (int i = 0; i < 1000; ++i) {
      home.tree.skill(".agents/skills/skill-" + std::to_string(i));
    }
    Listing listing = home.list(".agents/skills");
    CHECK(listing.entries.size() == 1000);
    CHECK(std::ranges::is_sorted(listing.entries, {}, &Entry::name));
    CHECK(std::ranges::all_of(listing.entries,
                              [](const Entry& one) { return one.kind == EntryKind::skill; }));
  }
}
