#include "protocol/catalog.h"
#include "protocol/mcp/base64.h"
#include "protocol/mcp/pages.h"
#include "protocol/mcp/requests.h"
#include "protocol/mcp/server_state.h"
#include "protocol/mcp/tools.h"
#include "protocol/mcp/uri.h"
#include "protocol/mcp/version.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace upskill;
using namespace upskill::mcp;
using Json = nlohmann::json;

TEST_SUITE("Base64") {
  TEST_CASE("the examples of RFC 4648, section 10") {
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("\xFF\xFE\xFD") == "//79");
    for (std::string_view bytes :
         {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xFF\xFE\xFD"}) {
      CHECK(from_base64(base64(bytes)) == bytes);
    }
    CHECK(from_base64("Zm9vYg==") == "foob");
    for (std::string_view bad :
         {"Z", "Zg", "Zg=", "Z===", "=Zg=", "Zg==Zg==", "Zm9v\n", "Z-_v", "Zm 9v"}) {
      CAPTURE(bad);
      CHECK_FALSE(from_base64(bad));
    }
  }
}

TEST_SUITE("Uri") {
  TEST_CASE("a scheme and something after it") {
    CHECK(is_uri("skill://review/SKILL.md"));
    CHECK(is_uri("upskill://job/7"));
    CHECK(is_uri("a:b"));
    CHECK(is_uri("x-y+z.1:%20"));
    for (const char* bad :
         {"", ":", "a:", ":b", "1a:b", "/etc/passwd", "a b:c", "a:b c", "a:b\n", "a:\x7F"}) {
      CAPTURE(bad);
      CHECK_FALSE(is_uri(bad));
    }
    CHECK_FALSE(is_uri(std::string("a:b\0c", 5)));
    CHECK(is_uri("a:" + std::string(4094, 'b')));
    CHECK_FALSE(is_uri("a:" + std::string(4095, 'b')));
  }
}

TEST_SUITE("Version") {
  TEST_CASE("the client's legacy version is agreed to, anything else becomes the newest") {
    for (const char* known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
      CHECK(name_of(negotiate(known)) == known);
    }
    for (const char* other : {"2026-07-28", "", "1", "2025-11-26", "DRAFT"}) {
      CHECK(name_of(negotiate(other)) == "2025-11-25");
    }
  }
}

TEST_SUITE("Tools") {
  TEST_CASE("each has what its revision knows, in schemas that say what they are") {
    for (std::size_t i = 0; i < k_version_names.size(); ++i) {
      auto version = static_cast<Version>(i);
      CAPTURE(name_of(version));
      auto pages = tool_pages(version, Audience::people, {}, "{}", 1000);
      REQUIRE(pages.size() == 1);
      CHECK(pages.front().find('\n') == std::string::npos);
      Json result = Json::parse(pages.front());
      CHECK(result["tools"].size() == catalog().size());
      CHECK(result.contains("resultType") == is_modern(version));
      CHECK(result.contains("ttlMs") == is_modern(version));
      for (const Json& tool : result["tools"]) {
        CAPTURE(tool["name"].get<std::string>());
        CHECK(tool["inputSchema"]["type"] == "object");
        CHECK(tool["inputSchema"]["additionalProperties"] == false);
        CHECK_FALSE(tool["description"].get<std::string>().empty());
        CHECK(tool.contains("annotations") == (version >= Version::v2025_03_26));
        CHECK(tool.contains("outputSchema") == (version >= Version::v2025_06_18));
        CHECK(tool.contains("title") == (version >= Version::v2025_06_18));
      }
    }
  }

  TEST_CASE("names suit every client's prefix") {
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(method.name.size() <= 40);
      CHECK(method.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")
            == std::string_view::npos);
    }
  }

  TEST_CASE("agents are not shown people's tools, but see what is theirs") {
    Json result = Json::parse(tool_pages(k_modern, Audience::agents, {}, "{}", 1000).front());
    CHECK(result["tools"].size() > 3);
    for (const Json& tool : result["tools"]) {
      CHECK(find_method(tool["name"].get<std::string>())->audience == Audience::agents);
    }
  }

  TEST_CASE("only cursors of ours are pages") {
    CHECK(page_from_cursor("") == 0);
    CHECK(page_from_cursor("page-3") == 3);
    for (const char* bad :
         {"3", "page-", "page--1", "page-3x", "page-99999999999999999999", "Page-1"}) {
      CAPTURE(bad);
      CHECK_FALSE(page_from_cursor(bad));
    }
  }
}

TEST_SUITE("Server") {
  TEST_CASE("what is declared has a handler") {
    ServerInfo info;
    info.version = "1";
    Server server(info);
    Json modern = Json::parse(server.state().discover())["capabilities"];
    Json legacy = Json::parse(server.state().initialize(k_newest_legacy))["capabilities"];
    for (const Json& capabilities : {modern, legacy}) {
      for (const auto& [name, value] : capabilities.items()) {
        CAPTURE(name);
        // The modern one has no request: `_meta` asks for it.
        std::string method = name == "logging" ? "logging/setLevel" : name + "/list";
        CHECK(find_request(method) != nullptr);
      }
      CHECK_FALSE(capabilities.contains("prompts"));
    }
    CHECK(modern.contains("logging"));
    CHECK(legacy.contains("logging"));
  }

  TEST_CASE("the instructions are short enough for every system prompt") {
    CHECK(default_instructions().size() < 600);
  }

  TEST_CASE("names and texts of its own are used") {
    ServerInfo info;
    info.name = "other";
    info.version = "9";
    info.description = "d";
    info.website_url = "https://example.org";
    info.instructions = "read this";
    Server server(info);
    Json result = Json::parse(server.state().initialize(Version::v2025_11_25));
    CHECK(result["serverInfo"]["name"] == "other");
    CHECK(result["serverInfo"]["websiteUrl"] == "https://example.org");
    CHECK(result["instructions"] == "read this");
    Json older = Json::parse(server.state().initialize(Version::v2025_06_18));
    CHECK_FALSE(older["serverInfo"].contains("description"));
  }
}
