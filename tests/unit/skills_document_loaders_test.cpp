#include "skills/document/loaders.h"
#include "skills/document/quick_validate.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::document;

namespace {

std::string with_front_matter(const std::string& yaml) {
  return "---\n" + yaml + "---\n# Body\n";
}

// The verdicts in the order skills-ref, quick_validate, vercel skills, Codex, Claude Code, Gemini
// CLI, Pi, as one letter each: v(alid), r(epaired), s(kipped).
std::string verdicts(const std::string& bytes, const std::string& folder = "calendar") {
  std::string letters;
  for (const LoaderReport& report : report_loaders(bytes, folder)) {
    letters += enum_name(report.verdict)[0];
    bool explained = report.verdict == LoaderVerdict::valid || !report.reason.empty();
    CHECK_MESSAGE(explained, report.loader);
  }
  return letters;
}

LoaderReport report_of(const std::string& loader, const std::string& bytes) {
  for (LoaderReport& report : report_loaders(bytes, "calendar")) {
    if (report.loader == loader) {
      return report;
    }
  }
  return {};
}

// The name under which a loader shows a skill in the folder `calendar`.
std::string name_in(const std::string& loader, const std::string& bytes) {
  for (const LoaderReading& reading : read_as_loaders(bytes, "calendar")) {
    if (reading.loader == loader) {
      return reading.name;
    }
  }
  return "no such loader";
}

} // namespace

TEST_SUITE_BEGIN("Loaders");

TEST_CASE("a skill goes by the name it says, and by its folder's only without") {
  for (const char* loader : {"Codex", "Claude Code", "Gemini CLI", "Pi"}) {
    CAPTURE(loader);
    CHECK(name_in(loader, with_front_matter("name: ' other '\ndescription: d\n")) == "other");
    CHECK(name_in(loader, with_front_matter("description: d\n")) == "");
  }
  CHECK(name_in("Codex", with_front_matter("name: 12\ndescription: d\n")) == "12");
  const std::string colon = with_front_matter("name: other\ndescription: a: b\n");
  CHECK(name_in("Codex", colon) == "other");
  CHECK(name_in("Gemini CLI", colon) == "other"); // line by line
  const std::string broken = with_front_matter("name: other\ndescription: d\n\tx: [\n");
  CHECK(name_in("Claude Code", broken) == ""); // the body alone is loaded
  CHECK(usual_name(broken) == "other");
  CHECK(usual_name(with_front_matter("description: d\n")) == "");
}

TEST_CASE("each loader of the table reports once and in order") {
  auto reports = report_loaders(with_front_matter("name: calendar\ndescription: d\n"), "calendar");
  std::string names;
  for (const LoaderReport& report : reports) {
    names += report.loader + ",";
  }
  CHECK(names == "skills-ref,quick_validate,vercel skills,Codex,Claude Code,Gemini CLI,Pi,");
}

TEST_CASE("valid-skill: everybody loads it") {
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: d\n")) == "vvvvvvv");
  CHECK(verdicts("---\r\nname: calendar\r\ndescription: d\r\n---\r\nBody\r\n") == "vvvvvvv");
}

TEST_CASE("an unquoted colon is an error or repaired or rescued") {
  std::string text = with_front_matter("name: calendar\ndescription: Dates: use when asked\n");
  CHECK(verdicts(text) == "sssrrrs");
  CHECK(report_of("Codex", text).reason == "reads `description` (line 3) as if quoted");
  CHECK(report_of("Gemini CLI", text).reason.find("line by line") != std::string::npos);
}

TEST_CASE("the three repairs of Codex are reported as such") {
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: a: b\n"))[3] == 'r');
  CHECK(verdicts(with_front_matter(
            "name: calendar\ndescription: d\nargument-hint: <duration: e.g. 7d>\n"))[3]
        == 'r');
  CHECK(verdicts(
            with_front_matter("name: calendar\ndescription: d\ntags: [next, @supabase/ssr]\n"))[3]
        == 'r');
}

TEST_CASE("invalid-yaml: only Claude Code loads the body and Gemini needs both lines") {
  CHECK(verdicts(with_front_matter("name: \"calendar\ndescription: d\n")) == "ssssrrs");
  CHECK(verdicts(with_front_matter("name: \"calendar\n")) == "ssssrss");
}

TEST_CASE("no-frontmatter: only Claude Code loads it") {
  CHECK(verdicts("# Calendar\n") == "ssssrss");
  CHECK(verdicts("---\nname: calendar\ndescr") == "ssssrss");
}

TEST_CASE("a missing name is filled in by Codex and Claude Code and Pi") {
  CHECK(verdicts(with_front_matter("description: d\n")) == "sssvvsv");
}

TEST_CASE("missing-description: only Claude Code loads it") {
  CHECK(verdicts(with_front_matter("name: calendar\n")) == "ssssvss");
  // quick_validate wants the key only; Gemini's second reading takes an empty text for one.
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: ''\n")) == "svssvrs");
}

TEST_CASE("name-mismatch: only the reference minds") {
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: d\n"), "other") == "svvvvvv");
}

TEST_CASE("consecutive-hyphens and invalid-name-chars and long-name: the validators mind") {
  CHECK(verdicts(with_front_matter("name: a--b\ndescription: d\n"), "a--b") == "ssvvvvv");
  CHECK(verdicts(with_front_matter("name: a_b\ndescription: d\n"), "a_b") == "ssvvvvv");
  std::string name(65, 'a');
  CHECK(verdicts(with_front_matter("name: " + name + "\ndescription: d\n"), name) == "ssvvvvv");
}

TEST_CASE("unknown-field and disable-model-invocation: the validators mind") {
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: d\nunknown: x\n")) == "ssvvvvv");
  CHECK(verdicts(
            with_front_matter("name: calendar\ndescription: d\ndisable-model-invocation: true\n"))
        == "ssvvvvv");
}

TEST_CASE("multiline-description: everybody loads it") {
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: |\n  one\n  two\n")) == "vvvvvvv");
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: one\n  two\n")) == "vvvvvvv");
}

TEST_CASE("a value that is not text is skipped or coerced or rescued") {
  CHECK(verdicts(with_front_matter("name: 2048\ndescription: d\n"), "2048") == "vssvvrs");
  CHECK(verdicts(with_front_matter("name: calendar\ndescription:\n  - a\n")) == "ssssvrs");
}

TEST_CASE("a byte order mark is refused by the reference and Codex and Gemini") {
  CHECK(verdicts("\xEF\xBB\xBF---\nname: calendar\ndescription: d\n---\n") == "ssvsvsv");
}

TEST_CASE("spaces after the opening fence are taken by few") {
  CHECK(verdicts("--- \nname: calendar\ndescription: d\n---\n") == "vssvvss");
}

TEST_CASE("a repeated key is refused by JavaScript's parsers") {
  CHECK(verdicts(with_front_matter("name: calendar\nname: calendar\ndescription: d\n"))
        == "svssvrs");
  CHECK(verdicts(with_front_matter("name: calendar\ndescription: d\nlicense: a\nlicense: b\n"))
        == "svsvvrs");
}

TEST_CASE("a line that begins with three hyphens closes for most") {
  std::string text = "---\nname: calendar\n---- x ----\ndescription: d\n---\n";
  CHECK(report_of("vercel skills", text).reason == "no `description`");
  CHECK(report_of("Claude Code", text).verdict == LoaderVerdict::repaired);
}

TEST_CASE("quick_validate stops at the first thing it minds") {
  auto check = [](const std::string& yaml) { return quick_validate(with_front_matter(yaml)); };
  CHECK(check("name: a\ndescription: d\n").empty());
  CHECK(check("name: ''\ndescription: ''\n").empty());
  CHECK(check("name: a\ndescription: d\ncompatibility:\n").empty());
  CHECK(check("name: a\ndescription: use <x>\n") == "`description` has `<` or `>`");
  CHECK(check("name: навык\ndescription: d\n").find("other characters") != std::string::npos);
  CHECK(check("name: yes\ndescription: d\n") == "`name` is not text");
  CHECK(check("name: a\ndescription: 2025-01-31\n") == "`description` is not text");
  CHECK(check("name: A\n") == "no `description`");
  CHECK(check("x: 1\n") == "it has the field `x`, which is not in the specification");
}

TEST_SUITE_END();
