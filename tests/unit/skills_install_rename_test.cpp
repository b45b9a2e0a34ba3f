#include "skills/document/document.h"
#include "skills/install/rename.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::install;

namespace {

// The SKILL.md of a skill that gets another name.
Result<std::string> with_name(const std::string& text, std::string_view name = "new-name") {
  sync::NewFiles files;
  files["SKILL.md"] = {.bytes = text};
  files["scripts/run"] = {.bytes = "name: x\n", .is_program = true};
  sync::NewFiles before = files;
  Result<sync::NewFiles> after = renamed(std::move(files), name);
  if (!after) {
    return tl::make_unexpected(after.error());
  }
  CHECK(after->size() == 2);
  CHECK(after->at("scripts/run") == before.at("scripts/run"));
  return after->at("SKILL.md").bytes;
}

} // namespace

TEST_SUITE("renamed") {
  TEST_CASE("nothing but the name is another") {
    struct Row {
      std::string before;
      std::string after;
    };

    for (const Row& row : std::vector<Row>{
             {"---\nname: pdf\ndescription: x\n---\nname: pdf\n",
              "---\nname: new-name\ndescription: x\n---\nname: pdf\n"},
             {"\xEF\xBB\xBF---\r\ndescription: 'x: y'\r\nname:   pdf  # why\r\n---\r\nbody",
              "\xEF\xBB\xBF---\r\ndescription: 'x: y'\r\nname:   new-name  # why\r\n---\r\nbody"},
             {"---\nname: \"p\\\"df\" # c\nmetadata:\n  name: pdf\ndescription: |\n  name: "
              "pdf\n---\n",
              "---\nname: \"new-name\" # c\nmetadata:\n  name: pdf\ndescription: |\n  name: "
              "pdf\n---\n"},
             {"---\nname: 'it''s'\t\nx-name: pdf\nnames: [pdf]\n---\n",
              "---\nname: 'new-name'\t\nx-name: pdf\nnames: [pdf]\n---\n"},
             {"---  \nname : PDF Tools\n---\n", "---  \nname : new-name\n---\n"},
             {"---\nname:\tpdf#1\n---\n", "---\nname:\tnew-name\n---\n"},
             {"---\nname: new-name\n---\n", "---\nname: new-name\n---\n"},
             // not YAML, and read all the same
             {"---\nname: pdf\ndescription: a: b\n---\n",
              "---\nname: new-name\ndescription: a: b\n---\n"}}) {
      CAPTURE(row.before);
      Result<std::string> after = with_name(row.before);
      REQUIRE_MESSAGE(after.has_value(), (after ? "" : after.error().message));
      CHECK(*after == row.after);
      CHECK(document::read_document(*after).name == "new-name");
    }
  }

  TEST_CASE("a name that YAML takes for something else is quoted") {
    for (std::string_view name : {"1e5", "2026-01-01", "123", "true", "no", "null", "0x1f"}) {
      CAPTURE(name);
      Result<std::string> after = with_name("---\nname: pdf\ndescription: x\n---\n", name);
      REQUIRE(after);
      CHECK(*after == "---\nname: \"" + std::string(name) + "\"\ndescription: x\n---\n");
      CHECK(document::read_document(*after).name == name);
    }
    CHECK(with_name("---\nname: 'pdf'\n---\n", "true").value() == "---\nname: 'true'\n---\n");
    CHECK(with_name("---\nname: pdf\n---\n", "\xE6\x8A\x80\xE8\x83\xBD").value()
          == "---\nname: \xE6\x8A\x80\xE8\x83\xBD\n---\n");
  }

  TEST_CASE("where no plain name stands, nothing is changed") {
    for (const char* text : {"",
                             "no front matter\nname: pdf\n",
                             "---\ndescription: x\n---\nname: pdf\n",
                             "---\nname: pdf\n", // not closed
                             "---\nname:\n---\n",
                             "---\nname:pdf\n---\n",
                             "---\nname:\n  pdf\n---\n",
                             "---\nname: pdf\n  tools\n---\n",
                             "---\nname: >\n  pdf\n---\n",
                             "---\nname: &a pdf\nother: *a\n---\n",
                             "---\nname: !!str pdf\n---\n",
                             "---\nname: \"pdf\n  tools\"\n---\n",
                             "---\nname: [pdf]\n---\n",
                             "---\n\"name\": pdf\n---\n",
                             "---\n{name: pdf}\n---\n",
                             "---\n  name: pdf\n---\n",
                             "---\nname: a\nname: b\n---\n"}) {
      CAPTURE(text);
      Result<std::string> after = with_name(text);
      REQUIRE_FALSE(after);
      CHECK(after.error().code == ErrorCode::invalid_argument);
    }
    sync::NewFiles none;
    CHECK_FALSE(renamed(none, "new-name"));
    none["SKILL.md"] = {.bytes = "", .target = "other.md"};
    CHECK_FALSE(renamed(none, "new-name"));
  }

  TEST_CASE("a name must be one of a skill") {
    for (const std::string& name : std::vector<std::string>{"",
                                                            "PDF",
                                                            "a b",
                                                            "a_b",
                                                            "a.b",
                                                            "-a",
                                                            "a-",
                                                            "a--b",
                                                            "../x",
                                                            "a/b",
                                                            "a\nb",
                                                            "con",
                                                            "lpt1",
                                                            "synced",
                                                            "4913",
                                                            std::string(65, 'a'),
                                                            "e\xCC\x81",
                                                            "\xEF\xAC\x81", // a ligature
                                                            "a\xff"}) {
      CAPTURE(name);
      Result<std::string> after = with_name("---\nname: pdf\n---\n", name);
      REQUIRE_FALSE(after);
      CHECK(after.error().code == ErrorCode::invalid_argument);
    }
    CHECK(with_name("---\nname: pdf\n---\n", std::string(64, 'a')).has_value());
  }

  TEST_CASE("skill.md is changed where there is no SKILL.md") {
    sync::NewFiles files;
    files["skill.md"] = {.bytes = "---\nname: pdf\n---\n"};
    CHECK(renamed(files, "b").value().at("skill.md").bytes == "---\nname: b\n---\n");
    files["SKILL.md"] = {.bytes = "---\nname: other\n---\n"};
    Result<sync::NewFiles> both = renamed(files, "b");
    REQUIRE(both);
    CHECK(both->at("SKILL.md").bytes == "---\nname: b\n---\n");
    CHECK(both->at("skill.md").bytes == "---\nname: pdf\n---\n");
  }
}
