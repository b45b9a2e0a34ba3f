#include "clients/cli/mcp_reference.h"
#include "protocol/mcp/requests.h"
#include "protocol/prompts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace upskill;
using namespace upskill::cli;

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

McpEra era_of(mcp::Spoken spoken) {
  return spoken == mcp::Spoken::both     ? McpEra::both
         : spoken == mcp::Spoken::legacy ? McpEra::legacy
                                         : McpEra::modern;
}

} // namespace

TEST_SUITE("mcp reference") {
  TEST_CASE("has exactly the methods that are answered, in their eras") {
    for (const mcp::Request& request : mcp::requests()) {
      CAPTURE(request.method);
      auto row = std::ranges::find(mcp_methods(), request.method, &McpMethod::name);
      REQUIRE(row != mcp_methods().end());
      CHECK(row->era == era_of(request.spoken));
      // What belongs to no part is there without a capability, but for the tools, which are always.
      bool is_of_part = request.part != mcp::Part::always;
      CHECK((!is_of_part || !row->capability.empty()));
    }
    for (const McpMethod& method : mcp_methods()) {
      CAPTURE(method.name);
      CHECK(mcp::find_request(method.name) != nullptr);
    }
  }

  TEST_CASE("shows every tool for agents, and no other method as one") {
    const std::string text = mcp_reference();
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      bool is_shown = has(text, "\n### " + std::string(method.name) + "\n");
      CHECK(is_shown == (method.audience == Audience::agents));
    }
    CHECK(has(text, "`destructiveHint` true"));
    CHECK(has(text, "| `skills[].description` | string | always |"));
  }

  TEST_CASE("shows every prompt, kind of failure, and code once") {
    const std::string text = mcp_reference();
    for (const PromptInfo& prompt : k_prompts) {
      CHECK(has(text, "\n### " + std::string(prompt.name) + "\n"));
    }
    std::size_t kinds = static_cast<std::size_t>(ErrorCode::internal) + 1;
    CHECK(mcp_failures().size() == kinds);
    for (std::size_t i = 0; i < kinds; ++i) {
      CHECK(mcp_failures()[i].code == static_cast<ErrorCode>(i));
    }
    std::set<int> codes;
    for (const McpError& error : mcp_errors()) {
      CHECK(codes.insert(error.code).second);
      CHECK(has(text, "\n| " + std::to_string(error.code) + " | "));
    }
  }

  TEST_CASE("is made of tables whose rows have as many cells as their heads") {
    const std::string text = mcp_reference();
    std::ptrdiff_t bars = 0;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      at = end + 1;
      CAPTURE(line);
      if (!line.starts_with('|')) {
        bars = 0;
        continue;
      }
      std::ptrdiff_t count = std::ranges::count(line, '|');
      for (std::size_t i = 0; (i = line.find("\\|", i)) != std::string::npos; ++i) {
        --count;
      }
      CHECK((bars == 0 || bars == count));
      bars = count;
    }
  }
}
