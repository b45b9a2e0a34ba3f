#include "skills/eval/cases.h"
#include "skills/eval/suite_hash.h"

#include <doctest/doctest.h>

#include <set>

using namespace upskill;
using namespace upskill::eval;

namespace {

Digest hash_of(std::string_view text) {
  Result<CaseSuite> suite = read_cases(text);
  REQUIRE(suite);
  return suite_hash(*suite);
}

} // namespace

TEST_SUITE("suite_hash") {
  TEST_CASE("the same cases have one hash, however they are written") {
    Digest one = hash_of(R"({"cases": [{"input": "a", "expected": {"contains": ["x"]}}]})");
    CHECK(one == hash_of(R"([{"expected": ["x"], "input": "a"}])"));
  }

  TEST_CASE("whatever changes a question or its grade changes the hash") {
    std::set<Digest> seen;
    for (std::string_view text : {R"([{"input": "a", "expected": ["x"]}])",
                                  R"([{"input": "b", "expected": ["x"]}])",
                                  R"([{"input": "a", "expected": ["y"]}])",
                                  R"([{"input": "a", "expected": ["x", "y"]}])",
                                  R"([{"input": "a", "checks": [{"not_contains": "x"}]}])",
                                  R"([{"input": "a", "checks": [{"contains": "x", "weight": 2}]}])",
                                  R"([{"input": "a", "expected": ["x"], "threshold": 0.5}])",
                                  R"([{"input": "a", "expected": ["x"], "cluster": "c"}])",
                                  R"([{"input": "a", "expected": ["x"]},
                                      {"input": "b", "expected": ["x"]}])",
                                  R"([{"input": "b", "expected": ["x"]},
                                      {"input": "a", "expected": ["x"]}])"}) {
      CAPTURE(text);
      CHECK(seen.insert(hash_of(text)).second);
    }
  }
}
