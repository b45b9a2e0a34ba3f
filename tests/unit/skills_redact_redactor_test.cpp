#include "skills/redact/mark.h"
#include "skills/redact/redactor.h"
#include "tests/support/planted_secrets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace upskill;
using namespace upskill::redact;
using namespace upskill::tests;

namespace {

const RuleSet& rules() {
  static const Result<RuleSet> k_rules = RuleSet::built_in();
  REQUIRE(k_rules);
  return *k_rules;
}

std::string redacted(std::string text) {
  Redactor(rules()).redact(text);
  return text;
}

std::vector<std::string> found_in(std::string_view text) {
  Redactor redactor(rules());
  std::vector<Finding> findings;
  redactor.scan(text, findings);
  std::vector<std::string> ids;
  for (const Finding& one : findings) {
    ids.push_back(rules().rules()[one.rule].id);
  }
  return ids;
}

} // namespace

TEST_CASE("every kind of secret that is planted is replaced by its mark") {
  std::set<std::string_view> kinds;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      kinds.insert(kind.rule);
      Planted planted = plants.grow(kind.form);
      std::string before(plants.one_of({"", "use ", "export X='", "(", "the key:\n", "a=1&k="}));
      std::string after(plants.one_of({"", " now", "'", ")", "\nthen", ". And"}));
      std::string text = redacted(before + planted.text + after);
      INFO("seed " << seed << ", rule " << kind.rule << ": " << planted.text << " -> " << text);
      CHECK_FALSE(planted.shows_in(text));
      CHECK(text.find(mark_of(kind.rule)) != std::string::npos);
      CHECK(text.starts_with(before));
      CHECK(text.ends_with(after));
    }
  }
  CHECK(kinds.size() >= 70);
}

TEST_CASE("identifiers that are no secret are left alone") {
  Redactor redactor(rules());
  std::vector<Finding> findings;
  std::size_t touched = 0;
  std::size_t total = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Plants plants(seed);
    for (std::size_t i = 0; i < 2000; ++i) {
      std::string value = grow_innocent(plants, i);
      std::string text = value;
      switch (i / k_innocent_kinds % 4) {
      case 0:
        text = "key = " + value;
        break;
      case 1:
        text = "{\"id\":\"" + value + "\"}";
        break;
      case 2:
        text = "It says " + value + " and then it ends.";
        break;
      default:
        text = "    const value = \"" + value + "\";\n";
      }
      redactor.scan(text, findings);
      ++total;
      touched += findings.empty() ? 0 : 1;
      INFO("seed " << seed << ": " << text << " is taken for "
                   << (findings.empty() ? "" : rules().rules()[findings[0].rule].id));
      CHECK(findings.empty());
    }
  }
  MESSAGE("false positives: " << touched << " of " << total);
}

TEST_CASE("redacting twice changes nothing") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Plants plants(seed);
    std::string text;
    for (int i = 0; i < 8; ++i) {
      // Also glued to each other, and cut.
      std::string planted =
          plants.grow(k_secret_kinds[plants.below(std::size(k_secret_kinds))].form).text;
      text += planted.substr(plants.below(3) == 0 ? plants.below(planted.size()) : 0);
      text += plants.one_of(
          {"", "", " ", "\n", "=", "password: ", "[REDACTED:github-pat]", "[REDACTED:"});
    }
    std::string once = redacted(text);
    INFO("seed " << seed << ": " << text);
    CHECK(redacted(once) == once);
  }
}

TEST_CASE("marks are left alone, and only those of rules that are there") {
  std::string text = "password=[REDACTED:github-pat] and token: [REDACTED:url-password]";
  CHECK(redacted(text) == text);
  CHECK(found_in(text).empty());
  Plants plants(5);
  Planted planted = plants.grow("gh"
                                "p_{W40}");
  CHECK(redacted("[REDACTED:" + planted.text + "]") == "[REDACTED:[REDACTED:github-pat]]");
}

TEST_CASE("candidates are told and stay") {
  Plants plants(7);
  std::string jwt = plants
                        .grow("ey"
                              "J{B30}.ey"
                              "J{B60}.{B43}")
                        .text;
  std::string text = "see " + jwt + " and postgres://ada:" + plants.grow("{W12}").text + "@db/x";
  Redactor redactor(rules());
  std::string same = text;
  Counts counts = redactor.redact(same);
  CHECK(same == text);
  CHECK(counts.definite == 0);
  CHECK(counts.candidates == 2);
  CHECK(found_in(text) == std::vector<std::string>{"json-web-token", "url-password"});
  CHECK(found_in("Authorization: Bearer " + plants.grow("{W32}").text)
        == std::vector<std::string>{"authorization-header"});
  CHECK(found_in("api_key = \"" + plants.grow("{W32}").text + "\"")
        == std::vector<std::string>{"assigned-secret"});
  CHECK(found_in("machine h login ada password " + plants.grow("{W14}").text)
        == std::vector<std::string>{"netrc-password"});
  CHECK(found_in("curl -s -u ada:" + plants.grow("{W14}").text + " https://x")
        == std::vector<std::string>{"curl-user"});
  CHECK(found_in("mysqldump -h db -u ada -p" + plants.grow("{W14}").text + " shop > shop.sql")
        == std::vector<std::string>{"mysql-password"});
  CHECK(found_in("sshpass -p '" + plants.grow("{W14}").text + "' ssh ada@db")
        == std::vector<std::string>{"sshpass-password"});
  CHECK(found_in("db.example.org:5432:shop:ada:" + plants.grow("{W14}").text + "\n")
        == std::vector<std::string>{"pgpass-password"});
  CHECK(found_in("Set-Cookie: sid=" + plants.grow("{W40}").text + "; Path=/; HttpOnly")
        == std::vector<std::string>{"cookie-header"});
  CHECK(found_in("cookie: theme=dark; lang=en; sid=" + plants.grow("{W40}").text)
        == std::vector<std::string>{"cookie-header"});
  for (const char* before :
       {"{\"name\":\"DB_PASSWORD\",\"value\":\"", "- name: DB_PASSWORD\n  value: "}) {
    CHECK(found_in(before + plants.grow("{W32}").text + "\"")
          == std::vector<std::string>{"assigned-secret"});
  }
}

TEST_CASE("what is definite wins over what is not, and nothing between is left") {
  Plants plants(11);
  Planted planted = plants.grow("gh"
                                "p_{W36}");
  CHECK(redacted("token = \"" + planted.text + "\"") == "token = \"[REDACTED:github-pat]\"");
  CHECK(found_in("token = \"" + planted.text + "\"") == std::vector<std::string>{"github-pat"});
}

TEST_CASE("examples are no secrets") {
  for (std::string_view text :
       {"AKIA"
        "IOSFODNN7EXAMPLE",
        "gh"
        "p_abcdefghijklmnopqrstuvwxyz0123456789",
        "gh"
        "p_012345678901234567890123456789012345",
        "sk-"
        "ant-api03-your-key-here-your-key-here-your-key-here",
        "sk-"
        "proj-<your key goes here and is forty letters long>",
        "export GITHUB_TOKEN=gh"
        "p_${TOKEN}",
        "postgres://user:${PASSWORD}@host/db",
        "postgres://user:password@host/db",
        "mysql -h 127.0.0.1 -P 3306 -p shop",
        "mysql -u root -p${PASSWORD} shop",
        "docker run -p 5432:5432 postgres:16 postgres",
        "Cookie: theme=dark; lang=en; consent=true",
        "- name: DB_PASSWORD\n  value: change-me-before-you-deploy",
        "password = os.environ[\"DB_PASSWORD\"]",
        "api_key=process.env.OPENAI_API_KEY",
        "const token = await getAccessToken2(request)",
        "-----BEGIN RSA PRIVATE KEY-----",
        "if text.startswith('-----BEGIN PRIVATE KEY-----'): raise",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKC"
        "AQEA\n-----END PUBLIC KEY-----"}) {
    INFO(text);
    CHECK(found_in(text).empty());
  }
}

TEST_CASE("a private key is replaced as far as it goes") {
  Plants plants(13);
  std::string begin = "-----BEGIN RSA PRIV"
                      "ATE KEY-----";
  std::string end = "-----END RSA PRIV"
                    "ATE KEY-----";
  std::string mark = "[REDACTED:private-key]";
  std::string a = plants.letters('S', 64);
  std::string b = plants.letters('S', 64);
  // Cut off.
  CHECK(redacted("x " + begin + "\n" + a + "\n" + b.substr(0, 30)) == "x " + mark);
  CHECK(redacted("x " + begin + "\n" + a + "\n" + b.substr(0, 7)) == "x " + mark);
  // The end of one, without its beginning.
  CHECK(redacted(a + "\n" + b + "\n" + end + "\nDone.") == mark + "\nDone.");
  // With line numbers, as tools show a file.
  CHECK(redacted("     1\xE2\x86\x92" + begin + "\n     2\xE2\x86\x92" + a + "\n     3\xE2\x86\x92"
                 + b + "\n     4\xE2\x86\x92" + end + "\nok")
        == "     1\xE2\x86\x92" + mark + "\nok");
  // Lines put together in code.
  CHECK(redacted("k = \"" + begin + "\\n\" +\n    \"" + a + "\\n\" +\n    \"" + b + "\\n" + end
                 + "\";")
        == "k = \"" + mark + "\";");
  // What is written behind a key that has no end stays.
  CHECK(redacted(begin + "\n" + a + "\n" + b
                 + "\n... (cut)\nThe key is read by the server, and then by"
                   " nobody else in the whole system that we are looking at here.\n")
            .find("The key is read by the server")
        != std::string::npos);
}

TEST_CASE("hostile texts take time that grows with them") {
  Redactor redactor(rules());
  std::vector<Finding> findings;
  for (std::string_view part : {"eyJ-",
                                "-----BEGIN PRIVATE KEY-----",
                                "sk-",
                                "token=",
                                "://:@",
                                ":AA",
                                "-----END PRIVATE KEY-----",
                                "[REDACTED:",
                                "q~0q~",
                                "aaaaaaaaaaaaaaaaaaaaa",
                                "authorization: bearer ",
                                "curl -u a:b curl "}) {
    std::string text;
    while (text.size() < 200'000) {
      text += part;
    }
    redactor.scan(text, findings);
    redactor.redact(text);
    CHECK(text.size() >= 1000);
  }
}

TEST_CASE("a finding cuts no character") {
  Result<RuleSet> with = rules().with(
      R"({"format":1,"rules":[{"id":"odd","regex":"abc.","keywords":["abc"],"confidence":"definite","before":0}]})",
      "rules.json");
  REQUIRE(with);
  std::string text = "abc\xE2\x86\x92!"; // `.` is one byte
  Redactor(*with).redact(text);
  CHECK(text == "[REDACTED:odd]!");
}
