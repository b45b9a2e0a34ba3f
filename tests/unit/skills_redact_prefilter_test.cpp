#include "protocol/base/json_escape.h"
#include "skills/redact/escapes.h"
#include "skills/redact/json_strings.h"
#include "skills/redact/prefilter.h"
#include "tests/support/planted_secrets.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill::redact;
using namespace upskill::tests;

namespace {

using Hit = std::pair<std::string, std::size_t>;

std::vector<Hit> hits(const std::vector<std::string>& keywords, std::string_view text) {
  std::vector<Hit> found;
  Prefilter(keywords).scan(text, [&](std::uint32_t keyword, std::size_t begin, std::size_t end) {
    CHECK(end - begin == keywords[keyword].size());
    found.emplace_back(keywords[keyword], begin);
  });
  std::ranges::sort(found);
  return found;
}

// By looking everywhere.
std::vector<Hit> all_hits(const std::vector<std::string>& keywords, std::string text) {
  std::vector<Hit> found;
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  for (const std::string& keyword : keywords) {
    for (std::size_t at = 0; (at = text.find(keyword, at)) != std::string::npos; ++at) {
      found.emplace_back(keyword, at);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::string unescaped(std::string_view raw) {
  std::string out;
  upskill::append_json_unescaped(out, raw);
  return out;
}

} // namespace

TEST_CASE("keywords are found where they are, whatever their case") {
  std::vector<std::string> keywords = {"ghp_", "sk-", "sk-ant-", "ant", "://", "token"};
  CHECK(hits(keywords, "GHP_ and Sk-aNt-").size() == 4);
  CHECK(hits(keywords, "").empty());
  CHECK(hits(keywords, "sk").empty());
  CHECK(hits(keywords, "sk-") == std::vector<Hit>{{"sk-", 0}});
  CHECK(hits({}, "ghp_").empty());
  CHECK_FALSE(Prefilter(keywords).found_in("nothing to see"));
  CHECK(Prefilter(keywords).found_in("input_tokens"));
}

TEST_CASE("the prefilter finds what looking everywhere finds") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    Plants plants(seed);
    std::vector<std::string> keywords;
    for (std::size_t i = 0; i < 1 + plants.below(12); ++i) {
      std::string keyword;
      for (std::size_t k = 0; k < 3 + plants.below(5); ++k) {
        keyword += "ab-_1"[plants.below(2 + plants.below(4))];
      }
      if (std::ranges::find(keywords, keyword) == keywords.end()) {
        keywords.push_back(keyword);
      }
    }
    std::string text;
    for (std::size_t i = 0; i < plants.below(300); ++i) {
      text += "abAB-_1 \xFF"[plants.below(9)];
    }
    CHECK(hits(keywords, text) == all_hits(keywords, text));
  }
}

TEST_CASE("escapes are read as JSON reads them") {
  CHECK(unescaped(R"(a\"\\\/\b\f\n\r\tz)") == "a\"\\/\b\f\n\r\tz");
  CHECK(unescaped(R"(\u0041\u00e9\u20AC\ud83d\ude00)") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(unescaped(R"(\ud83d \ude00)") == "\xEF\xBF\xBD \xEF\xBF\xBD");
  CHECK(unescaped(R"(\x \u12 \)") == R"(\x \u12 \)");
}

TEST_CASE("places in what a text says are places in the text") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Plants plants(seed);
    std::string raw;
    for (std::size_t i = 0; i < 40; ++i) {
      raw += plants.one_of({"a",
                            "bc",
                            "\\n",
                            "\\\"",
                            "\\u0041",
                            "\\u20ac",
                            "\\ud83d\\ude00",
                            "\\q",
                            "\\ud800",
                            "\xE2\x82\xAC",
                            "\\u1",
                            "\\\\"});
    }
    std::string text = unescaped(raw);
    std::size_t begin = plants.below(text.size());
    std::size_t end = begin + 1 + plants.below(text.size() - begin);
    std::vector<Finding> findings{{0, begin, end}};
    map_to_source(raw, findings);
    std::string_view part =
        std::string_view(raw).substr(findings[0].begin, findings[0].end - findings[0].begin);
    // Whole escapes around it, and no more than that.
    CHECK(unescaped(part).find(text.substr(begin, end - begin)) != std::string::npos);
    CHECK(unescaped(raw.substr(0, findings[0].begin)).size() <= begin);
    CHECK(unescaped(raw.substr(0, findings[0].begin)).size() + 4 > begin);
    CHECK(unescaped(part).size() < end - begin + 8);
  }
}

TEST_CASE("the strings of a JSON text, and under which key they are") {
  std::string text = R"({"a":"1","b":["2",{"c":"\"3\\"},"4"],"d":{"e":5},"f":"6"} {"g":"7)";
  JsonStrings strings(text);
  JsonString one;
  std::string seen;
  while (strings.next(one)) {
    seen += one.is_key
                ? std::string()
                : std::string(one.key) + "=" + text.substr(one.begin, one.end - one.begin) + " ";
  }
  CHECK(strings.is_json());
  CHECK(seen == R"(a=1 b=2 c=\"3\\ b=4 f=6 g=7 )");
  for (std::string_view no : {"", "words", "{ words }", "[1,\x01]", "12", "{\"a\":undefined}"}) {
    JsonStrings none(no);
    while (none.next(one)) {
    }
    CHECK_MESSAGE(!none.is_json(), no);
  }
}
