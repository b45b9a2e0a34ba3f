#include "skills/redact/placeholder.h"
#include "skills/redact/redactor.h"
#include "tests/support/planted_secrets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace upskill;
using namespace upskill::redact;
using namespace upskill::tests;

namespace {

RuleSet built_in() {
  Result<RuleSet> rules = RuleSet::built_in();
  REQUIRE_MESSAGE(rules, rules.error().message);
  return *rules;
}

std::string user(std::string_view rules) {
  return "{\"format\":1,\"rules\":[" + std::string(rules) + "]}";
}

std::string problem(std::string_view text) {
  Result<RuleSet> with = built_in().with(text, "mine.json");
  return with ? "" : with.error().message;
}

std::string redacted(const RuleSet& rules, std::string text) {
  Redactor(rules).redact(text);
  return text;
}

} // namespace

TEST_CASE("the built-in rules are good, and of many vendors") {
  RuleSet rules = built_in();
  CHECK(rules.rules().size() >= 150);
  std::set<std::string> ids;
  for (const Rule& rule : rules.rules()) {
    CHECK_MESSAGE(ids.insert(rule.id).second, rule.id);
    CHECK_MESSAGE(!rule.description.empty(), rule.id);
    CHECK_MESSAGE(!rule.keywords.empty(), rule.id);
  }
  auto definite = std::ranges::count(rules.rules(), Confidence::definite, &Rule::confidence);
  CHECK(definite >= 130);
}

TEST_CASE("a person's rule is added, and searched for around its keyword") {
  Result<RuleSet> with = built_in().with(
      user(
          R"({"id":"badge","regex":"[A-Z]{3}-badge-[0-9]{4}","keywords":["-badge-"],"confidence":"definite"})"),
      "mine.json");
  REQUIRE(with);
  CHECK(redacted(*with, "wear ABC-badge-1234 and XYZ-badge-9999 there, not ab-badge-12")
        == "wear [REDACTED:badge] and [REDACTED:badge] there, not ab-badge-12");
  CHECK(with->rules().size() == built_in().rules().size() + 1);
}

TEST_CASE("a person's rule replaces the keys it has, and can take a rule out") {
  Plants plants(1);
  std::string key = plants
                        .grow("gh"
                              "p_{W36}")
                        .text;
  Result<RuleSet> without =
      built_in().with(user(R"({"id":"github-pat","enabled":false})"), "mine.json");
  REQUIRE(without);
  CHECK(redacted(*without, key) == key);
  Result<RuleSet> candidate =
      built_in().with(user(R"({"id":"github-pat","confidence":"candidate"})"), "mine.json");
  REQUIRE(candidate);
  std::string same = key;
  Counts counts = Redactor(*candidate).redact(same);
  CHECK(same == key);
  CHECK(counts.candidates == 1);
  CHECK(redacted(built_in(), key) == "[REDACTED:github-pat]");
}

TEST_CASE("an allowlist knows what is harmless") {
  Result<RuleSet> with = built_in().with(
      user(R"x({"id":"seat","regex":"seat-([a-z]+)","secretGroup":1,"keywords":["seat-"],)x"
           R"("confidence":"definite","allowlist":{"stopwords":["Window"],"regexes":["^a+$"],)"
           R"("before":["free $"]}})"),
      "mine.json");
  REQUIRE(with);
  CHECK(redacted(*with, "seat-corner seat-windowed seat-aaaa free seat-corner")
        == "seat-[REDACTED:seat] seat-windowed seat-aaaa free seat-[REDACTED:seat]");
  CHECK(redacted(*with, "x free seat-b") == "x free seat-[REDACTED:seat]");
}

TEST_CASE("errors name the rule and the field") {
  CHECK(problem("{") == "`mine.json` is not valid JSON");
  CHECK(problem("[]") == "`mine.json`: must be an object");
  CHECK(problem("{\"format\":2,\"rules\":[]}") == "`mine.json`: `format` must be 1");
  CHECK(problem("{\"format\":1}") == "`mine.json`: `rules` must be a list");
  CHECK(problem("{\"format\":1,\"rules\":[],\"more\":1}")
        == "`mine.json`: has a key that is not known");
  CHECK(problem(user("{}")) == "`mine.json`, entry 1 of `rules`: `id` is missing");
  CHECK(
      problem(user("{\"id\":\"A b\"}"))
      == "`mine.json`, entry 1 of `rules`: `id` must be 1 to 64 of `a` to `z`, `0` to `9` and `-`");
  CHECK(problem(user(R"({"id":"x"},{"id":"x"})")).find("rule `x`: `regex` is missing")
        != std::string::npos);
  CHECK(problem(user(R"({"id":"jwt","enabled":false},{"id":"jwt","enabled":false})"))
        == "`mine.json`, rule `jwt`: `id` is there twice");
  CHECK(
      problem(user(R"({"id":"x","regex":"a"})"))
      == "`mine.json`, rule `x`: `keywords` must name at least one: without it every text would be "
         "searched");
  std::string x = R"({"id":"x","keywords":["abc"],)";
  CHECK(problem(user(x + R"x("regex":"(?=a)"})x"))
            .starts_with("`mine.json`, rule `x`: `regex` is not a pattern that RE2 reads"));
  CHECK(problem(user(x + R"("regex":"a","secretGroup":1})"))
        == "`mine.json`, rule `x`: `secretGroup` is of no group that `regex` has");
  CHECK(problem(user(x + R"("regex":"a","entropy":9})"))
        == "`mine.json`, rule `x`: `entropy` must be a number from 0 to 8");
  CHECK(problem(user(x + R"("regex":"a","colour":1})"))
        == "`mine.json`, rule `x`: `colour` is not a known key");
  CHECK(problem(user(x + R"("regex":"a","allowlist":{"regexes":["["]}})"))
            .starts_with("`mine.json`, rule `x`: `allowlist.regexes` is not a pattern"));
  CHECK(problem(user(R"({"id":"x","regex":"a","keywords":["ab"]})"))
        == "`mine.json`, rule `x`: `keywords[0]` must be 3 to 64 lower-case letters, digits and "
           "signs "
           "of ASCII");
  CHECK(problem(user(R"({"id":"x","regex":"a","keywords":["Abc"]})")) != "");
  CHECK(problem("{\"format\":1,\"rules\":" + std::string(20, '[') + std::string(20, ']') + "}")
        == "`mine.json` is larger than 1 MiB or nested deeper than 16 levels");
}

TEST_CASE("the version follows everything that decides what is found") {
  RuleSet rules = built_in();
  CHECK(rules.version().size() == 64);
  CHECK(rules.version() == built_in().version());
  CHECK(rules.version() == rules.with(user(""), "mine.json")->version());
  std::set<std::string> versions{rules.version()};
  for (std::string_view change : {R"({"id":"github-pat","enabled":false})",
                                  R"({"id":"github-pat","entropy":1})",
                                  R"({"id":"github-pat","confidence":"candidate"})",
                                  R"({"id":"github-pat","longest":100})",
                                  R"({"id":"github-pat","allowlist":{"stopwords":["x"]}})",
                                  R"({"id":"github-pat","keywords":["ghp"]})"}) {
    CHECK(versions.insert(rules.with(user(change), "mine.json")->version()).second);
  }
}

TEST_CASE("entropy is bits a character") {
  CHECK(entropy("") == 0);
  CHECK(entropy("aaaa") == 0);
  CHECK(entropy("abab") == doctest::Approx(1));
  CHECK(entropy("abcdefgh") == doctest::Approx(3));
}

TEST_CASE("examples are told from what is random") {
  for (std::string_view text : {"IOSFODNN7EXAMPLE",
                                "your-key-here",
                                "xxxxxxxx12",
                                "${TOKEN}",
                                "<token>",
                                "{{ token }}",
                                "abcabcabcabc",
                                "deadbeefdeadbeef",
                                "1234567890",
                                "abcdefghij123456",
                                "aaaaaaaabbbb",
                                "my-secret-token",
                                "MY_SECRET_TOKEN",
                                "hunter"}) {
    CHECK_MESSAGE(is_placeholder(text), text);
  }
  Plants plants(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text = plants.letters("HWSBAU"[i % 6], 24);
    CHECK_MESSAGE(!is_placeholder(text), text);
  }
}
