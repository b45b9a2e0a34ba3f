#include "skills/generate/draft.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::generate;

namespace {

const std::string k_mark = "0123456789abcdef";
const std::string k_skill = "---\nname: a\ndescription: Does it.\n---\n\nDo it.\n";

std::string file(const std::string& path, const std::string& text) {
  return "\nFILE " + k_mark + " " + path + "\n````\n" + text + "````\n";
}

DraftWanted wanted() {
  DraftWanted wanted;
  wanted.mark = k_mark;
  return wanted;
}

Result<DraftReply> read(const std::string& files, const DraftWanted& asked = wanted()) {
  return read_draft(k_skill + files, asked);
}

Draft draft_of(const std::string& files, const DraftWanted& asked = wanted()) {
  Result<DraftReply> reply = read(files, asked);
  INFO("error: ", reply ? "" : reply.error().message);
  REQUIRE(reply);
  return std::get<Draft>(*reply);
}

std::string problem(const std::string& files) {
  Result<DraftReply> reply = read(files);
  return reply ? "none" : reply.error().message;
}

// What became of a file that was left out.
std::string warning(const std::string& path, const std::string& text = "x\n") {
  Draft draft = draft_of(file(path, text));
  CHECK(draft.files.empty());
  REQUIRE(draft.warnings.size() >= 1);
  return draft.warnings.back();
}

} // namespace

TEST_SUITE("draft_files") {
  TEST_CASE("files follow the skill, each with its path") {
    Draft draft =
        draft_of(file("references/limits.md", "# Limits\n\n```bash\nulimit -a\n```\n")
                 + "\nAnd a program:\n" + file("scripts/check.sh", "#!/bin/sh\necho usage\n"));
    CHECK(draft.body == "Do it.\n");
    REQUIRE(draft.files.size() == 2);
    CHECK(draft.files["references/limits.md"]
          == DraftFile{"# Limits\n\n```bash\nulimit -a\n```\n", false});
    CHECK(draft.files["scripts/check.sh"] == DraftFile{"#!/bin/sh\necho usage\n", true});
    CHECK(draft.warnings.empty());
  }

  TEST_CASE("they may be in the fence of the skill, or behind it") {
    std::string one = file("assets/a.txt", "x\n");
    for (const std::string& text :
         {"```markdown\n" + k_skill + one + "```\n",
          "```markdown\n" + k_skill + "```\n" + one,
          "````markdown\n" + k_skill + "````\n" + one + "\nThat is all.\n"}) {
      Result<DraftReply> reply = read_draft(text, wanted());
      REQUIRE(reply);
      const Draft& draft = std::get<Draft>(*reply);
      INFO("reply: ", text);
      CHECK(draft.body == "Do it.\n");
      CHECK(draft.files == std::map<std::string, DraftFile>{{"assets/a.txt", {"x\n", false}}});
    }
  }

  TEST_CASE("a shorter fence will do, blocks in it included") {
    Draft draft = draft_of("FILE " + k_mark
                           + " references/a.md\n\n```markdown\nType:\n```\nmake\n```\n```\n");
    CHECK(draft.files["references/a.md"].text == "Type:\n```\nmake\n```\n");
  }

  TEST_CASE("only the mark of the prompt begins a file") {
    std::string other = "FILE fedcba9876543210 references/a.md\n````\nx\n````\n";
    Draft draft = draft_of(other);
    CHECK(draft.files.empty());
    CHECK(draft.body == "Do it.\n" + other);
    CHECK(draft_of("FILE references/a.md\n````\nx\n````\n").files.empty());
    // Nobody told us the mark.
    CHECK(draft_of(other, {}).files.size() == 1);
    CHECK(draft_of("FILE fedcba9876543210 references/a.md\nis a line.\n", {}).files.empty());
  }

  TEST_CASE("a path that leads out is refused") {
    for (const char* path : {"../a",
                             "references/../../a",
                             "/etc/passwd",
                             "~/a",
                             "references/../a",
                             "..\\a",
                             "C:/a",
                             "references\\a"}) {
      CAPTURE(path);
      CHECK(problem(file(path, "x\n")).find("lies outside the skill's folder")
            != std::string::npos);
    }
  }

  TEST_CASE("a file that has no place in a skill is left out") {
    CHECK(warning("SKILL.md").find("lies outside `references/`") != std::string::npos);
    CHECK(warning("skill_meta.json").find("lies outside `references/`") != std::string::npos);
    CHECK(warning("evals/evals.json").find("lies outside `references/`") != std::string::npos);
    CHECK(warning(".git/config").find("lies outside `references/`") != std::string::npos);
    CHECK(warning("references/Skill.md").find("one of ours") != std::string::npos);
    CHECK(warning("assets/skill_meta.json").find("one of ours") != std::string::npos);
    for (const char* path : {"references/.hidden",
                             "references//a",
                             "references/",
                             "references/a/",
                             "references/./a",
                             "scripts/a."}) {
      CAPTURE(path);
      CHECK(warning(path).find("is empty, or begins or ends with a dot") != std::string::npos);
    }
    for (const std::string& path : {std::string("references/a b.md"),
                                    std::string("references/a\0.md", 16),
                                    std::string("references/\xE2\x80\xAE"
                                                "dm.a"),
                                    std::string("references/\xC3\xA9.md"),
                                    std::string("references/$(id).md")}) {
      CAPTURE(path);
      CHECK(warning(path).find("other characters") != std::string::npos);
      CHECK(warning(path).find('\0') == std::string::npos);
      CHECK(warning(path).find("\xE2\x80\xAE") == std::string::npos);
    }
    CHECK(warning("references/" + std::string(300, 'a')).find("too long") != std::string::npos);
    CHECK(warning("references/a/b/c/d").find("too deep") != std::string::npos);
    CHECK(warning("references/a.md", "").find("it is empty") != std::string::npos);
  }

  TEST_CASE("two files cannot have one place") {
    for (const char* second : {"references/a.md", "references/A.md", "references/a.md/b"}) {
      CAPTURE(second);
      Draft draft = draft_of(file("references/a.md", "1\n") + file(second, "2\n"));
      CHECK(draft.files == std::map<std::string, DraftFile>{{"references/a.md", {"1\n", false}}});
      CHECK(draft.warnings.size() == 1);
    }
    CHECK(draft_of(file("references/a/b", "1\n") + file("references/a", "2\n")).files.size() == 1);
  }

  TEST_CASE("what a teacher can mend is told") {
    std::string line = "FILE " + k_mark + " references/a.md\n";
    CHECK(problem(line)
          == "no text in a code block follows the line of the file `references/a.md`");
    CHECK(problem(line + "text\n````\nx\n````\n")
          == "no text in a code block follows the line of the file `references/a.md`");
    CHECK(problem(line + "````\nx\n") == "the text of the file `references/a.md` has no end");
    CHECK(problem(file("references/a.md", std::string(k_max_draft_file, 'x') + "\n"))
              .find("65537 bytes, 65536 are allowed")
          != std::string::npos);
    std::string files;
    for (std::size_t i = 0; i < k_most_draft_files; ++i) {
      files += file("references/" + std::to_string(i) + ".md", "x\n");
    }
    CHECK(draft_of(files).files.size() == k_most_draft_files);
    CHECK(problem(files + file("references/more.md", "x\n"))
          == "the skill has more than 20 further files");
  }

  TEST_CASE("a program without a first line of its own is warned of") {
    CHECK(draft_of(file("scripts/a.py", "print()\n")).warnings
          == std::vector<std::string>{"the program `scripts/a.py` has no `#!` line"});
  }

  TEST_CASE("hidden characters do not get into files") {
    CHECK(draft_of(file("references/a.md", "a\x1B[2J\xE2\x80\xAE\n")).files["references/a.md"].text
          == "a[2J\n");
  }

  TEST_CASE("files of a skill that is improved stay, unless they change") {
    DraftWanted improved = wanted();
    improved.files = {{"references/a.md", {"a\n", false}},
                      {"references/b.md", {"b\n", false}},
                      {"scripts/c", {"#!/bin/sh\n", true}}};
    Draft draft = draft_of(file("references/b.md", "new\n") + file("scripts/c", "")
                               + file("references/d.md", "d\n"),
                           improved);
    CHECK(draft.files
          == std::map<std::string, DraftFile>{{"references/a.md", {"a\n", false}},
                                              {"references/b.md", {"new\n", false}},
                                              {"references/d.md", {"d\n", false}}});
    CHECK(draft.warnings.empty());
  }
}
