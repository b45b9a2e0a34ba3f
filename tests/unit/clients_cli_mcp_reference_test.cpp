#include "clients/cli/mcp_reference.h"
#include "protocol/http/head.h"
#include "protocol/http/said.h"
#include "protocol/http/status.h"
#include "protocol/mcp/output.h"
#include "protocol/mcp/requests.h"
#include "protocol/prompts.h"
#include "protocol/rpc/message.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

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

// `Expect` of "`Expect: 100-continue`".
std::string field_of(std::string_view cell) {
  return std::string(cell.substr(1, cell.find_first_of(":`", 1) - 1));
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

  TEST_CASE("shows every prompt and kind of failure once") {
    const std::string text = mcp_reference();
    for (const PromptInfo& prompt : k_prompts) {
      CHECK(has(text, "\n### " + std::string(prompt.name) + "\n"));
    }
    std::size_t kinds = static_cast<std::size_t>(ErrorCode::internal) + 1;
    CHECK(mcp_failures().size() == kinds);
    for (std::size_t i = 0; i < kinds; ++i) {
      CHECK(mcp_failures()[i].code == static_cast<ErrorCode>(i));
    }
  }

  TEST_CASE("has exactly the codes of errors, with the statuses that they have over HTTP") {
    std::set<int> codes(rpc::k_error_codes.begin(), rpc::k_error_codes.end());
    codes.insert(mcp::k_error_codes.begin(), mcp::k_error_codes.end());
    std::set<int> shown;
    for (const McpError& error : mcp_errors()) {
      CAPTURE(error.code);
      CHECK(shown.insert(error.code).second);
      CHECK(error.http_status
            == http::status_of(mcp::Era::modern, {http::Said::Kind::error, error.code}));
    }
    CHECK(shown == codes);
  }

  TEST_CASE("has exactly the notifications that are sent and read") {
    using Named = std::set<std::pair<std::string_view, bool>>; // name, whether the server sends it
    Named named;
    for (std::string_view name : mcp::k_sent_notifications) {
      named.emplace(name, true);
    }
    for (std::string_view name : mcp::k_read_notifications) {
      named.emplace(name, false);
    }
    Named shown;
    for (const McpNotification& one : mcp_notifications()) {
      CAPTURE(one.name);
      CHECK(shown.emplace(one.name, one.from_server).second);
    }
    CHECK(shown == named);
  }

  TEST_CASE("has exactly the statuses that are sent, each with a reason phrase") {
    std::set<std::string> statuses;
    for (int status = 0; status < 1000; ++status) {
      if (!http::reason_of(status).empty()) {
        statuses.insert(std::to_string(status));
      }
    }
    std::set<std::string> shown;
    for (const McpRow& row : http_statuses()) {
      CHECK(shown.emplace(row.name).second);
    }
    CHECK(shown == statuses);
  }

  TEST_CASE("has exactly the HTTP headers that are read and sent") {
    std::set<std::string> names(http::k_field_names.begin(), http::k_field_names.end());
    names.insert(std::string(http::k_parameter_field) + "*");
    std::set<std::string> shown;
    for (const McpRow& row : http_headers()) {
      CAPTURE(row.name);
      CHECK(shown.insert(field_of(row.name)).second);
    }
    CHECK(shown == names);
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
