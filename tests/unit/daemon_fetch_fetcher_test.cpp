#include "tests/unit/daemon_fetch_world.h"
#include "tests/unit/skills_install_archives.h"

#include <filesystem>

using namespace fetch_test;
using install::SourceKind;

namespace {

std::string document(const std::string& name) {
  return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\nText.\n";
}

std::string zipped(const std::string& folder, const std::string& name) {
  return install_test::zip(
      {{.name = folder + "SKILL.md", .bytes = document(name)},
       {.name = folder + "scripts/run", .bytes = "#!/bin/sh\n", .mode = S_IFREG | 0755}});
}

std::string digest_of(const std::string& bytes) {
  return "sha256:" + sha256(bytes).hex();
}

install::Source source(SourceKind kind, const std::string& address) {
  return {.kind = kind, .name = address, .address = address};
}

Result<Offer> look(World& world, install::Source source) {
  return world.run(world.fetcher.look(std::move(source), world.setting, world.pool.of(0)));
}

// Looks, and brings all that is offered.
struct Brought {
  Result<Offer> offer;
  std::vector<Result<void>> results;
};

asio::awaitable<Result<void>>
look_and_bring(World* world, install::Source source, Brought* into, int times) {
  AWAIT(into->offer, world->fetcher.look(std::move(source), world->setting, world->pool.of(0)));
  CO_TRY(into->offer);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < into->offer->skills.size(); ++i) {
    all.push_back(i);
  }
  for (int i = 0; i < times; ++i) {
    AWAIT(Result<std::vector<Result<void>>> results,
          world->fetcher.bring(*into->offer, all, world->setting, world->pool.of(0)));
    CO_TRY(results);
    into->results = *std::move(results);
  }
  co_return Result<void>();
}

Brought bring(World& world, install::Source source, int times = 1) {
  Brought brought;
  Result<void> done = world.run(look_and_bring(&world, std::move(source), &brought, times));
  if (!done && brought.offer) {
    brought.offer = fail(done.error());
  }
  return brought;
}

std::string index_of(const std::string& entries) {
  return "{\"skills\":[" + entries + "]}";
}

std::string entry(const std::string& name,
                  const std::string& type,
                  const std::string& url,
                  const std::string& digest) {
  return R"({"name":")" + name + R"(","type":")" + type + R"(","description":"d","url":")" + url
         + R"(","digest":")" + digest + "\"}";
}

std::size_t left_in(const std::string& folder) {
  auto begin = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin, {}));
}

#define REQUIRE_GOOD(result)                                                                       \
  REQUIRE_MESSAGE((result).has_value(), ((result) ? "" : (result).error().message))

} // namespace

TEST_SUITE("Fetcher") {
  TEST_CASE("a folder, read where it lies") {
    World world;
    test::write(world.folder / "repo/skills/a/SKILL.md", document("a"));
    test::write(world.folder / "repo/skills/b/SKILL.md", document("b"));
    Result<Offer> offer = look(world, source(SourceKind::folder, world.folder / "repo"));
    REQUIRE_GOOD(offer);
    REQUIRE(offer->skills.size() == 2);
    CHECK(offer->skills[0].name == "a");
    CHECK(offer->skills[0].description == "Does a.");
    CHECK(offer->skills[0].from == "skills/a");
    CHECK(offer->skills[0].folder == world.folder / "repo/skills/a");
    CHECK_FALSE(offer->fetched);
  }

  TEST_CASE("a folder without a skill, and none") {
    World world;
    std::filesystem::create_directories(world.folder / "empty");
    Result<Offer> empty = look(world, source(SourceKind::folder, world.folder / "empty"));
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == ErrorCode::not_found);
    World other;
    CHECK_FALSE(look(other, source(SourceKind::folder, other.folder / "missing")));
  }

  TEST_CASE("an archive of this machine, gone with its offer") {
    for (const std::string& folder : {"", "pdf/"}) {
      World world;
      test::write(world.folder / "elsewhere/pdf.skill", zipped(folder, "pdf"));
      std::filesystem::create_directories(world.folder / "scratch");
      Fetcher fetcher(world.server_world.http, world.folder / "scratch");
      Result<Offer> offer =
          world.run(fetcher.look(source(SourceKind::archive, world.folder / "elsewhere/pdf.skill"),
                                 world.setting,
                                 world.pool.of(0)));
      REQUIRE_GOOD(offer);
      REQUIRE(offer->skills.size() == 1);
      CHECK(offer->skills[0].name == "pdf");
      CHECK(offer->skills[0].from.empty());
      CHECK(test::read(offer->skills[0].folder + "/SKILL.md") == document("pdf"));
      CHECK(left_in(world.folder / "scratch") == 1);
      offer = fail(ErrorCode::internal, "gone");
      CHECK(left_in(world.folder / "scratch") == 0);
    }
  }

  TEST_CASE("a repository as an archive, and a folder within it") {
    World world;
    test::write(world.folder / "repo.tar.gz",
                install_test::gzip(install_test::tar(
                    {{.name = "repo-main/skills/a/SKILL.md", .bytes = document("a")},
                     {.name = "repo-main/skills/b/SKILL.md", .bytes = document("b")}})));
    install::Source within = source(SourceKind::archive, world.folder / "repo.tar.gz");
    within.folder = "skills/b";
    Result<Offer> offer = look(world, within);
    REQUIRE_GOOD(offer);
    REQUIRE(offer->skills.size() == 1);
    CHECK(offer->skills[0].name == "b");
    CHECK(offer->skills[0].from == "skills/b");
  }

  TEST_CASE("a bad archive leaves nothing") {
    World world;
    std::filesystem::create_directories(world.folder / "scratch");
    test::write(world.folder / "bad.zip",
                install_test::zip({{.name = "SKILL.md", .bytes = document("a")},
                                   {.name = "../out", .bytes = "x"}}));
    Fetcher fetcher(world.server_world.http, world.folder / "scratch");
    Result<Offer> offer = world.run(fetcher.look(
        source(SourceKind::archive, world.folder / "bad.zip"), world.setting, world.pool.of(0)));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::refused);
    CHECK(left_in(world.folder / "scratch") == 0);
  }

  TEST_CASE("a document of this machine") {
    World world;
    test::write(world.folder / "pdf/SKILL.md", document("pdf"));
    test::write(world.folder / "pdf/private", "not asked for");
    Result<Offer> offer = look(world, source(SourceKind::document, world.folder / "pdf/SKILL.md"));
    REQUIRE_GOOD(offer);
    REQUIRE(offer->skills.size() == 1);
    CHECK(offer->skills[0].name == "pdf");
    CHECK(test::read(offer->skills[0].folder + "/SKILL.md") == document("pdf"));
    CHECK(left_in(offer->skills[0].folder) == 1);
    CHECK(offer->warnings.size() == 1);
  }

  TEST_CASE("an archive and a document at an address") {
    World world;
    world.redirect("/cdn/1");
    world.answer("200 OK", zipped("", "pdf"));
    Result<Offer> offer = look(world, source(SourceKind::archive_at, world.url("/pdf.skill")));
    REQUIRE_GOOD(offer);
    REQUIRE(offer->skills.size() == 1);
    CHECK(offer->skills[0].name == "pdf");
    World other;
    other.answer("200 OK", document("pdf"));
    offer = look(other, source(SourceKind::document_at, other.url("/skills/pdf/SKILL.md")));
    REQUIRE_GOOD(offer);
    CHECK(test::read(offer->skills.at(0).folder + "/SKILL.md") == document("pdf"));
  }

  TEST_CASE("what is no skill at an address") {
    World page;
    page.answer("200 OK", "\n<!doctype html><title>Sign in</title>");
    Result<Offer> offer = look(page, source(SourceKind::document_at, page.url("/SKILL.md")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::corrupt);
    World missing;
    missing.answer("404 Not Found", "");
    offer = look(missing, source(SourceKind::archive_at, missing.url("/x.zip")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::not_found);
    World other;
    other.setting.by = NamedBy::other;
    offer = look(other, source(SourceKind::archive_at, other.url("/x.zip")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::refused);
  }

  TEST_CASE("a host with an index of 0.2") {
    World world;
    std::string archive = zipped("b/", "b");
    world.answer("200 OK",
                 index_of(entry("a", "skill-md", "a/SKILL.md", digest_of(document("a"))) + ","
                          + entry("b", "archive", "/b.zip", digest_of(archive)) + ",7"));
    world.server.at_path = {
        {"/.well-known/agent-skills/a/SKILL.md", reply("200 OK", document("a"))},
        {"/b.zip", reply("200 OK", archive)}};
    Brought brought = bring(world, source(SourceKind::well_known, world.url("")));
    REQUIRE_GOOD(brought.offer);
    const Offer& offer = *brought.offer;
    REQUIRE(offer.skills.size() == 2);
    CHECK(offer.warnings.size() == 1);
    CHECK(offer.skills[0].from == "a");
    CHECK(offer.skills[0].digest == digest_of(document("a")));
    REQUIRE(brought.results.size() == 2);
    for (const Result<void>& result : brought.results) {
      REQUIRE_GOOD(result);
    }
    CHECK(test::read(offer.skills[0].folder + "/SKILL.md") == document("a"));
    CHECK(test::read(offer.skills[1].folder + "/SKILL.md") == document("b"));
    CHECK(test::read(offer.skills[1].folder + "/scripts/run") == "#!/bin/sh\n");
    CHECK(world.server.requests.at(0).starts_with("GET /.well-known/agent-skills/index.json "));
    CHECK(world.asked() == 3);
  }

  TEST_CASE("a host with an index of 0.1 below its address") {
    World world;
    world.answer("404 Not Found", "");
    world.answer("200 OK",
                 index_of(R"({"name":"a","description":"d","files":["SKILL.md","refs/x.md"]})"));
    world.answer("200 OK", document("a"));
    world.answer("200 OK", "x");
    Brought brought = bring(world, source(SourceKind::well_known, world.url("/docs/")));
    REQUIRE_GOOD(brought.offer);
    REQUIRE(brought.results.size() == 1);
    REQUIRE_GOOD(brought.results[0]);
    CHECK(test::read(brought.offer->skills[0].folder + "/refs/x.md") == "x");
    CHECK(
        world.server.requests.at(0).starts_with("GET /docs/.well-known/agent-skills/index.json "));
    CHECK(world.server.requests.at(1).starts_with("GET /docs/.well-known/skills/index.json "));
    CHECK(world.server.requests.at(3).starts_with("GET /docs/.well-known/skills/a/refs/x.md "));
  }

  TEST_CASE("a digest that does not match is told in its place") {
    World world;
    std::string archive = zipped("", "b");
    world.answer("200 OK",
                 index_of(entry("a", "skill-md", "a", digest_of("something else")) + ","
                          + entry("b", "archive", "b", digest_of("something else")) + ","
                          + entry("c", "archive", "c", digest_of(archive))));
    const std::string below = "/.well-known/agent-skills/";
    world.server.at_path = {{below + "a", reply("200 OK", document("a"))},
                            {below + "b", reply("200 OK", archive)},
                            {below + "c", reply("200 OK", archive)}};
    Brought brought = bring(world, source(SourceKind::well_known, world.url("/")));
    REQUIRE(brought.results.size() == 3);
    for (std::size_t i : {0u, 1u}) {
      REQUIRE_FALSE(brought.results[i]);
      CHECK(brought.results[i].error().code == ErrorCode::corrupt);
      CHECK(brought.offer->skills[i].folder.empty());
    }
    CHECK(brought.results[2]);
  }

  TEST_CASE("what failed can be brought again") {
    World world;
    std::string archive = zipped("", "a");
    world.answer("200 OK", index_of(entry("a", "archive", "a", digest_of(archive))));
    world.answer("200 OK", archive.substr(0, 100));
    world.answer("200 OK", archive);
    Brought brought = bring(world, source(SourceKind::well_known, world.url("/")), 2);
    REQUIRE(brought.results.size() == 1);
    REQUIRE_GOOD(brought.results[0]);
    CHECK(test::read(brought.offer->skills[0].folder + "/SKILL.md") == document("a"));
  }

  TEST_CASE("an archive without a skill at its top") {
    World world;
    std::string archive = install_test::zip({{.name = "a/SKILL.md", .bytes = document("a")},
                                             {.name = "b/SKILL.md", .bytes = document("b")}});
    world.answer("200 OK", index_of(entry("a", "archive", "a", digest_of(archive))));
    world.answer("200 OK", archive);
    Brought brought = bring(world, source(SourceKind::well_known, world.url("/")));
    REQUIRE(brought.results.size() == 1);
    REQUIRE_FALSE(brought.results[0]);
    CHECK(brought.results[0].error().code == ErrorCode::corrupt);
  }

  TEST_CASE("an index does not lead to other hosts of this machine") {
    World world;
    std::string elsewhere = world.url_of("internal.example", "/SKILL.md");
    world.answer("200 OK",
                 index_of(entry("a", "skill-md", elsewhere, digest_of(document("a"))) + ","
                          + R"({"name":"m","type":"archive","url":"http://169.254.169.254/x"})"));
    Brought brought = bring(world, source(SourceKind::well_known, world.url("/")));
    REQUIRE(brought.results.size() == 2);
    for (const Result<void>& result : brought.results) {
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::refused);
    }
    CHECK(world.asked() == 1);
  }

  TEST_CASE("a host without an index") {
    World world;
    for (int i = 0; i < 4; ++i) {
      world.answer("404 Not Found", "");
    }
    Result<Offer> offer = look(world, source(SourceKind::well_known, world.url("/docs")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::not_found);
    CHECK(world.asked() == 4);
    World pages; // one for every address
    for (int i = 0; i < 2; ++i) {
      pages.answer("200 OK", "<!doctype html>");
    }
    offer = look(pages, source(SourceKind::well_known, pages.url("/")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::corrupt);
    World empty;
    empty.answer("200 OK", index_of(""));
    offer = look(empty, source(SourceKind::well_known, empty.url("/")));
    REQUIRE_FALSE(offer);
    CHECK(offer.error().code == ErrorCode::not_found);
  }

  TEST_CASE("what lies there need not be brought, and what is not offered cannot be") {
    World world;
    test::write(world.folder / "a/SKILL.md", document("a"));
    Brought brought = bring(world, source(SourceKind::folder, world.folder / "a"));
    REQUIRE_GOOD(brought.offer);
    REQUIRE(brought.results.size() == 1);
    CHECK(brought.results[0]);
    CHECK_FALSE(brought.offer->fetched);
    World other;
    Offer none;
    CHECK_FALSE(other.run(other.fetcher.bring(none, {0}, other.setting, other.pool.of(0))));
  }
}
