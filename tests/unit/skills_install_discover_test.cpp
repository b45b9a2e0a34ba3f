#include "skills/install/discover.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::install;
using upskill::tests::put_file;
using upskill::tests::TemporaryFolder;

namespace {

// A repository whose skills are put into it.
class Repository {
public:
  void skill(const std::string& path, const std::string& name = "x") {
    file(path + "/SKILL.md",
         "---\nname: " + name + "\ndescription: Does " + name + ".\n---\nbody\n");
  }

  void file(const std::string& path, const std::string& text) {
    std::filesystem::path whole = m_folder / path;
    std::filesystem::create_directories(whole.parent_path());
    put_file(whole, text);
  }

  void link(const std::string& path, const std::string& target) {
    std::filesystem::path whole = m_folder / path;
    std::filesystem::create_directories(whole.parent_path());
    REQUIRE(::symlink(target.c_str(), whole.c_str()) == 0);
  }

  const std::string& path() const { return m_folder.path(); }

  Discovery look(Depth depth = Depth::shadowed, const std::string& within = {}) const {
    Result<Discovery> found = discover(m_folder.path(), within, "repo", depth);
    REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().message));
    return std::move(*found);
  }

  // Folders of what is found, `.` for the repository itself.
  std::vector<std::string> folders(Depth depth = Depth::shadowed,
                                   const std::string& within = {}) const {
    std::vector<std::string> folders;
    for (const FoundSkill& skill : look(depth, within).skills) {
      folders.push_back(skill.folder.empty() ? "." : skill.folder);
    }
    return folders;
  }

private:
  TemporaryFolder m_folder;
};

using Folders = std::vector<std::string>;

} // namespace

TEST_SUITE("discover") {
  TEST_CASE("a repository that is a skill is one, and hides those inside it") {
    Repository repository;
    repository.skill(".", "whole");
    repository.skill("skills/pdf", "pdf");
    CHECK(
        repository.look().skills
        == std::vector<FoundSkill>{{.folder = "", .name = "whole", .description = "Does whole."}});
    CHECK(repository.folders(Depth::full) == Folders{".", "skills/pdf"});
    CHECK(repository.folders(Depth::shadowed, "skills/pdf") == Folders{"skills/pdf"});
  }

  TEST_CASE("skills lie in the usual folders, three levels deep") {
    Repository repository;
    repository.skill("skills/pdf");
    repository.skill("skills/.curated/docx");
    repository.skill("skills/office/tables/xlsx");
    repository.skill("skills/one/two/three/four");
    repository.skill(".claude/skills/review");
    repository.skill(".agents/skills/test");
    repository.skill(".github/skills/ci");
    repository.skill("template");
    repository.skill("examples/deep/example");
    CHECK(repository.folders()
          == Folders{".agents/skills/test",
                     ".claude/skills/review",
                     ".github/skills/ci",
                     "skills/.curated/docx",
                     "skills/office/tables/xlsx",
                     "skills/pdf",
                     "template"});
    CHECK(repository.folders(Depth::full).size() == 9);
  }

  TEST_CASE("a skill hides those inside it") {
    Repository repository;
    repository.skill("skills/pdf");
    repository.skill("skills/pdf/nested/inner");
    CHECK(repository.folders() == Folders{"skills/pdf"});
    CHECK(repository.folders(Depth::full) == Folders{"skills/pdf", "skills/pdf/nested/inner"});
    repository.file(".claude-plugin/plugin.json", R"({"skills": "./skills/pdf/nested"})");
    CHECK(repository.folders() == Folders{"skills/pdf"}); // whichever way leads there
  }

  TEST_CASE("plugins name more of them, and nothing outside") {
    Repository repository;
    repository.skill("plugins/office/skills/pdf");
    repository.skill("plugins/office/more/docx");
    repository.skill("plugins/web/own/fetch");
    repository.skill("plugins/office/etc/absolute");
    repository.skill("other/hidden/elsewhere");
    repository.file(".claude-plugin/marketplace.json",
                    R"({"metadata": {"pluginRoot": "./plugins"}, "plugins": [
                        {"source": "./office", "skills": ["./more/docx", "../../../etc", "/etc", 1]},
                        {"source": "web"},
                        {"source": {"source": "github", "repo": "x/y"}},
                        {"source": "../../up"}, 17]})");
    repository.file("plugins/web/.claude-plugin/plugin.json", R"({"skills": "./own/"})");
    CHECK(repository.folders()
          == Folders{
              "plugins/office/more/docx", "plugins/office/skills/pdf", "plugins/web/own/fetch"});
  }

  TEST_CASE("a plugin file that cannot be read is told, and does no harm") {
    Repository repository;
    repository.skill("skills/pdf");
    repository.file(".claude-plugin/plugin.json", "{");
    repository.file(".claude-plugin/marketplace.json", std::string(200'000, '['));
    Discovery found = repository.look();
    CHECK(found.skills.size() == 1);
    CHECK(found.warnings.size() == 2);
  }

  TEST_CASE("where nothing is usual, everything is walked through") {
    Repository repository;
    repository.skill("a/b/c/d/e/six");
    repository.skill("a/b/c/d/e/f/seven");
    repository.skill("dist/copies/pdf");
    repository.skill("node_modules/package/skills/pdf");
    repository.skill(".git/x/pdf");
    CHECK(repository.folders() == Folders{"a/b/c/d/e/six"});
    CHECK(repository.folders(Depth::shadowed, "dist") == Folders{"dist/copies/pdf"});
  }

  TEST_CASE("a skill may be called as builds are") {
    Repository repository;
    repository.skill("skills/build");
    repository.skill("skills/dist");
    CHECK(repository.folders() == Folders{"skills/build", "skills/dist"});
  }

  TEST_CASE("what an evaluation left beside a skill is none") {
    Repository repository;
    repository.skill("skills/pdf");
    repository.skill("skills/pdf-workspace");
    repository.skill("skills/pdf-workspace/iteration-1/old");
    repository.skill("skills/own-workspace");
    CHECK(repository.folders() == Folders{"skills/own-workspace", "skills/pdf"});
  }

  TEST_CASE("two of one name are two") {
    Repository repository;
    repository.skill("skills/a", "pdf");
    repository.skill("skills/b", "pdf");
    Discovery found = repository.look();
    REQUIRE(found.skills.size() == 2);
    CHECK(found.skills[0].name == "pdf");
    CHECK(found.skills[1].name == "pdf");
  }

  TEST_CASE("no link leads anywhere") {
    Repository outside;
    outside.skill("secret");
    Repository repository;
    repository.skill("skills/pdf");
    repository.link("skills/out", outside.path() + "/secret");
    repository.link(".claude/skills", outside.path());
    repository.link(".agents/skills", "../skills");
    repository.link("skills/loop", "..");
    repository.link("skills/file/SKILL.md", outside.path() + "/secret/SKILL.md");
    CHECK(repository.folders() == Folders{"skills/pdf"});
    CHECK(repository.folders(Depth::full) == Folders{"skills/pdf"});
  }

  TEST_CASE("the folder that is meant may be a link within the source") {
    Repository outside;
    outside.skill("secret");
    Repository repository;
    repository.skill("plugins/office/pdf");
    repository.link("skills", "plugins/office");
    repository.link("away", outside.path());
    CHECK(repository.folders(Depth::shadowed, "skills/pdf") == Folders{"plugins/office/pdf"});
    CHECK(repository.folders(Depth::shadowed, "skills") == Folders{"plugins/office/pdf"});
    for (const char* within : {"away", "away/secret", "none", "plugins/office/pdf/SKILL.md/x"}) {
      CAPTURE(within);
      Result<Discovery> found = discover(repository.path(), within, "repo", Depth::shadowed);
      REQUIRE_FALSE(found);
      CHECK(found.error().code == ErrorCode::not_found);
    }
    CHECK(discover(repository.path(), "../x", "repo", Depth::shadowed).error().code
          == ErrorCode::invalid_argument);
    CHECK(discover(repository.path() + "/none", "", "repo", Depth::shadowed).error().code
          == ErrorCode::not_found);
  }

  TEST_CASE("names are those of the front matter, else of the folders") {
    Repository repository;
    repository.file("skills/one/SKILL.md", "no front matter");
    repository.file("skills/two/SKILL.md", "---\nname: \"Two \\e[31m\\nlines\\u202E\"\n---\n");
    repository.file("skills/three/skill.md",
                    "---\nfiller: " + std::string(20'000, 'x')
                        + "\nname: three-x\ndescription: |\n  Two\n  lines.\n---\n");
    repository.file("skills/empty/SKILL.md", "");
    repository.file("skills/binary/SKILL.md", std::string("\0\xff---\n", 6));
    std::vector<FoundSkill> skills = repository.look().skills;
    REQUIRE(skills.size() == 4);
    CHECK(skills[0].name == "binary");
    CHECK(skills[1].name == "one");
    CHECK(skills[2]
          == FoundSkill{.folder = "skills/three", .name = "three-x", .description = "Two lines."});
    CHECK(skills[3].name == "Two [31m lines");
    Repository unnamed;
    unnamed.file("SKILL.md", "no front matter");
    CHECK(unnamed.look().skills.front().name == "repo");
    CHECK(unnamed.look().warnings.empty());
  }

  TEST_CASE("hundreds of plugins in one folder are one folder to look into") {
    Repository repository;
    std::string plugins;
    for (int i = 0; i < 300; ++i) {
      repository.skill("skills/s" + std::to_string(i), "s" + std::to_string(i));
      plugins += std::string(i == 0 ? "" : ",")
                 + R"({"name": "p", "source": "./", "skills": ["./skills/s)" + std::to_string(i)
                 + "\"]}";
    }
    repository.skill("last/of/all", "last");
    plugins += R"(,{"name": "q", "source": "./last", "skills": "of"})";
    repository.file(".claude-plugin/marketplace.json", R"({"plugins": [)" + plugins + "]}");
    Discovery found = repository.look();
    CHECK(found.warnings.empty());
    CHECK(found.skills.size() == 301);
  }

  TEST_CASE("what is found is bounded, and told") {
    Repository repository;
    for (int i = 0; i < 10'002; ++i) {
      repository.file("skills/s" + std::to_string(i) + "/SKILL.md", "x");
    }
    Discovery found = repository.look();
    CHECK(found.skills.size() == k_most_found);
    REQUIRE(found.warnings.size() == 1);
    CHECK(found.warnings.front().find("10,000") != std::string::npos);
  }
}

TEST_SUITE("folder_name_of") {
  TEST_CASE("as `skills` makes them") {
    struct Row {
      std::string_view name;
      std::string_view folder;
    };

    for (const Row& row : std::vector<Row>{{"pdf", "pdf"},
                                           {"PDF Tools", "pdf-tools"},
                                           {"  a  b  ", "a-b"},
                                           {"a/../../b", "a-..-..-b"},
                                           {"../../etc/passwd", "etc-passwd"},
                                           {"a_b.c", "a_b.c"},
                                           {"...", "unnamed-skill"},
                                           {"", "unnamed-skill"},
                                           {"\xE6\x8A\x80\xE8\x83\xBD", "unnamed-skill"},
                                           {"caf\xC3\xA9!", "caf"},
                                           {"a\xE2\x80\xAE"
                                            "b",
                                            "a-b"},
                                           {"a\x1b[31mb", "a-31mb"},
                                           {"\xE2\x84\xAA-means", "k-means"},
                                           {"\xC4\xB0x", "i-x"},
                                           {"a--b", "a-b"}, // `-` is none of what stays, either
                                           {"-.a.-", "a"},
                                           {"con", ""},
                                           {"NUL.txt", ""},
                                           {"com1", ""},
                                           {"node_modules", ""},
                                           {"synced", ""},
                                           {"x.tmp", ""}}) {
      CAPTURE(row.name);
      CHECK(folder_name_of(row.name) == row.folder);
    }
    CHECK(folder_name_of(std::string(300, 'a')) == std::string(255, 'a'));
  }
}
