#include "skills/redact/mark.h"
#include "skills/redact/record_redactor.h"
#include "tests/support/planted_secrets.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace upskill;
using namespace upskill::redact;
using namespace upskill::tests;

namespace {

const RuleSet& rules() {
  static const Result<RuleSet> k_rules = RuleSet::built_in();
  REQUIRE(k_rules);
  return *k_rules;
}

std::vector<std::string> redacted(const std::vector<std::string>& records) {
  RecordRedactor redactor(rules());
  std::vector<std::string> done;
  for (const std::string& record : records) {
    if (auto before = redactor.take(record)) {
      done.push_back(before->bytes);
    }
  }
  if (auto last = redactor.finish()) {
    done.push_back(last->bytes);
  }
  REQUIRE(done.size() == records.size());
  return done;
}

std::string record(Plants& plants, std::string_view role, std::string_view text) {
  return R"({"uuid":")" + plants.grow("{H8}-{H4}-4{H3}-a{H3}-{H12}").text + R"(","type":")"
         + std::string(role) + R"(","message":{"content":[{"type":"text","text":")"
         + as_json_string(plants, text, 5) + R"("}]},"timestamp":"2026-07-01T10:00:00Z"})";
}

} // namespace

TEST_CASE("a secret over two messages is replaced in both") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      std::size_t cut = 1 + plants.below(planted.text.size() - 1);
      std::string a = "I set " + planted.text.substr(0, cut);
      std::string b = planted.text.substr(cut) + " and go on";
      INFO("seed " << seed << ", rule " << kind.rule << ", cut " << cut << ": " << planted.text);
      std::vector<std::string> after =
          redacted({record(plants, "user", a), record(plants, "assistant", b)});
      std::string all;
      for (const std::string& one : after) {
        nlohmann::json json = nlohmann::json::parse(one, nullptr, false);
        REQUIRE_FALSE(json.is_discarded());
        all += json["message"]["content"][0]["text"].get<std::string>();
      }
      INFO(all);
      CHECK_FALSE(planted.shows_in(all));
      CHECK(all.find("I set ") != std::string::npos);
      CHECK(all.find(" and go on") != std::string::npos);
    }
  }
}

TEST_CASE("a secret over the border of two pieces of a text is replaced in both") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      std::string text = "Before it.\n" + planted.text + "\nAfter it.";
      std::size_t cut = 12 + plants.below(planted.text.size() - 1);
      std::vector<std::string> after = redacted({text.substr(0, cut), text.substr(cut)});
      INFO("seed " << seed << ", rule " << kind.rule << ", cut " << cut << ": " << text);
      INFO(after[0] << "|" << after[1]);
      CHECK_FALSE(planted.shows_in(after[0] + after[1]));
      CHECK(after[0].starts_with("Before it.\n"));
      CHECK(after[1].ends_with("\nAfter it."));
    }
  }
}

TEST_CASE("the border is looked over where a tool's output stands twice") {
  Plants plants(3);
  Planted planted = plants.grow("gh"
                                "p_{W36}");
  std::string a = planted.text.substr(0, 20);
  std::string b = planted.text.substr(20);
  std::vector<std::string> after =
      redacted({R"({"content":"x )" + a + R"(","toolUseResult":{"stdout":"x )" + a + R"("}})",
                R"({"content":")" + b + R"( y","toolUseResult":{"stdout":")" + b + R"( y"}})"});
  CHECK(
      after[0]
      == R"({"content":"x [REDACTED:github-pat]","toolUseResult":{"stdout":"x [REDACTED:github-pat]"}})");
  CHECK(
      after[1]
      == R"({"content":"[REDACTED:github-pat] y","toolUseResult":{"stdout":"[REDACTED:github-pat] y"}})");
}

TEST_CASE("what was dealt with before still tells what goes on from it") {
  auto goes_on = [](std::initializer_list<std::string> primers, const std::string& next) {
    RecordRedactor redactor(rules());
    for (const std::string& one : primers) {
      redactor.prime(one);
    }
    CHECK_FALSE(redactor.take(next)); // the primers are nobody's any more
    return redactor.goes_on_from_primed();
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      std::size_t cut = 1 + plants.below(planted.text.size() - 1);
      std::string a = record(plants, "user", "I set " + planted.text.substr(0, cut));
      std::string b = record(plants, "assistant", planted.text.substr(cut) + " and go on");
      std::vector<std::string> together = redacted({a, b});
      bool is_missed = together[0] != redacted({a})[0]; // by whoever saw that one alone
      INFO("seed " << seed << ", rule " << kind.rule << ", cut " << cut << ": " << planted.text);
      CHECK((!is_missed || goes_on({a}, b)));
      RecordRedactor later(rules());
      later.prime(a);
      later.take(b);
      CHECK(later.finish()->bytes == together[1]);
    }
    CHECK_FALSE(goes_on({record(plants, "user", "Run the tests"), record(plants, "user", "now")},
                        record(plants, "assistant", "They pass")));
    std::string token = plants
                            .grow("gh"
                                  "p_{W36}")
                            .text;
    CHECK_FALSE(goes_on({record(plants, "user", "I set " + token)},
                        record(plants, "assistant", "and go on with it")));
  }
  RecordRedactor redactor(rules());
  redactor.prime("{}");
  CHECK_FALSE(redactor.finish());
}

TEST_CASE("a private key goes on from several records before") {
  Plants plants(4);
  auto lines = [&] {
    std::string body;
    for (int i = 0; i < 4; ++i) {
      body += plants.letters('S', 64) + "\n";
    }
    return record(plants, "user", body);
  };
  std::string head = "-----BEGIN PRIV"
                     "ATE KEY-----\n";
  RecordRedactor redactor(rules());
  redactor.prime(record(plants, "user", head + plants.letters('S', 64) + "\n"));
  redactor.prime(lines());
  redactor.prime(lines());
  std::string next = lines();
  CHECK_FALSE(redactor.take(next));
  CHECK_FALSE(redactor.goes_on_from_primed()); // all of them were known
  CHECK(redactor.finish()->bytes != next);
}

TEST_CASE("a private key over three records") {
  Plants plants(4);
  std::string body;
  for (int i = 0; i < 12; ++i) {
    body += plants.letters('S', 64) + "\n";
  }
  std::string text = "-----BEGIN PRIV"
                     "ATE KEY-----\n"
                     + body
                     + "-----END PRIV"
                       "ATE KEY-----\nthe end";
  std::vector<std::string> after =
      redacted({text.substr(0, 200), text.substr(200, 300), text.substr(500)});
  CHECK(after[0] == "[REDACTED:private-key]");
  CHECK(after[1] == "[REDACTED:private-key]");
  CHECK(after[2] == "[REDACTED:private-key]\nthe end");
}

TEST_CASE("messages that only follow each other stay as they are") {
  Plants plants(5);
  std::string key = plants
                        .grow("gh"
                              "p_{W36}")
                        .text;
  std::vector<std::string> records = {record(plants, "user", "Please look at src/a.cpp"),
                                      record(plants, "assistant", "I will. The token is in .env"),
                                      record(plants, "user", grow_innocent(plants, 0)),
                                      record(plants, "assistant", grow_innocent(plants, 4))};
  CHECK(redacted(records) == records);
  std::vector<std::string> after =
      redacted({record(plants, "user", "use " + key), R"({"text":"Done with it"})"});
  CHECK(after[1] == R"({"text":"Done with it"})");
  CHECK(redacted({}).empty());
}

TEST_CASE("what was found is counted with its record") {
  Plants plants(6);
  RecordRedactor redactor(rules());
  CHECK_FALSE(redactor.take("one "
                            + plants
                                  .grow("gh"
                                        "p_{W36}")
                                  .text));
  auto first = redactor.take("two "
                             + plants
                                   .grow("ey"
                                         "J{B30}.ey"
                                         "J{B60}.{B43}")
                                   .text);
  REQUIRE(first);
  CHECK(first->bytes == "one [REDACTED:github-pat]");
  CHECK(first->counts.definite == 1);
  CHECK(first->counts.candidates == 0);
  auto second = redactor.finish();
  REQUIRE(second);
  CHECK(second->counts.definite == 0);
  CHECK(second->counts.candidates == 1);
  REQUIRE(second->counts.by_rule.size() == 1);
  CHECK(rules().rules()[second->counts.by_rule[0].rule].id == "json-web-token");
  CHECK_FALSE(redactor.finish());
}
