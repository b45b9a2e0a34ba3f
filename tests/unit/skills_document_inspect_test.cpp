#include "skills/document/inspect.h"
#include "skills/document/links.h"
#include "skills/document/tokens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace upskill;
using namespace upskill::document;

namespace {

std::string skill(const std::string& more, const std::string& body = "Body\n") {
  return "---\nname: calendar\ndescription: d\n" + more + "---\n" + body;
}

std::vector<std::string> warnings_of(const std::string& bytes, SkillFolder folder = {"calendar"}) {
  return inspect(bytes, folder).warnings;
}

bool has(const std::vector<std::string>& warnings, std::string_view part) {
  return std::ranges::any_of(
      warnings, [&](const std::string& w) { return w.find(part) != std::string::npos; });
}

std::string paths_of(std::string_view body) {
  std::string paths;
  for (const FileReference& reference : find_file_references(body)) {
    paths += reference.path + (reference.certain ? " " : "? ");
  }
  return paths;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  while (times-- > 0) {
    out += text;
  }
  return out;
}

} // namespace

TEST_SUITE_BEGIN("inspect");

TEST_CASE("a good skill has nothing to mend") {
  SkillValidation validation = inspect(skill("license: MIT\n"), {"calendar"});
  CHECK(validation.skill == "calendar");
  CHECK(validation.valid);
  CHECK(validation.errors.empty());
  CHECK(validation.warnings.empty());
  CHECK(validation.loaders.size() == 7);
  CHECK(validation.tokens > 10);
}

TEST_CASE("errors are the reference's and make a skill invalid") {
  SkillValidation validation = inspect(skill("extra: 1\n"), {"other"});
  CHECK_FALSE(validation.valid);
  REQUIRE(validation.errors.size() == 2);
  CHECK(validation.errors[1] == "Directory name 'other' must match skill name 'calendar'");
}

TEST_CASE("fields outside the specification are named with who reads them") {
  auto warnings = warnings_of(skill("author: x\nhooks: y\ndisable-model-invocation: true\n"));
  CHECK(has(warnings, "the field `author` is not in the specification; `metadata` is the place"));
  CHECK(has(warnings, "the field `hooks` is not in the specification; Claude Code reads it"));
  CHECK(
      has(warnings, "`disable-model-invocation` is not in the specification; Claude Code and Pi"));
}

TEST_CASE("allowed tools with commas or as a list are pointed out") {
  CHECK(has(warnings_of(skill("allowed-tools: Read, Write\n")), "separated by commas"));
  CHECK(has(warnings_of(skill("allowed-tools:\n  - Read\n")), "is a list"));
  CHECK_FALSE(has(warnings_of(skill("allowed-tools: Bash(git add, git commit) Read\n")), "commas"));
}

TEST_CASE("the body may have 500 lines and 5000 tokens") {
  CHECK_FALSE(has(warnings_of(skill("", repeated("x\n", 500))), "lines"));
  CHECK(has(warnings_of(skill("", repeated("x\n", 501))), "the body has 501 lines"));
  CHECK_FALSE(has(warnings_of(skill("", repeated("word ", 4900))), "tokens"));
  CHECK(has(warnings_of(skill("", repeated("word ", 5100))), "tokens, more than"));
}

TEST_CASE("Claude Code's listing shows 1536 characters") {
  auto text = [](std::size_t n) {
    return skill("when_to_use: " + std::string(n - 1, 'x') + "\n"); // the description has one
  };
  CHECK_FALSE(has(warnings_of(text(1536)), "Claude Code lists"));
  CHECK(has(warnings_of(text(1537)), "have 1537 characters; Claude Code lists the first 1536"));
}

TEST_CASE("MCP hosts need support 512 files and 16 MiB") {
  CHECK(warnings_of(skill(""), {"calendar", {}, 512, 16u << 20}).empty());
  CHECK(has(warnings_of(skill(""), {"calendar", {}, 513, 0}), "513 files"));
  CHECK(has(warnings_of(skill(""), {"calendar", {}, 1, (16u << 20) + 1}), "16777217 bytes"));
}

TEST_CASE("metadata that nests is pointed out") {
  CHECK(has(warnings_of(skill("metadata:\n  a:\n    b: c\n")), "`metadata` nests"));
  CHECK(has(warnings_of(skill("metadata: x\n")), "`metadata` is not a mapping"));
}

TEST_CASE("damage comes first") {
  auto warnings = warnings_of("\xEF\xBB\xBF---\nname: calendar\ndescription: a: b\n---\n\xFF");
  REQUIRE(warnings.size() == 4);
  CHECK(warnings[0].starts_with("the front matter is not YAML: line 3"));
  CHECK(warnings[1].starts_with("quote the value of `description` (line 3)"));
  CHECK(warnings[2].find("byte order mark") != std::string::npos);
  CHECK(warnings[3] == "the file is not UTF-8 text (line 5)");
  CHECK(has(warnings_of(skill("", std::string("a\0", 2))), "NUL byte (line 5)"));
}

TEST_CASE("a file that the body names and that is not there is told with its line") {
  auto exists = [](std::string_view path) { return path == "scripts/here.py"; };
  auto warnings = warnings_of(
      skill("", "Run `scripts/here.py`.\nRead [it](references/gone.md#part) or ![](../up.png).\n"),
      {"calendar", exists});
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0] == "`references/gone.md` (line 6) does not exist in the skill");
  CHECK(warnings[1] == "`../up.png` (line 6) lies outside the skill's folder");
}

TEST_CASE("a path in back-ticks counts only where its folder exists") {
  auto exists = [](std::string_view path) { return path == "examples"; };
  auto broken = find_broken_references("See `examples/a.py` and `src/main.cpp`.\n", exists);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].path == "examples/a.py");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("find_file_references");

TEST_CASE("links and images and definitions are found") {
  CHECK(paths_of("[a](x.md) ![b](<a b.png>) [c](./d/../e.md \"title\")\n[r]: references/r.md\n")
        == "x.md a b.png e.md references/r.md ");
  CHECK(paths_of("[a](a%20b.md?x#y)") == "a b.md ");
}

TEST_CASE("words in back-ticks count when they are paths with an extension") {
  CHECK(paths_of("`python scripts/run.py --fast in.csv` and ``assets/x.png``")
        == "scripts/run.py assets/x.png ");
  CHECK(paths_of("`${CLAUDE_SKILL_DIR}/scripts/a.sh`, `docs/b.md`.") == "scripts/a.sh docs/b.md? ");
  CHECK(paths_of("`and/or` `a.b` `/etc/x.conf` `user@host:a/b.c` `scripts/*.py` `scripts/<x>.py`")
            .empty());
}

TEST_CASE("addresses and anchors and placeholders are no files") {
  CHECK(
      paths_of("[a](https://x/y.md) [b](mailto:x) [c](#top) [d](/etc/x) [e]({{x}}.md) [f](~/x.md)")
          .empty());
}

TEST_CASE("fenced code is passed over") {
  CHECK(paths_of("```sh\ncat `scripts/a.py` [x](y.md)\n```\n[z](z.md)\n") == "z.md ");
  CHECK(paths_of("~~~~\n[x](y.md)\n~~~\n[z](z.md)\n").empty());
}

TEST_CASE("each path comes once and not without end") {
  CHECK(paths_of("[a](x.md) [b](./x.md)") == "x.md ");
  std::string body;
  for (int i = 0; i < 2000; ++i) {
    body += "[a](" + std::to_string(i) + ".md)\n";
  }
  CHECK(find_file_references(body).size() == 500);
}

TEST_CASE("brackets and ticks without end cost no more than their length") {
  CHECK(find_file_references(std::string(1u << 20, '`')).empty());
  CHECK(find_file_references(repeated("](", 500'000)).size() <= 1);
  CHECK(find_file_references("](" + std::string(1u << 20, 'a')).empty());
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("estimate_tokens");

TEST_CASE("the rule is the documented one") {
  CHECK(estimate_tokens("") == 0);
  CHECK(estimate_tokens("the quick brown fox") == 4);
  CHECK(estimate_tokens("internationalization") == 4); // 8 letters and 3 times 4
  CHECK(estimate_tokens("1234567") == 3);
  CHECK(estimate_tokens("技能") == 2);
  CHECK(estimate_tokens("навык") == 3);
  CHECK(estimate_tokens("a\n    b") == 4);
}

TEST_CASE("English prose has about four bytes a token") {
  std::string text =
      "Builds and tests kernels for the library. Use when someone asks to compile, port or "
      "measure a kernel, or mentions the build file.";
  double bytes_a_token =
      static_cast<double>(text.size()) / static_cast<double>(estimate_tokens(text));
  CHECK(bytes_a_token > 3.5);
  CHECK(bytes_a_token < 6.0);
}

TEST_CASE("any bytes have an estimate") {
  CHECK(estimate_tokens("\x80\xBF\xFF\xC3") >= 0);
  CHECK(estimate_tokens(std::string(1000, '\0')) > 0);
}

TEST_SUITE_END();
