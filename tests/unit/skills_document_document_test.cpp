#include "skills/document/document.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill::document;

namespace {

bool mentions(const Document& document, std::string_view part) {
  for (const std::string& problem : document.problems) {
    if (problem.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

} // namespace

TEST_SUITE_BEGIN("Document");

TEST_CASE("a good file is read without a word") {
  std::string bytes =
      "---\nname: a\ndescription: >\n  Does\n  things.\nversion: 1.0\n---\n# Body\n";
  Document document = read_document(bytes);
  CHECK(document.name == "a");
  CHECK(document.description == "Does things.");
  CHECK(document.parts.body == "# Body\n");
  CHECK(document.parts.yaml.data() == bytes.data() + 4); // raw bytes, not a copy
  CHECK(document.front_matter_json()
        == R"({"name":"a","description":"Does things.\n","version":1.0})");
  CHECK(document.problems.empty());
  CHECK_FALSE(document.repaired());
}

TEST_CASE("a name that YAML takes for a number is still a name") {
  CHECK(read_document("---\nname: 2048\ndescription: yes\n---\n").name == "2048");
}

TEST_CASE("a colon is repaired and told") {
  Document document = read_document("---\nname: a\ndescription: Use when: asked\n---\n");
  CHECK(document.repaired());
  CHECK(document.description == "Use when: asked");
  CHECK(document.front_matter_json() == R"({"name":"a","description":"Use when: asked"})");
  CHECK(mentions(document, "line 3"));
}

TEST_CASE("of a front matter that is no YAML the lines are read") {
  Document document = read_document("---\nname: a\ndescription: b\ntags: \"open\n---\nBody\n");
  CHECK(document.name == "a");
  CHECK(document.description == "b");
  CHECK(document.front_matter_json() == "{}");
  CHECK_FALSE(document.repaired());
  CHECK(mentions(document, "not YAML"));
}

TEST_CASE("a half-written file gives what is there") {
  Document document = read_document("---\nname: a\ndescription: Builds th");
  CHECK(document.name == "a");
  CHECK(document.description == "Builds th");
  CHECK(mentions(document, "not closed"));
  Document with_body = read_document("---\nname: a\ndescription: b\n\n# Title: x\n\n- y: z\n");
  CHECK(with_body.name == "a");
  CHECK(with_body.description == "b");
}

TEST_CASE("a file without front matter is all body") {
  Document document = read_document("# Title\n");
  CHECK(document.name.empty());
  CHECK(document.parts.body == "# Title\n");
  CHECK(mentions(document, "no front matter"));
  CHECK(mentions(read_document("---\n---\n"), "empty"));
  CHECK(mentions(read_document("---\n- a\n---\n"), "not a mapping"));
  CHECK(mentions(read_document("---\nname: a\nname: b\n---\n"), "twice"));
}

TEST_CASE("hostile bytes are answered and not obeyed") {
  std::string nul("---\nname: a\0b\ndescription: c\n---\n", 34);
  CHECK(mentions(read_document(nul), "control character"));
  CHECK(read_document(nul).description == "c");
  CHECK(mentions(read_document("---\nname: \xFF\n---\n"), "not UTF-8"));
  std::string deep = "---\nname: a\nx: " + std::string(50'000, '[') + "\n---\n";
  CHECK(mentions(read_document(deep), "nested deeper"));
  CHECK(read_document(deep).name == "a");
  std::string huge = "---\nname: a\ndescription: " + std::string(20u << 20, 'x') + "\n---\nBody\n";
  Document document = read_document(huge);
  CHECK(document.name == "a");
  CHECK(document.description.size() <= k_max_front_matter);
  CHECK(document.parts.body == "Body\n");
}

TEST_SUITE_END();
