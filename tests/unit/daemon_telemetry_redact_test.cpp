#include "daemon/telemetry/redact.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>

using namespace upskill::telemetry;

TEST_SUITE("redact") {
  TEST_CASE("a caller's environment is hidden and the rest is kept") {
    std::string line =
        R"({"id":1,"params":{"_meta":{"upskill/context":{"cwd":"/x","environment":{"K":"s3cret}\"]"}},"progressToken":7},"name":"eval"}})";
    nlohmann::json shown = nlohmann::json::parse(without_secrets(line));
    CHECK(shown["params"]["_meta"]["upskill/context"] == "[hidden]");
    CHECK(shown["params"]["_meta"]["progressToken"] == 7);
    CHECK(shown["params"]["name"] == "eval");
  }

  TEST_CASE("members that are named like secrets are hidden, whatever they hold") {
    CHECK(without_secrets(R"({"ANTHROPIC_API_KEY": "abc","a":1})")
          == R"({"ANTHROPIC_API_KEY":"[hidden]","a":1})");
    CHECK(without_secrets(R"({"token":["abc",{"x":"def"}],"a":1})")
          == R"({"token":"[hidden]","a":1})");
    CHECK(without_secrets(R"({"HF_TOKEN":12345})") == R"({"HF_TOKEN":"[hidden]"})");
    CHECK(without_secrets(R"({"Authorization":"Bearer abc"})")
          == R"({"Authorization":"[hidden]"})");
  }

  TEST_CASE("a value is no name") {
    std::string line = R"({"name":"password","list":["token","secret"]})";
    CHECK(without_secrets(line) == line);
  }

  TEST_CASE("a text that is cut inside a secret shows nothing of it") {
    CHECK(without_secrets(R"({"api_key":"abc)") == R"({"api_key":"[hidden]")");
    CHECK(without_secrets(R"({"upskill/context":{"environment":{"K":"abc)")
          == R"({"upskill/context":"[hidden]")");
    CHECK(without_secrets("\"") == "\"");
    CHECK(without_secrets("no json at all") == "no json at all");
  }

  TEST_CASE("what is logged has a bound and does not split a character") {
    std::string shown = loggable(std::string(3000, 'a'));
    CHECK(shown.starts_with(std::string(k_max_logged_body, 'a')));
    CHECK(shown.ends_with("... (3000 bytes)"));
    std::string umlauts;
    for (int i = 0; i < 2000; ++i) {
      umlauts += "\xC3\xA4";
    }
    CHECK(loggable("x" + umlauts).substr(0, 2047).ends_with("\xC3\xA4"));
    CHECK(loggable("short") == "short");
  }

  TEST_CASE("the copy for signal handlers stays within its buffer") {
    std::array<char, 16> buffer{};
    std::size_t used =
        copy_without_secrets(R"({"secret":"abcdefghijklmnop"})", buffer.data(), buffer.size());
    CHECK(std::string_view(buffer.data(), used) == R"({"secret":"[hidd)");
  }
}
