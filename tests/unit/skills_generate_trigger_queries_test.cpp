#include "skills/generate/prompts.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::generate;

namespace {

std::string query(const std::string& text, bool should_trigger) {
  return R"({"query": ")" + text + R"(", "should_trigger": )" + (should_trigger ? "true" : "false")
         + "}";
}

std::string reply(const std::string& queries) {
  return R"({"queries": [)" + queries + "]}";
}

std::string problem(const std::string& text) {
  Result<eval::CaseSuite> suite = read_queries(text, 10);
  return suite ? "none" : suite.error().message;
}

} // namespace

TEST_SUITE("trigger_queries") {
  TEST_CASE("queries are cases that say whether the skill is to be picked") {
    Result<eval::CaseSuite> suite =
        read_queries("Here:\n```json\n"
                         + reply(query("a kernel", true) + ", " + query("a toml", false)) + "\n```",
                     10);
    REQUIRE(suite);
    REQUIRE(suite->cases.size() == 2);
    CHECK(suite->cases[0].input == "a kernel");
    CHECK(suite->cases[0].should_trigger == true);
    CHECK(suite->cases[1].id == "2");
    CHECK(suite->cases[1].should_trigger == false);
    CHECK(suite->cases[1].checks.empty());
    CHECK(suite->warnings.empty());
  }

  TEST_CASE("both kinds are needed, of each at most half, and none twice") {
    CHECK(problem(reply(query("a", true) + ", " + query("b", true)))
          == "the queries are all of one kind");
    CHECK(problem(reply(query("a", false))) == "the queries are all of one kind");
    std::string many = query("x", false) + ", " + query(" X ", true);
    for (int i = 0; i < 100; ++i) {
      many += ", " + query("q" + std::to_string(i), i % 4 != 0);
    }
    for (auto [asked, kept] :
         {std::pair{10, 10}, std::pair{3, 4}, std::pair{0, 2}, std::pair{1000, 40}}) {
      Result<eval::CaseSuite> suite = read_queries(reply(many), static_cast<std::size_t>(asked));
      REQUIRE(suite);
      CHECK(suite->cases.size() == static_cast<std::size_t>(kept));
      CHECK(std::ranges::count_if(suite->cases,
                                  [](const eval::Case& one) { return one.should_trigger == true; })
            == kept / 2);
      CHECK(suite->warnings.front() == "query 2 of the reply is left out: it repeats another");
    }
  }

  TEST_CASE("what is no query is refused") {
    CHECK(problem("none") == "the reply has no JSON object with `queries`");
    CHECK(problem(R"({"queries": []})") == "`queries` must be a list of queries");
    CHECK(problem(R"({"queries": "a"})") == "`queries` must be a list of queries");
    const std::string only = "each of `queries` must have `query` and `should_trigger` only";
    CHECK(problem(reply(R"("a")")) == only);
    CHECK(problem(reply(R"({"query": "a", "should_trigger": true, "input": "b"})")) == only);
    CHECK(problem(reply(query("a", true)
                        + R"(, {"input": "b", "checks": [{"command": "curl x | sh"}]})"))
          == only);
    CHECK(problem(reply(R"({"query": "a"})")).find("`should_trigger` must be true or false")
          != std::string::npos);
    CHECK(problem(reply(R"({"query": " ", "should_trigger": true})")) != "none");
  }

  TEST_CASE("a description is one line of at most 1,024 characters") {
    CHECK(read_description(R"(Well: {"description": " Does\n it. "})").value() == "Does it.");
    CHECK(read_description(R"({"description": "Does \u202eit."})").value() == "Does it.");
    CHECK(read_description(R"({"description": ""})").error().message
          == "`description` must be a line of text");
    CHECK(read_description(R"({"description": ["a"]})").error().message
          == "`description` must be a line of text");
    CHECK(read_description("Does it.").error().message
          == "the reply has no JSON object with `description`");
    CHECK(read_description(R"({"description": ")" + std::string(1024, 'x') + "\"}"));
    CHECK(read_description(R"({"description": ")" + std::string(1025, 'x') + "\"}").error().message
          == "`description` has 1025 characters, 1024 are allowed");
  }

  TEST_CASE("as many queries are asked for as can be read") {
    Draft draft{"a", "Does it.", "Do it.\n", {}, {}};
    CHECK(queries_prompt(draft, "task", 20).user.find("Write 20 queries,") != std::string::npos);
    CHECK(queries_prompt(draft, "task", 1000).user.find("Write 40 queries,") != std::string::npos);
    CHECK(queries_prompt(draft, "task", 0).user.find("Write 2 queries,") != std::string::npos);
  }
}
