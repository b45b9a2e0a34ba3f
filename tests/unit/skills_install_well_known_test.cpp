#include "skills/install/well_known.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::install;

namespace {

const std::string k_from = "https://example.org/.well-known/agent-skills/index.json";
const std::string k_digest = "sha256:" + std::string(64, 'a');

std::string index_of(const std::string& entries) {
  return R"({"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[)"
         + entries + "]}";
}

SkillIndex read(const std::string& entries, const std::string& from = k_from) {
  Result<SkillIndex> index = read_index(index_of(entries), from);
  REQUIRE_MESSAGE(index.has_value(), (index ? "" : index.error().message));
  return *index;
}

// An entry that is right but for what is given.
std::string entry(const std::string& name,
                  const std::string& url = "pdf.zip",
                  const std::string& more = {},
                  const std::string& type = "archive") {
  return R"({"name":")" + name + R"(","type":")" + type + R"(","description":"d","url":")" + url
         + "\"" + more + "}";
}

} // namespace

TEST_SUITE("read_index") {
  TEST_CASE("0.2, with addresses of every kind") {
    SkillIndex index = read(entry("a", "a.zip", ",\"digest\":\"" + k_digest + "\"") + ","
                            + entry("b", "/b/SKILL.md", "", "skill-md") + ","
                            + entry("c", "https://cdn.example.com/c.tar.gz?v=1#x") + ","
                            + entry("d", "//cdn.example.com/d.zip") + "," + entry("e", "../e.zip"));
    CHECK(index.warnings.empty());
    REQUIRE(index.skills.size() == 5);
    IndexedSkill first{.name = "a",
                       .description = "d",
                       .form = IndexedSkill::Form::archive,
                       .url = "https://example.org/.well-known/agent-skills/a.zip",
                       .digest = k_digest};
    CHECK(index.skills[0] == first);
    CHECK(index.skills[1].form == IndexedSkill::Form::document);
    CHECK(index.skills[1].url == "https://example.org/b/SKILL.md");
    CHECK(index.skills[2].url == "https://cdn.example.com/c.tar.gz?v=1");
    CHECK(index.skills[3].url == "https://cdn.example.com/d.zip");
    CHECK(index.skills[4].url == "https://example.org/.well-known/e.zip");
  }

  TEST_CASE("0.1, whose files lie beside the index") {
    SkillIndex index =
        read(R"({"name":"pdf","description":"d","files":["SKILL.md","scripts/a b.py"]})",
             "https://example.org/.well-known/skills/index.json");
    REQUIRE(index.skills.size() == 1);
    const IndexedSkill& skill = index.skills[0];
    CHECK(skill.form == IndexedSkill::Form::files);
    CHECK(skill.files == std::vector<std::string>{"SKILL.md", "scripts/a b.py"});
    CHECK(
        skill.urls
        == std::vector<std::string>{"https://example.org/.well-known/skills/pdf/SKILL.md",
                                    "https://example.org/.well-known/skills/pdf/scripts/a%20b.py"});
    CHECK(skill.digest.empty());
  }

  TEST_CASE("digests are lower case, and none is no error") {
    CHECK(read(entry("a", "a", ",\"digest\":\"sha256:" + std::string(64, 'A') + "\""))
              .skills[0]
              .digest
          == k_digest);
    CHECK(read(entry("a")).skills[0].digest.empty());
  }

  TEST_CASE("entries that are not understood are left out, one by one") {
    for (const std::string& bad :
         {entry("../a"),
          entry("a/b"),
          entry(""),
          entry(".a"),
          entry("con"),
          entry("a b"),
          entry(std::string(65, 'a')),
          entry("a\\u202e"),
          entry("a", "ftp://x/y"),
          entry("a", "https://u:p@x/y"),
          entry("a", "https://"),
          entry("a", "x y"),
          entry("a", "x", "", "tarball"),
          entry("a", "x", ",\"digest\":\"md5:abc\""),
          entry("a", "x", ",\"digest\":7"),
          entry("a", "x", ",\"digest\":\"sha256:" + std::string(63, 'a') + "\""),
          std::string("7"),
          std::string("null"),
          std::string(R"({"name":7})"),
          std::string(R"({"name":"a","type":"archive"})"),
          std::string(R"({"name":"a","files":"SKILL.md"})"),
          std::string(R"({"name":"a","files":["README.md"]})"),
          std::string(R"({"name":"a","files":["SKILL.md","../x"]})"),
          std::string(R"({"name":"a","files":["SKILL.md","/x"]})"),
          std::string(R"({"name":"a","files":["SKILL.md","x","X"]})"),
          std::string(R"({"name":"a","files":["SKILL.md",1]})")}) {
      CAPTURE(bad);
      SkillIndex index = read(bad + "," + entry("good"));
      REQUIRE(index.skills.size() == 1);
      CHECK(index.skills[0].name == "good");
      CHECK(index.warnings.size() == 1);
    }
    SkillIndex twice = read(entry("a", "1.zip") + "," + entry("A", "2.zip"));
    REQUIRE(twice.skills.size() == 1);
    CHECK(twice.skills[0].url.ends_with("/1.zip"));
  }

  TEST_CASE("descriptions are one line, and bounded") {
    SkillIndex index =
        read(R"({"name":"a","type":"archive","url":"x","description":"b\n\u001b[31mc"})");
    CHECK(index.skills[0].description == "b [31mc");
    SkillIndex odd =
        read(R"({"name":"a","type":"archive","url":"x","description":"b\u009b31m\u202ec\u200bd"})");
    CHECK(odd.skills[0].description == "b 31m c d");
    std::string long_text(100'000, 'x');
    SkillIndex cut =
        read(R"({"name":"a","type":"archive","url":"x","description":")" + long_text + "\"}");
    CHECK(cut.skills[0].description.size() == 4096);
  }

  TEST_CASE("bounds of skills, files and warnings") {
    std::string many;
    std::string bad;
    for (std::size_t i = 0; i <= k_most_indexed; ++i) {
      many += (i == 0 ? "" : ",") + entry("a" + std::to_string(i));
      bad += i == 0 ? "7" : ",7";
    }
    SkillIndex index = read(many);
    CHECK(index.skills.size() == k_most_indexed);
    CHECK(index.warnings.size() == 1);
    CHECK(read(bad).warnings.size() == 101);
    std::string files = R"("SKILL.md")";
    for (int i = 0; i < 1000; ++i) {
      files += ",\"" + std::to_string(i) + "\"";
    }
    CHECK(read(R"({"name":"a","files":[)" + files + "]}").skills.empty());
  }

  TEST_CASE("what is no index") {
    for (const char* text : {"",
                             "<!doctype html>",
                             "[]",
                             "{}",
                             R"({"skills":{}})",
                             "{\"skills\":[",
                             "{\"skills\":\"\xff\"}"}) {
      CAPTURE(text);
      Result<SkillIndex> index = read_index(text, k_from);
      REQUIRE_FALSE(index);
      CHECK(index.error().code == ErrorCode::corrupt);
    }
    CHECK(read_index(R"({"skills":[]})", k_from)->skills.empty());
    CHECK_FALSE(read_index(std::string(1'000'000, '['), k_from));
    // Well-formed, and 100 MB of it in memory.
    std::string nested = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    CHECK_FALSE(read_index("{\"skills\":[" + entry("a") + "],\"x\":" + nested + "}", k_from));
    std::string many = "{\"skills\":[" + entry("a") + "],\"x\":[0";
    for (int i = 0; i < 1'100'000; ++i) {
      many += ",0";
    }
    Result<SkillIndex> values = read_index(many + "]}", k_from);
    REQUIRE_FALSE(values);
    CHECK(values.error().code == ErrorCode::too_large);
  }
}
