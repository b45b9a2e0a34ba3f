#include "skills/document/document.h"
#include "skills/document/inspect.h"
#include "skills/document/quick_validate.h"
#include "skills/document/tokens.h"
#include "skills/eval/random.h"
#include "skills/generate/draft.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::generate;

namespace {

Draft described(std::string description) {
  return {"a-skill", std::move(description), "Do it.\n", {}, {}};
}

std::string line_of(const std::string& description) {
  std::string text = write_document(described(description));
  std::size_t at = text.find("description: ");
  return text.substr(at, text.find('\n', at) - at);
}

void check_round_trip(const Draft& draft) {
  std::string text = write_document(draft);
  INFO("document: ", text);
  document::Document read = document::read_document(text);
  CHECK(read.name == draft.name);
  CHECK(read.description == draft.description);
  CHECK(read.parts.body == "\n" + draft.body);
  CHECK(read.problems.empty());
  CHECK(read.repairs.empty());
  SkillValidation validation = document::inspect(text, {draft.name});
  CHECK(validation.errors.empty());
  for (const LoaderReport& loader : validation.loaders) {
    bool angle = draft.description.find_first_of("<>") != std::string::npos;
    INFO("loader ", loader.loader, ": ", loader.reason);
    CHECK((loader.verdict == LoaderVerdict::valid || angle));
  }
}

} // namespace

TEST_SUITE("write_document") {
  TEST_CASE("plain words stay plain, all else is quoted") {
    CHECK(
        write_document(described("Parses YAML, fast. Use it (often)!"))
        == "---\nname: a-skill\ndescription: Parses YAML, fast. Use it (often)!\n---\n\nDo it.\n");
    CHECK(line_of("Use it: always") == "description: \"Use it: always\"");
    CHECK(line_of("a \"b\" \\ c") == R"(description: "a \"b\" \\ c")");
    CHECK(line_of("yes") == "description: \"yes\"");
    CHECK(line_of("Null") == "description: \"Null\"");
    CHECK(line_of("12") == "description: \"12\"");
    CHECK(line_of("# no comment") == "description: \"# no comment\"");
    CHECK(line_of("caf\xC3\xA9 au lait") == "description: \"caf\xC3\xA9 au lait\"");
    // The reference validator ends the front matter at any three hyphens.
    CHECK(line_of("a --- b") == R"(description: "a --\x2D b")");
  }

  TEST_CASE("names that YAML would take for something else are quoted") {
    for (const char* name :
         {"no", "on", "null", "true", "2024-01-01", "1e5", "0x1f", "12", "3d-printing"}) {
      Draft draft = described("Does it.");
      draft.name = name;
      CHECK(write_document(draft).starts_with("---\nname: \"" + std::string(name) + "\"\n"));
      check_round_trip(draft);
    }
  }

  TEST_CASE("any description comes back, whoever reads it") {
    const std::vector<std::string> pieces{"a",
                                          "B",
                                          "9",
                                          " ",
                                          ": ",
                                          ":",
                                          " #",
                                          "#",
                                          "'",
                                          "\"",
                                          "\\",
                                          "---",
                                          "--",
                                          "-",
                                          "\xE2\x80\x94",
                                          "\xC3\xA9",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          "&a",
                                          "*a",
                                          "!x",
                                          "|",
                                          ">",
                                          "<",
                                          "%",
                                          "@",
                                          "`",
                                          "?",
                                          "~",
                                          "null",
                                          "yes",
                                          "\xE2\x80\x8D",
                                          "\xF0\x9F\x91\xA9",
                                          "\\n",
                                          "{{",
                                          "$(x)",
                                          "=",
                                          "\xE5\xAD\x97"};
    eval::Random random(11);
    for (int round = 0; round < 3000; ++round) {
      std::string description;
      for (std::uint64_t i = 1 + random.below(12); i > 0; --i) {
        description += pieces[random.below(pieces.size())];
      }
      description.erase(0, description.find_first_not_of(' '));
      description.resize(description.find_last_not_of(' ') + 1);
      if (!description.empty()) {
        check_round_trip(described(description));
      }
    }
  }

  // No draft that was read has them; one that was made otherwise must do no harm.
  TEST_CASE("characters that YAML forbids are written so that they come back") {
    for (const char* hostile : {"a\x01z",
                                "a\tz",
                                "a\nz",
                                "a\rz",
                                "a\x7Fz",
                                "a\xC2\x85z",
                                "a\xC2\x9Fz",
                                "a\xE2\x80\xA8z",
                                "a\xE2\x80\xA9z",
                                "a\xEF\xBB\xBFz",
                                "a\xEF\xBF\xBEz"}) {
      std::string text = write_document(described(hostile));
      INFO("document: ", text);
      CHECK(document::read_document(text).description == hostile);
      CHECK(document::read_document(text).repairs.empty());
    }
    CHECK(document::read_document(write_document(described("a\xFFz"))).description
          == "a\xEF\xBF\xBDz");
  }

  TEST_CASE("what is written is read as the same draft") {
    Draft draft = described("Does it: \"all\" of it. --- Use it.");
    draft.body = "# A\n\n---\n\n- b\n\n---\nname: other\ndescription: x\n---\n";
    Result<DraftReply> again = read_draft(write_document(draft), {});
    REQUIRE(again);
    CHECK(std::get<Draft>(*again) == draft);
  }

  TEST_CASE("tokens are told for each file, the skill first") {
    Draft draft = described("Does it.");
    draft.files = {{"assets/a", {"one two three", false}}, {"scripts/b", {"", true}}};
    std::vector<FileTokens> report = token_report(draft);
    CHECK(report
          == std::vector<FileTokens>{{"SKILL.md", document::estimate_tokens(write_document(draft))},
                                     {"assets/a", 3},
                                     {"scripts/b", 0}});
  }
}
