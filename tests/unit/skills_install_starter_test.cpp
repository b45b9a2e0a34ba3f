#include "skills/document/quick_validate.h"
#include "skills/document/reference.h"
#include "skills/eval/cases.h"
#include "skills/install/starter.h"
#include "skills/sync/new_version.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::install;

TEST_SUITE("starter") {
  TEST_CASE("it is a skill, and has a test case") {
    for (std::string_view name : {"pdf",
                                  "pdf-tools",
                                  "a1-b2",
                                  "gr\xC3\xBC\xC3\x9F"
                                  "e"}) {
      CAPTURE(name);
      for (std::string_view description : {"", "Reads PDF files.", "a: b # c --- \"d\" \\ {e}"}) {
        Result<sync::NewFiles> files = starter(name, description);
        REQUIRE(files);
        CHECK(sync::tree_of(*files));
        const std::string& document = files->at("SKILL.md").bytes;
        CHECK(document::validate_as_reference(document, name).empty());
        Result<document::SkillProperties> properties = document::read_properties(document);
        REQUIRE(properties);
        CHECK(properties->name == name);
        CHECK((description.empty() ? !properties->description.empty()
                                   : properties->description == description));
        Result<eval::CaseSuite> suite = eval::read_cases(files->at("evals/evals.json").bytes);
        REQUIRE_MESSAGE(suite.has_value(), (suite ? "" : suite.error().message));
        CHECK(suite->cases.size() == 1);
        CHECK(suite->warnings.empty());
      }
    }
  }

  TEST_CASE("names and descriptions that no skill has") {
    for (std::string_view name :
         {"", "PDF", "a b", "-a", "a-", "a--b", "../a", "a/b", ".a", "con", "a\"b", "a\xff"}) {
      CAPTURE(name);
      Result<sync::NewFiles> files = starter(name, "Reads.");
      REQUIRE_FALSE(files);
      CHECK(files.error().code == ErrorCode::invalid_argument);
    }
    CHECK(starter(std::string(64, 'a'), "Reads."));
    CHECK_FALSE(starter(std::string(65, 'a'), "Reads."));
    CHECK(starter("a", std::string(1024, 'a')));
    CHECK_FALSE(starter("a", std::string(1025, 'a')));
  }
}
