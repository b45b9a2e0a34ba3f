#include "daemon/await.h"
#include "daemon/fetch/mcp_client.h"
#include "daemon/fetch/mcp_fetch.h"
#include "protocol/base/hash.h"
#include "tests/support/http_messages.h"
#include "tests/unit/daemon_fetch_git_world.h"
#include "tests/unit/daemon_models_server.h"

#include <nlohmann/json.hpp>

using namespace fetch_git_test;
using models_test::reply;
using nlohmann::json;

namespace {

using Names = std::vector<std::string>;

struct McpWorld : World {
  asio::awaitable<void> looked_at(install::Source source, Result<Offer>* into) {
    AWAIT(
        *into,
        look_at_server(http, folder.path() + "/scratch", std::move(source), setting(), pool.of(1)));
  }

  Result<Offer> ask(const std::string& address, const std::vector<std::string>& skills = {}) {
    install::Source source;
    source.kind = install::SourceKind::mcp;
    source.name = address;
    source.address = address;
    source.skills = skills;
    Result<Offer> offer = fail(ErrorCode::internal, "not asked");
    run(looked_at(std::move(source), &offer));
    return offer;
  }

  asio::awaitable<void> brought(Offer* offer, std::size_t which, Result<void>* into) {
    AWAIT(*into, bring_from_server(http, *offer, which, setting(), pool.of(1)));
  }

  Result<void> bring(Offer& offer, std::size_t which = 0) {
    Result<void> done = fail(ErrorCode::internal, "not asked");
    run(brought(&offer, which, &done));
    return done;
  }
};

// A server that says what was prepared for it, one answer after the other.
struct Scripted : McpWorld {
  ~Scripted() {
    run(server.stop());
    CHECK(server.replies.empty());
  }

  // A result of this id.
  void says(int id, const json& result, const std::string& head = {}) {
    const json message{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
    server.replies.push_back(
        reply("200 OK", message.dump(), "content-type: application/json\r\n" + head));
  }

  void refuses(int id, int code) {
    const json message{
        {"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", "no"}}}};
    server.replies.push_back(reply("200 OK", message.dump(), "content-type: application/json\r\n"));
  }

  void discovers(bool has_skills = true) {
    json capabilities{{"resources", json::object()}};
    if (has_skills) {
      capabilities["extensions"]["io.modelcontextprotocol/skills"] = json::object();
    }
    says(1,
         {{"resultType", "complete"},
          {"supportedVersions", {"2026-07-28"}},
          {"capabilities", capabilities}});
  }

  static json file(const std::string& uri, const std::string& bytes) {
    return {{"uri", uri}, {"digest", "sha256:" + sha256(bytes).hex()}, {"size", bytes.size()}};
  }

  json entry(const json& resources) const {
    return {{"uri", "skill://acme/pdf/SKILL.md"},
            {"frontmatter", {{"name", "pdf"}, {"description", "d"}}},
            {"resources", resources}};
  }

  json good_entry() const {
    return entry(
        {file("skill://acme/pdf/SKILL.md", document), file("skill://acme/pdf/a%20b/c", "bytes")});
  }

  void lists(const json& skills) { says(2, {{"skills", skills}}); }

  static json content(const std::string& uri, const std::string& text) {
    return {{"contents", json::array({{{"uri", uri}, {"text", text}}})}};
  }

  // The offer of a server with this one skill.
  Result<Offer> offer_of(const json& skill) {
    discovers();
    lists(json::array({skill}));
    return ask(server.url());
  }

  const std::string document = "---\nname: pdf\ndescription: d\n---\nDo it.\n";
  models_test::Server server{io};
};

} // namespace

TEST_SUITE("look_at_server") {
  TEST_CASE("our own daemon, with its token") {
    McpWorld world;
    const std::string home = world.folder / "served";
    std::filesystem::create_directories(home + "/.agents/skills/pdf/data");
    std::filesystem::create_directories(home + "/.agents/skills/xlsx");
    std::filesystem::create_directories(home + "/.codex"); // an agent that reads them
    tests::put_file(home + "/.agents/skills/pdf/SKILL.md",
                    "---\nname: pdf\ndescription: Reads PDF.\n---\n");
    tests::put_file(home + "/.agents/skills/pdf/data/b", std::string("\0\xff\n", 3));
    tests::put_file(home + "/.agents/skills/xlsx/SKILL.md",
                    "---\nname: xlsx\ndescription: Sheets.\n---\n");
    tests::DaemonProcess daemon(home, tests::with_http());
    const tests::HttpPlace place = tests::http_place(home);
    const std::string where = "127.0.0.1:" + std::to_string(place.port);
    Result<Offer> refused = world.ask(place.url);
    CHECK(refused.error().code == ErrorCode::permission);
    CHECK(refused.error().hint.find(where) != std::string::npos);
    world.environment = {{"UPSKILL_MCP_TOKENS", "other:1=x " + where + "=" + place.token}};
    Result<Offer> offer = world.ask(place.url);
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    REQUIRE(names_of(*offer) == Names{"pdf", "xlsx"});
    CHECK(offer->skills[0].description == "Reads PDF.");
    CHECK(offer->skills[0].digest.starts_with("sha256:"));
    CHECK(offer->skills[0].folder.empty());
    Result<void> done = world.bring(*offer, 0);
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    CHECK(tests::file_text(offer->skills[0].folder + "/data/b") == std::string("\0\xff\n", 3));
    CHECK(tests::file_text(offer->skills[0].folder + "/SKILL.md")
          == "---\nname: pdf\ndescription: Reads PDF.\n---\n");
    // One of them by its address.
    Result<Offer> one = world.ask(place.url, {offer->skills[1].from});
    REQUIRE(one);
    CHECK(names_of(*one) == Names{"xlsx"});
    CHECK(one->skills[0].digest == offer->skills[1].digest);
    CHECK(world.ask(place.url, {"skill://none/SKILL.md"}).error().code == ErrorCode::not_found);
    // It has changed since: what was listed is not what would come.
    tests::put_file(home + "/.agents/skills/xlsx/SKILL.md",
                    "---\nname: xlsx\ndescription: Other.\n---\n");
    auto is_told = [&] { return world.bring(*one).error().code == ErrorCode::changed; };
    CHECK(tests::becomes_true(is_told));
  }

  TEST_CASE("pages, and addresses that are encoded") {
    Scripted world;
    world.discovers();
    world.says(2, {{"skills", json::array({world.good_entry()})}, {"nextCursor", "n"}});
    world.says(3, {{"skills", json::array()}});
    Result<Offer> offer = world.ask(world.server.url());
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    REQUIRE(names_of(*offer) == Names{"pdf"});
    CHECK(world.server.requests.at(2).find("\"cursor\":\"n\"") != std::string::npos);
    CHECK(world.server.requests.at(1).find("mcp-method: skills/list") != std::string::npos);
    world.discovers();
    world.says(2, {{"skill", world.good_entry()}});
    world.says(3, Scripted::content("skill://acme/pdf/SKILL.md", world.document));
    world.says(
        4,
        {{"contents", json::array({{{"uri", "skill://acme/pdf/a%20b/c"}, {"blob", "Ynl0ZXM="}}})}});
    Result<void> done = world.bring(*offer);
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    CHECK(tests::file_text(offer->skills[0].folder + "/a b/c") == "bytes");
    CHECK(world.server.requests.back().find("mcp-name: skill://acme/pdf/a%20b/c\r\n")
          != std::string::npos);
  }

  TEST_CASE("an older server is asked for a session, and answers as a stream") {
    Scripted world;
    world.server.replies.push_back(reply("404 Not Found", "what?"));
    const json hello{
        {"jsonrpc", "2.0"},
        {"id", 2},
        {"result",
         {{"protocolVersion", "2025-06-18"}, {"capabilities", {{"resources", json::object()}}}}}};
    world.server.replies.push_back(
        reply("200 OK",
              ": hello\n\nevent: message\ndata: " + hello.dump() + "\n\n",
              "content-type: text/event-stream\r\n"
              "mcp-session-id: the-session\r\n"));
    world.server.replies.push_back(reply("202 Accepted", ""));
    world.says(3,
               {{"resources",
                 {{{"uri", "skill://pdf/SKILL.md"}, {"name", "x"}, {"description", "d"}},
                  {{"uri", "file:///etc/passwd"}, {"name", "passwd"}},
                  {{"uri", "skill://pdf/other.md"}, {"name", "y"}}}}});
    Result<Offer> offer = world.ask(world.server.url());
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    REQUIRE(names_of(*offer) == Names{"pdf"});
    CHECK(offer->skills[0].digest.empty());
    CHECK(offer->warnings
          == Names{"of `pdf` the server sends the SKILL.md alone, without a digest"});
    const std::string& asked = world.server.requests.back();
    CHECK(asked.find("mcp-session-id: the-session\r\n") != std::string::npos);
    CHECK(asked.find("mcp-protocol-version: 2025-06-18\r\n") != std::string::npos);
    CHECK(asked.find("_meta") == std::string::npos);
    for (const std::string& request : world.server.requests) {
      CHECK(request.find("tools/") == std::string::npos);
    }
  }

  TEST_CASE("what is no MCP server") {
    Scripted world;
    world.server.replies = {reply("200 OK", "<html>"), reply("200 OK", "<html>")};
    CHECK(world.ask(world.server.url()).error().code == ErrorCode::unsupported);
    world.server.replies = {reply("401 Who", "")};
    CHECK(world.ask(world.server.url()).error().code == ErrorCode::permission);
    world.refuses(1, -32601);
    world.says(2, {{"protocolVersion", "2099-01-01"}, {"capabilities", json::object()}});
    CHECK(world.ask(world.server.url()).error().code == ErrorCode::unsupported);
    world.says(1, {{"resultType", "complete"}, {"supportedVersions", {"2026-07-28"}}});
    CHECK(world.ask(world.server.url()).error().code == ErrorCode::not_found);
  }

  TEST_CASE("an address that others name is not that of this machine") {
    Scripted world;
    world.asked_with.by = NamedBy::other;
    CHECK(world.ask(world.server.url()).error().code == ErrorCode::refused);
    CHECK(world.server.requests.empty());
  }

  TEST_CASE("entries that are meant badly are left out, each with its reason") {
    Scripted world;
    const std::string root = "skill://acme/pdf/";
    const json main = Scripted::file(root + "SKILL.md", "x");
    json many = json::array();
    for (int i = 0; i < 513; ++i) {
      many.push_back(Scripted::file(root + "f" + std::to_string(i), "x"));
    }
    json large = Scripted::file(root + "large", "x");
    large["size"] = (16 << 20) + 1;
    json negative = large;
    negative["size"] = -1;
    json no_digest = Scripted::file(root + "a", "x");
    no_digest["digest"] = "sha256:12";
    for (const json& resources :
         {json::array({main, Scripted::file("skill://acme/other/x", "x")}),
          json::array({main, Scripted::file(root + "../x", "x")}),
          json::array({main, Scripted::file(root + "a/%2e%2e/%2E./x", "x")}),
          json::array({main, Scripted::file(root + "a%2fb", "x")}),
          json::array({main, Scripted::file(root + "a%00", "x")}),
          json::array({main, Scripted::file(root + "a//b", "x")}),
          json::array({main, Scripted::file(root + "%zz", "x")}),
          json::array({main, Scripted::file("skill://acme/pdf", "x")}),
          json::array({main, main}),
          json::array({Scripted::file(root + "a", "x")}),
          json::array({main, large}),
          json::array({main, negative}),
          json::array({main, no_digest}),
          json::array({main, 7}),
          many,
          json("static"),
          json()}) {
      CAPTURE(resources.dump().substr(0, 300));
      Result<Offer> offer = world.offer_of(world.entry(resources));
      CHECK(offer.error().code == ErrorCode::not_found);
      CHECK_FALSE(offer.error().hint.empty());
      CHECK(world.is_clean());
    }
    CHECK_FALSE(world.offer_of(json(7)));
    CHECK_FALSE(world.offer_of({{"uri", "skill://SKILL.md"}}));
  }

  TEST_CASE("what a server says of a skill is one line, and bounded") {
    Scripted world;
    json skill = world.good_entry();
    skill["frontmatter"]["name"] = "pdf\x1b[2J" + std::string(100'000, 'x');
    skill["frontmatter"]["description"] = "one\ntwo\u202e" + std::string(100'000, 'x');
    Result<Offer> offer = world.offer_of(skill);
    REQUIRE_MESSAGE(offer.has_value(), message_of(offer));
    CHECK(offer->skills[0].name == "pdf [2J" + std::string(249, 'x'));
    CHECK(offer->skills[0].description == "one two " + std::string(4088, 'x'));
  }

  TEST_CASE("bytes that are not those of the digest, and documents that say something else") {
    Scripted world;
    Result<Offer> offer = world.offer_of(world.good_entry());
    REQUIRE(offer);
    // What it complains about, with its kind.
    auto bring = [&](const json& entry, const json& first) {
      world.discovers();
      world.says(2, {{"skill", entry}});
      if (!first.is_null()) {
        world.says(3, first);
      }
      const Error error = world.bring(*offer).error();
      return std::string(to_string(error.code)) + ": " + error.message;
    };
    const std::string uri = "skill://acme/pdf/SKILL.md";
    const std::string corrupt(to_string(ErrorCode::corrupt));
    std::string same_size = world.document;
    same_size.back() = ' ';
    for (const std::string& bytes : {world.document + "x", same_size}) {
      CHECK(bring(world.good_entry(), Scripted::content(uri, bytes))
            == corrupt + ": `" + uri + "` is not what the server's digest says");
    }
    CHECK(bring(world.good_entry(), Scripted::content(uri + "x", world.document))
          == corrupt + ": the server did not send `" + uri + "` alone");
    CHECK(bring(world.good_entry(), {{"contents", json::array()}})
          == corrupt + ": the server did not send `" + uri + "` alone");
    CHECK(bring(world.good_entry(), {{"resultType", "input_required"}})
              .starts_with(to_string(ErrorCode::unsupported)));
    json changed = world.good_entry();
    changed["resources"][1]["digest"] = "sha256:" + sha256("other").hex();
    CHECK(bring(changed, json())
          == std::string(to_string(ErrorCode::changed)) + ": `" + uri
                 + "` has changed since it was listed");
    CHECK(offer->skills[0].folder.empty());
    // Listed as something that the document, rightly digested, does not say.
    json other = world.good_entry();
    other["frontmatter"]["description"] = "harmless";
    CHECK(bring(other, Scripted::content(uri, world.document))
          == corrupt + ": the server lists `" + uri
                 + "` by another name or description than its SKILL.md has");
  }
}

TEST_SUITE("token_for") {
  TEST_CASE("a token is for its host and port alone") {
    CHECK(token_for("a:1=x b:2=y=z", "b:2") == "y=z");
    CHECK(token_for("a:1=x", "a:12").empty());
    CHECK(token_for("a:1=x", "a").empty());
    CHECK(token_for("  a:1=x", "a:1") == "x");
    CHECK(token_for("", "a:1").empty());
    CHECK(token_for("a:1", "a:1").empty());
  }
}
