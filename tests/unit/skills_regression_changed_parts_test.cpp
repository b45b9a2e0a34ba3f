#include "skills/regression/changed_parts.h"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::regression;

namespace {

using Names = std::vector<std::string>;
using enum SkillPart;
using Parts = std::vector<SkillPart>;

constexpr std::string_view k_document = "---\n"
                                        "name: pdf\n"
                                        "description: Fills in PDF forms.\n"
                                        "license: MIT\n"
                                        "---\n"
                                        "# PDF\n\nUse the script.\n";

// A version as text by path.
struct Skill {
  std::map<std::string, std::string> files = {{"SKILL.md", std::string(k_document)}};
  std::string executable = {}; // path of the file that is
  mutable int reads = 0;

  std::vector<ListedFile> list() const {
    std::vector<ListedFile> listed;
    for (const auto& [path, text] : files) {
      listed.push_back({path, sha256(text), path == executable});
    }
    return listed;
  }
};

ChangedParts between(const Skill& before, const Skill& after) {
  std::vector<ListedFile> old_files = before.list();
  std::vector<ListedFile> new_files = after.list();
  auto view = [](const Skill& skill, const std::vector<ListedFile>& files) {
    return VersionView{
        .files = files,
        .document = skill.files.at("SKILL.md"),
        .read = [&skill](std::string_view file) -> Result<std::optional<std::string>> {
          ++skill.reads;
          auto at = skill.files.find(std::string(file));
          return at == skill.files.end() ? std::nullopt : std::optional(at->second);
        }};
  };
  return changed_parts(view(before, old_files), view(after, new_files));
}

Skill with(std::string path, std::string text, Skill skill = {}) {
  skill.files[std::move(path)] = std::move(text);
  return skill;
}

Skill documented(std::string text) {
  return with("SKILL.md", std::move(text));
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

Parts parts_of(std::string_view what, std::string_view by) {
  return between({}, documented(replaced(std::string(k_document), what, by))).parts;
}

constexpr std::string_view k_cases = R"({"cases": [
  {"id": "fill", "input": "Fill it in", "expected": {"contains": ["done"]}},
  {"id": "read", "input": "Read it", "expected": {"contains": ["text"]}, "files": ["evals/files/a.txt"]}
]})";

// The changed case of that id.
std::optional<CaseChange> change_of(const ChangedParts& changed, std::string_view id) {
  for (const ChangedCase& one : changed.cases) {
    if (one.id == id) {
      return one.change;
    }
  }
  return std::nullopt;
}

} // namespace

TEST_SUITE("changed_parts") {
  TEST_CASE("a version is no change of itself, and no test file is read for it") {
    Skill skill = with("skill_meta.json", std::string(k_cases));
    ChangedParts changed = between(skill, skill);
    CHECK(changed.parts.empty());
    CHECK(changed.files.empty());
    CHECK(changed.cases.empty());
    CHECK(skill.reads == 0);
    CHECK(needed_tests(changed).none());
  }

  TEST_CASE("SKILL.md by its parts") {
    CHECK(parts_of("name: pdf", "name: pdfs") == Parts{name});
    CHECK(parts_of("Fills in", "Reads") == Parts{description});
    CHECK(parts_of("license: MIT", "license: BSD") == Parts{front_matter});
    CHECK(parts_of("license: MIT\n", "") == Parts{front_matter});
    CHECK(parts_of("license: MIT", "allowed-tools: Bash\nlicense: MIT") == Parts{front_matter});
    CHECK(parts_of("the script", "no script") == Parts{body});
    CHECK(parts_of("description: Fills in PDF forms.\nlicense: MIT\n---\n# PDF",
                   "description: x\nlicense: BSD\n---\n# P")
          == Parts{description, front_matter, body});
  }

  TEST_CASE("what nobody can notice is no change") {
    std::string crlf;
    for (char c : k_document) {
      crlf += c == '\n' ? "\r\n" : std::string(1, c);
    }
    for (const std::string& text :
         {crlf,
          "\xEF\xBB\xBF" + std::string(k_document),
          std::string(k_document) + "\n\n",
          std::string(k_document).substr(0, k_document.size() - 1),
          replaced(std::string(k_document), "name: pdf", "name: 'pdf'   # a comment"),
          replaced(std::string(k_document), "Fills in PDF forms.", "\"Fills in PDF forms.\""),
          replaced(std::string(k_document),
                   "description: Fills in PDF forms.\nlicense: MIT",
                   "license:   MIT\ndescription: Fills in PDF forms.")}) {
      CAPTURE(text);
      REQUIRE(text != k_document);
      CHECK(between({}, documented(text)).parts.empty());
      CHECK(between(documented(text), {}).parts.empty());
    }
    Skill executable;
    executable.executable = "SKILL.md";
    CHECK(between({}, executable).parts.empty());
    CHECK(between({}, with("evals/README.md", "how")).parts.empty());
    CHECK(between({}, with("evals/README.md", "how")).files.empty());
  }

  TEST_CASE("what a model reads as another text is one") {
    CHECK(parts_of("# PDF\n", "# PDF  \n") == Parts{body}); // a line break of Markdown
    CHECK(parts_of("# PDF\n\n", "# PDF\n\n\n") == Parts{body});
    CHECK(parts_of("license: MIT", "license: 1.0") == Parts{front_matter});
    CHECK(between(documented(replaced(std::string(k_document), "MIT", "1.0")),
                  documented(replaced(std::string(k_document), "MIT", "'1.0'")))
              .parts
          == Parts{front_matter});
  }

  TEST_CASE("a front matter that cannot be read is text") {
    std::string broken = replaced(std::string(k_document), "license: MIT", "license: [MIT");
    CHECK(between(documented(broken), documented(broken + "\n")).parts.empty());
    CHECK(between(documented(broken), documented(replaced(broken, "[MIT", "[BSD")))
              .has(front_matter));
    CHECK(between({}, documented(broken)).has(front_matter));
    CHECK(between(documented("# no front matter\n"), documented("# none at all\n")).parts
          == Parts{body});
  }

  TEST_CASE("other files by their folder: added, removed, changed, executable") {
    Skill before = with("scripts/fill.py", "1", with("references/a.md", "1"));
    Skill after = with("scripts/fill.py", "1", with("assets/logo.png", "1"));
    after.executable = "scripts/fill.py";
    ChangedParts changed = between(before, after);
    CHECK(changed.parts == Parts{scripts, references, assets});
    CHECK(changed.files
          == std::vector<ChangedFile>{{"assets/logo.png", assets, FileChange::added},
                                      {"references/a.md", references, FileChange::removed},
                                      {"scripts/fill.py", scripts, FileChange::changed}});
    CHECK(between({}, with("README.md", "x")).parts == Parts{assets});
    CHECK(between({}, with("evals.txt", "x")).parts == Parts{assets});
    CHECK(between({}, with("evals/watch.yaml", "mode: ask")).parts == Parts{watch_file});
  }

  TEST_CASE("skill.md is the document where there is no SKILL.md, and a file beside one") {
    auto listed = [](std::string_view path, std::string_view text) {
      return std::vector<ListedFile>{{std::string(path), sha256(text), false}};
    };
    std::vector<ListedFile> small = listed("skill.md", "a");
    std::vector<ListedFile> other = listed("skill.md", "b");
    std::vector<ListedFile> large = listed("SKILL.md", "a");
    auto none = [](std::string_view) -> Result<std::optional<std::string>> { return std::nullopt; };
    auto between_lists = [&](const auto& before, const auto& after) {
      return changed_parts({.files = before, .document = k_document, .read = none},
                           {.files = after, .document = k_document, .read = none});
    };
    CHECK(between_lists(small, other).parts.empty());
    CHECK(between_lists(small, large).parts.empty());
    CHECK(between({}, with("skill.md", "a")).parts == Parts{assets});
    CHECK(between(with("skill.md", "a"), with("skill.md", "b")).parts == Parts{assets});
  }

  TEST_CASE("test cases by id, and what is another of them") {
    std::string text = R"({"cases": [
      {"id": "new", "input": "Sign it", "expected": {"contains": ["signed"]}},
      {"id": "fill", "input": "Fill it in", "expected": {"contains": ["ready"]}}
    ]})";
    ChangedParts changed =
        between(with("skill_meta.json", std::string(k_cases)), with("skill_meta.json", text));
    CHECK(changed.parts == Parts{cases});
    CHECK(changed.problems.empty());
    CHECK(changed.cases.size() == 3);
    CHECK(change_of(changed, "new") == CaseChange::added);
    CHECK(change_of(changed, "fill") == CaseChange::graded);
    CHECK(change_of(changed, "read") == CaseChange::removed);
    Skill other_input =
        with("skill_meta.json", replaced(std::string(k_cases), "Fill it in", "Fill in"));
    ChangedParts asked = between(with("skill_meta.json", std::string(k_cases)), other_input);
    CHECK(asked.cases
          == std::vector<ChangedCase>{{eval::CaseUse::answers, "fill", CaseChange::asked}});
  }

  TEST_CASE("a file that a case needs is that case's") {
    Skill before = with("skill_meta.json",
                        std::string(k_cases),
                        with("evals/files/a.txt", "1", with("evals/files/b.txt", "1")));
    Skill after = with("evals/files/a.txt", "2", with("evals/files/b.txt", "2", before));
    ChangedParts changed = between(before, after);
    CHECK(changed.parts == Parts{cases});
    CHECK(changed.files
          == std::vector<ChangedFile>{{"evals/files/a.txt", cases, FileChange::changed}});
    CHECK(changed.cases
          == std::vector<ChangedCase>{{eval::CaseUse::answers, "read", CaseChange::asked}});
  }

  TEST_CASE("a file comes and goes with the case that needs it") {
    std::string without = R"({"cases": [
      {"id": "fill", "input": "Fill it in", "expected": {"contains": ["done"]}}]})";
    Skill one = with("skill_meta.json", without);
    Skill two = with("skill_meta.json", std::string(k_cases), with("evals/files/a.txt", "1"));
    ChangedParts more = between(one, two);
    CHECK(more.files
          == std::vector<ChangedFile>{{"evals/files/a.txt", cases, FileChange::added},
                                      {"skill_meta.json", cases, FileChange::changed}});
    CHECK(more.cases
          == std::vector<ChangedCase>{{eval::CaseUse::answers, "read", CaseChange::added}});
    ChangedParts less = between(two, one);
    CHECK(less.files.size() == 2);
    CHECK(less.cases
          == std::vector<ChangedCase>{{eval::CaseUse::answers, "read", CaseChange::removed}});
  }

  TEST_CASE("what a case brings along is asked, too") {
    std::string text = R"({"cases": [{"id": "a", "input": "x", "expected": {"contains": ["y"]},
                           "context": {"files": {"in.txt": "1"}}}]})";
    ChangedParts changed = between(with("skill_meta.json", text),
                                   with("skill_meta.json", replaced(text, "\"1\"", "\"2\"")));
    CHECK(changed.cases
          == std::vector<ChangedCase>{{eval::CaseUse::answers, "a", CaseChange::asked}});
  }

  TEST_CASE("trigger queries are of their own use") {
    std::string queries = R"([{"query": "a form", "should_trigger": true, "id": "a"},
                              {"query": "a table", "should_trigger": false, "id": "b"}])";
    Skill before = with("evals/triggers.json", queries);
    Skill after = with("evals/triggers.json", replaced(queries, "false", "true"));
    CHECK(between(before, after).cases
          == std::vector<ChangedCase>{{eval::CaseUse::triggers, "b", CaseChange::graded}});
  }

  TEST_CASE("cases that moved to another file are the same cases") {
    std::string text = R"({"cases": [{"id": "a", "input": "x", "expected": {"contains": ["y"]}}]})";
    ChangedParts changed = between(with("skill_meta.json", text), with("evals/evals.json", text));
    CHECK(changed.has(cases));
    CHECK(changed.files.size() == 2);
    CHECK(changed.cases.empty());
  }

  TEST_CASE(
      "a test file that cannot be read is told, and one that could not be has asked nothing") {
    Skill good = with("skill_meta.json", std::string(k_cases));
    Skill bad = with("skill_meta.json", "{\"cases\": [");
    ChangedParts broken = between(good, bad);
    CHECK(broken.parts == Parts{cases});
    CHECK(broken.cases.empty());
    REQUIRE(broken.problems.size() == 1);
    CHECK(broken.problems[0].message.find("skill_meta.json") != std::string::npos);
    ChangedParts mended = between(bad, good);
    CHECK(mended.problems.empty());
    CHECK(change_of(mended, "fill") == CaseChange::added);
    CHECK(change_of(mended, "read") == CaseChange::added);
  }

  TEST_CASE("every part has a word") {
    CHECK(part_word(name) == "name");
    CHECK(part_word(front_matter) == "front matter");
    CHECK(part_word(watch_file) == "watch file");
  }
}

TEST_SUITE("needed_tests") {
  TEST_CASE("a name and a description are picked by, the rest is answered by") {
    for (SkillPart part : {name, description}) {
      NeededTests tests = needed_tests({.parts = {part}});
      CHECK(tests.trigger.all);
      CHECK(tests.answers.none());
    }
    for (SkillPart part : {front_matter, body, scripts, references, assets}) {
      NeededTests tests = needed_tests({.parts = {part}});
      CHECK(tests.trigger.none());
      CHECK(tests.answers.all);
    }
    CHECK(needed_tests({.parts = {watch_file}}).none());
    CHECK(needed_tests({.parts = {cases}}).none());
  }

  TEST_CASE("a case asks for itself, and says whether it was ever asked") {
    ChangedParts changed{.parts = {cases},
                         .cases = {{eval::CaseUse::answers, "new", CaseChange::added},
                                   {eval::CaseUse::answers, "other", CaseChange::asked},
                                   {eval::CaseUse::answers, "regraded", CaseChange::graded},
                                   {eval::CaseUse::answers, "gone", CaseChange::removed},
                                   {eval::CaseUse::triggers, "query", CaseChange::added}}};
    NeededTests tests = needed_tests(changed);
    CHECK(tests.answers
          == NeededCases{
              .all = false, .ids = {"new", "other", "regraded"}, .never_asked = {"new", "other"}});
    CHECK(tests.trigger == NeededCases{.all = false, .ids = {"query"}, .never_asked = {"query"}});
  }

  TEST_CASE("where all are asked, the new ones among them are still told") {
    ChangedParts changed{.parts = {body, cases},
                         .cases = {{eval::CaseUse::answers, "new", CaseChange::added}}};
    CHECK(needed_tests(changed).answers
          == NeededCases{.all = true, .ids = {}, .never_asked = {"new"}});
    CHECK(needed_tests(changed).trigger.none());
  }
}
