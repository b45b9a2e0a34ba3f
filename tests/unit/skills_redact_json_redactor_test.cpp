#include "skills/redact/json_redactor.h"
#include "skills/redact/mark.h"
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

std::string redacted(std::string record) {
  JsonRedactor(rules()).redact(record);
  return record;
}

Counts counts_of(std::string record) {
  return JsonRedactor(rules()).redact(record);
}

// Everything that it says, with the escapes of `depth` layers read.
std::string said(const nlohmann::json& value, int depth = 3) {
  std::string all;
  if (value.is_string()) {
    auto text = value.get<std::string>();
    all = text + "\n";
    nlohmann::json inner =
        depth > 0 ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
    return inner.is_structured() ? all + said(inner, depth - 1) : all;
  }
  if (value.is_structured()) {
    for (const auto& [key, member] : value.items()) {
      all += (value.is_object() ? key + "\n" : "") + said(member, depth);
    }
  }
  return all;
}

} // namespace

TEST_CASE("secrets behind escapes of JSON are found, and the record stays JSON") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      std::string inner =
          as_json_string(plants, "a \\ b \"" + planted.text + "\" c\n", plants.below(60));
      std::string record =
          R"({"type":"user","n":1.5e3,"message":{"content":[{"text":")" + inner + R"("}]}})";
      if (seed % 3 == 0) { // the arguments of a tool: JSON in a string of JSON
        record = R"({"arguments":")" + as_json_string(plants, record, 5) + "\"}";
      }
      if (seed % 6 == 0) {
        record = R"({"arguments":")" + as_json_string(plants, record, 2) + "\"}";
      }
      std::string after = redacted(record);
      INFO("seed " << seed << ", rule " << kind.rule << "\n" << record << "\n" << after);
      nlohmann::json json = nlohmann::json::parse(after, nullptr, false);
      REQUIRE_FALSE(json.is_discarded());
      std::string all = said(json);
      CHECK_FALSE(planted.shows_in(all));
      CHECK_FALSE(planted.shows_in(after));
      CHECK(all.find(mark_of(kind.rule)) != std::string::npos);
      CHECK(redacted(after) == after);
    }
  }
}

TEST_CASE("a secret right behind an escaped line feed is found, however deep that is") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      if (planted.text.find('\n') != std::string::npos) {
        continue;
      }
      std::string text = R"(export A=1\n)" + planted.text + R"(\n)";
      INFO("seed " << seed << ", rule " << kind.rule << ": " << text);
      std::string after = redacted(text);
      CHECK_FALSE(planted.shows_in(after));
      CHECK(after.starts_with(R"(export A=1\n)"));
      std::string record = R"({"text":"x)" + as_json_string(plants, text, 0) + R"("})";
      CHECK_FALSE(planted.shows_in(redacted(record)));
    }
  }
}

TEST_CASE("what is not replaced stays byte for byte") {
  Plants plants(3);
  std::string key = plants
                        .grow("gh"
                              "p_{W36}")
                        .text;
  std::string before = R"({ "a" : "\u0041\/\ud800 x", "b":[1.50, "say \")";
  std::string after = R"(\" \u00e9"] , "c":null})";
  CHECK(redacted(before + key + after) == before + "[REDACTED:github-pat]" + after);
  std::string clean = R"({"text":"nothing \u002d here", "id" : "x"}  )";
  CHECK(redacted(clean) == clean);
}

TEST_CASE("keys of members are searched too") {
  Plants plants(4);
  std::string key = plants
                        .grow("gh"
                              "p_{W36}")
                        .text;
  CHECK(redacted("{\"" + key + "\":1}") == R"({"[REDACTED:github-pat]":1})");
}

TEST_CASE("the name of a member tells what its value is") {
  Plants plants(5);
  std::string secret = plants.letters('S', 40);
  CHECK(redacted(R"({"aws_secret_access_key":")" + secret + "\"}")
        == R"({"aws_secret_access_key":"[REDACTED:aws-secret-access-key]"})");
  std::string value = plants.letters('W', 32);
  CHECK(counts_of(R"({"api_key":")" + value + "\"}").candidates == 1);
  CHECK(counts_of(R"({"input":{"api_key":")" + value + "\"}}").candidates == 1);
  CHECK(counts_of(R"({"request":")" + value + "\"}").candidates == 0);
  // What a key says holds for its own value, not for those after it.
  CHECK(counts_of(R"({"list":[{"api_key":1},")" + value + "\"]}").candidates == 0);
}

TEST_CASE("ids are no secrets by their looks, yet a vendor's key is one anywhere") {
  Plants plants(6);
  std::string looks = plants.letters('W', 32);
  CHECK(counts_of(R"({"tokenId":")" + looks + "\"}").candidates == 0);
  CHECK(counts_of(R"({"access_token_id":")" + looks + "\"}").candidates == 0);
  CHECK(counts_of(R"({"secret_uuid":")" + looks + "\"}").candidates == 0);
  CHECK(counts_of(R"({"token_valid":")" + looks + "\"}").candidates == 1);
  std::string key = plants
                        .grow("AK"
                              "IA{A16}")
                        .text;
  CHECK(redacted(R"({"AccessKeyId":")" + key + "\"}")
        == R"({"AccessKeyId":"[REDACTED:aws-access-key-id]"})");
}

TEST_CASE("signatures and images are left alone") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Plants plants(seed);
    std::string record = R"({"thinking":"","signature":")" + plants.letters('S', 900)
                         + R"(==","source":{"type":"base64","media_type":"image/png","data":"iVBOR)"
                         + plants.letters('S', 5000) + R"("}})";
    Counts counts = counts_of(record);
    CHECK(counts.definite + counts.candidates == 0);
    CHECK(redacted(record) == record);
  }
}

TEST_CASE("JSON that is broken, cut or glued, and plain text") {
  Plants plants(8);
  Planted planted = plants.grow("sk-"
                                "ant-api03-{B93}AA");
  std::string escaped = planted.text;
  escaped.replace(escaped.find('-'), 1, "\\u002d");
  std::string mark = "[REDACTED:anthropic-key]";
  CHECK(redacted("{\"a\":\"x " + escaped) == "{\"a\":\"x " + mark);
  CHECK(redacted("{\"a\": nope \"" + escaped + "\"}") == "{\"a\": nope \"" + mark + "\"}");
  CHECK(redacted("{\"a\":\"" + escaped + "\"}{\"b\":\"" + escaped + "\"}")
        == "{\"a\":\"" + mark + "\"}{\"b\":\"" + mark + "\"}");
  CHECK(redacted("$ export K=" + escaped + "\n") == "$ export K=" + mark + "\n");
  CHECK(redacted("{ key " + planted.text + " \"x\" }") == "{ key " + mark + " \"x\" }");
  CHECK(redacted("").empty());
  CHECK(redacted("\"") == "\"");
  CHECK(redacted("{\"a\":\"\\") == "{\"a\":\"\\");
  std::string text = "the model says " + planted.text;
  CHECK(redact_text(text, rules()).definite == 1);
  CHECK(text == "the model says " + mark);
}

TEST_CASE("records as agents write them are left alone") {
  Redactor plain(rules());
  JsonRedactor redactor(rules());
  std::size_t candidates = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Plants plants(seed);
    for (std::size_t i = 0; i < 2000; ++i) {
      std::string value = as_json_string(plants, grow_innocent(plants, i), 0);
      std::string record =
          R"({"parentUuid":")" + grow_innocent(plants, 2) + R"(","sessionId":")"
          + grow_innocent(plants, 2) + R"(","requestId":")" + grow_innocent(plants, 8)
          + R"(","message":{"id":")" + grow_innocent(plants, 6)
          + R"(","usage":{"input_tokens":3},"content":[{"type":"tool_use","name":"Bash",)"
            R"("input":{"key":")"
          + value + R"("}},{"type":"text","text":"see )" + value + R"( there"}]}})";
      std::string same = record;
      Counts counts = redactor.redact(same);
      candidates += counts.candidates;
      INFO("seed " << seed << ": " << record);
      CHECK(same == record);
      CHECK(counts.candidates == 0);
    }
  }
  MESSAGE("candidates in 6,000 records: " << candidates);
}
