#include "skills/danger/sarif.h"
#include "tests/unit/skills_danger_skills.h"

#include <nlohmann/json.hpp>

using namespace upskill;
using namespace upskill::danger;
using namespace upskill::tests;
using nlohmann::json;

TEST_CASE("a report as SARIF") {
  DangerReport report;
  report.left_out = 3;
  report.findings = {
      {"a", Severity::severe, "scripts/a b:c.sh", 2, 5, "rm", "deletes it", "do not"},
      {"b", Severity::warning, "SKILL.md", 0, 0, "x", "is odd", "see"},
      {"a", Severity::note, "SKILL.md", 1, 1, "y", "deletes it", "do not"},
  };
  json document = json::parse(to_sarif(report, "sample\xFF"));
  CHECK(document["version"] == "2.1.0");
  const json& run = document["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "upskill");
  CHECK(run["tool"]["driver"]["rules"].size() == 2);
  CHECK(run["columnKind"] == "unicodeCodePoints");
  CHECK(run["properties"]["leftOut"] == 3);
  const json& results = run["results"];
  REQUIRE(results.size() == 3);
  CHECK(results[0]["level"] == "error");
  CHECK(results[1]["level"] == "warning");
  CHECK(results[2]["level"] == "note");
  CHECK(results[0]["message"]["text"] == "deletes it: rm");
  for (const json& result : results) {
    CHECK(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"]
          == result["ruleId"]);
  }
  const json& place = results[0]["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "scripts/a%20b%3Ac.sh");
  CHECK(place["region"] == json{{"startLine", 2}, {"startColumn", 5}});
  // Lines are counted from 1 there; a file as a whole has none.
  CHECK_FALSE(results[1]["locations"][0]["physicalLocation"].contains("region"));
}

TEST_CASE("an empty report is SARIF too") {
  json document = json::parse(to_sarif({}, "sample"));
  CHECK(document["runs"][0]["results"] == json::array());
}
