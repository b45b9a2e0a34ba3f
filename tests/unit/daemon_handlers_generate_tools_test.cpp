#include "daemon/handlers/generate_tools.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;

namespace {

const std::string k_search =
    R"({"name": "search", "description": "Finds.", "inputSchema": {"type": "object"}})";
const std::string k_fetch = R"({"name": "fetch"})";

Result<std::vector<generate::ToolSchema>> read(const std::string& text,
                                               const std::string& rest = {}) {
  tests::TemporaryFolder folder;
  tests::put_file(folder / "tools.json", text);
  return read_tools("tools.json" + rest, folder.path());
}

ErrorCode problem_of(const std::string& text, const std::string& rest = {}) {
  Result<std::vector<generate::ToolSchema>> tools = read(text, rest);
  REQUIRE_FALSE(tools);
  return tools.error().code;
}

} // namespace

TEST_SUITE("generate_tools") {
  TEST_CASE("what tools/list answers, a list, or one tool") {
    for (const std::string& text : {R"({"tools": [)" + k_search + ", " + k_fetch + R"(], "x": 1})",
                                    "\n [" + k_search + ", " + k_fetch + "]"}) {
      auto tools = read(text);
      REQUIRE(tools);
      REQUIRE(tools->size() == 2);
      CHECK(tools->at(0) == generate::ToolSchema{"search", "Finds.", R"({"type": "object"})"});
      CHECK(tools->at(1).name == "fetch");
      auto one = read(text, "#fetch");
      REQUIRE(one);
      REQUIRE(one->size() == 1);
      CHECK(one->at(0).name == "fetch");
    }
    auto single = read(k_search);
    REQUIRE(single);
    CHECK(single->size() == 1);
  }

  TEST_CASE("one tool may take `tools`") {
    auto tools =
        read(R"({"name": "run", "inputSchema": {"properties": {"tools": {"type": "array"}}}})");
    REQUIRE(tools);
    REQUIRE(tools->size() == 1);
    CHECK(tools->at(0).name == "run");
  }

  TEST_CASE("what is not there is said so") {
    CHECK(problem_of("[" + k_search + "]", "#fetch") == ErrorCode::not_found);
    CHECK(problem_of("[]") == ErrorCode::not_found);
    CHECK_FALSE(read_tools("/no/such/file", "/"));
    CHECK_FALSE(read_tools("#search", "/"));
  }

  TEST_CASE("what is hostile is an error") {
    for (const char* text : {"",
                             "{",
                             "7",
                             "null",
                             R"({"tools": 7})",
                             R"({"tools": [7]})",
                             R"([{"name": 7}])",
                             R"({"tools": [{"description": "x"}]})",
                             "[]], \"tools\": [",
                             "\xFF\xFE"}) {
      CAPTURE(text);
      CHECK(problem_of(text) == ErrorCode::invalid_argument);
    }
    std::string many = k_fetch;
    for (int i = 0; i < 20; ++i) {
      many += ", " + k_fetch;
    }
    CHECK(problem_of("[" + many + "]") == ErrorCode::invalid_argument);
    CHECK(problem_of("[" + std::string(1u << 20, ' ') + "]") == ErrorCode::too_large);
  }
}
