#include "skills/document/document.h"
#include "skills/generate/draft.h"
#include "skills/generate/kept_fields.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::generate;

TEST_SUITE("kept fields") {
  TEST_CASE("all but name and description stay as they are written") {
    CHECK(
        kept_fields("name: x\ndescription: >\n  two\n  lines\nlicense: MIT\nmetadata:\n  a: '1'\n")
        == "license: MIT\nmetadata:\n  a: '1'\n");
    CHECK(kept_fields("allowed-tools:\n- Read\n- Bash\nname: x\ndescription: d\n")
          == "allowed-tools:\n- Read\n- Bash\n");
    CHECK(kept_fields("name: x\ndescription: d\n").empty());
    CHECK(kept_fields("").empty());
  }

  TEST_CASE("what would change the document is left out as a whole") {
    CHECK(kept_fields("license: \"open\nname: x\n").empty());
    CHECK(kept_fields("license: MIT\nname: x\nother: [1, 2\n").empty());
    CHECK(kept_fields("a: 1\n---\nb: 2\n").empty());
  }

  TEST_CASE("an improved skill has them again") {
    Draft draft{"x", "d", "Body.\n"};
    draft.front_matter = kept_fields("name: y\nlicense: MIT\ndescription: e\n");
    std::string text = write_document(draft);
    document::Document read = document::read_document(text);
    CHECK(read.name == "x");
    CHECK(read.description == "d");
    CHECK(read.front_matter_json().find("\"license\":\"MIT\"") != std::string::npos);
    CHECK(read.parts.body == "\nBody.\n");
  }
}
