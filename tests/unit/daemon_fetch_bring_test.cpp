#include "tests/unit/daemon_fetch_world.h"
#include "tests/unit/skills_install_archives.h"

#include <filesystem>
#include <numeric>

using namespace fetch_test;
using install::SourceKind;

namespace {

constexpr const char* k_index = "/.well-known/agent-skills/index.json";
constexpr const char* k_below = "/.well-known/agent-skills/";

std::string document(const std::string& name) {
  return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\nText.\n";
}

std::string entry(const std::string& name, const std::string& more) {
  return R"({"name":")" + name + R"(","description":"d",)" + more + "}";
}

std::string document_at(const std::string& url) {
  return R"("type":"skill-md","url":")" + url + "\"";
}

// A host with these skills.
struct Host : World {
  explicit Host(const std::vector<std::string>& entries) {
    std::string all;
    for (const std::string& one : entries) {
      all += (all.empty() ? "" : ",") + one;
    }
    server.at_path[k_index] = reply("200 OK", "{\"skills\":[" + all + "]}");
    std::filesystem::create_directories(folder / "scratch");
    setting.deadlines.total = std::chrono::seconds(10);
  }

  void publishes(const std::string& path, const std::string& body) {
    server.at_path[k_below + path] = reply("200 OK", body);
  }

  asio::awaitable<Result<void>> look(Result<Offer>* into) {
    install::Source source{.kind = SourceKind::well_known, .name = "host", .address = url("/")};
    AWAIT(*into, below_scratch.look(std::move(source), setting, pool.of(0)));
    CO_TRY(*into);
    co_return Result<void>();
  }

  // Looks, and brings these.
  asio::awaitable<Result<void>> look_and_bring(std::vector<std::size_t> which) {
    AWAIT(Result<void> looked, look(&offer));
    CO_TRY(looked);
    AWAIT(Result<std::vector<Result<void>>> brought,
          below_scratch.bring(*offer, std::move(which), setting, pool.of(0)));
    CO_TRY(brought);
    results = std::move(*brought);
    co_return Result<void>();
  }

  void bring(const std::vector<std::size_t>& which) {
    Result<void> done = run(look_and_bring(which));
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    REQUIRE(results.size() == which.size());
  }

  Fetcher below_scratch{server_world.http, folder / "scratch"};
  Result<Offer> offer = fail(ErrorCode::internal, "not asked");
  std::vector<Result<void>> results = {};
};

std::vector<std::string> many(std::size_t count) {
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = "s" + std::to_string(i);
    entries.push_back(entry(name, document_at(name)));
  }
  return entries;
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> which(count);
  std::iota(which.begin(), which.end(), std::size_t(0));
  return which;
}

std::size_t left_in(const std::string& folder) {
  auto begin = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin, {}));
}

} // namespace

TEST_SUITE("Fetcher that brings many") {
  TEST_CASE("eight at a time, and none goes on when the caller has gone") {
    Host host(many(12));
    for (std::size_t i = 0; i < 12; ++i) {
      host.server.at_path[k_below + ("s" + std::to_string(i))] = {"", true};
    }
    host.server_world.run([&](models_test::World& world) -> asio::awaitable<void> {
      runtime::TaskGroup tasks(world.io.get_executor(), [](std::exception_ptr) {});
      tasks.start([](Host* asking) -> asio::awaitable<void> {
        AWAIT(Result<void> ended, asking->look_and_bring(first(12)));
        CHECK_FALSE(ended);
      }(&host));
      AWAIT_DONE(
          world.server.until([&] { return host.asked() == 1 + 8 || world.server.hung_up > 0; }));
      CHECK(world.server.hung_up == 0);
      tasks.cancel_all();
      AWAIT_DONE(tasks.join());
      const int connections = static_cast<int>(host.asked()) - 1;
      AWAIT_DONE(world.server.until([&] { return world.server.hung_up == connections; }));
    });
    CHECK(host.asked() == 1 + 8);
    host.offer = fail(ErrorCode::internal, "gone");
    CHECK(left_in(host.folder / "scratch") == 0);
  }

  TEST_CASE("one that is named twice is brought once") {
    Host host(many(2));
    host.publishes("s0", document("s0"));
    host.publishes("s1", "<html>");
    host.bring({0, 1, 0, 1});
    CHECK(host.results[0]);
    CHECK_FALSE(host.results[1]);
    CHECK(host.results[2]);
    CHECK_FALSE(host.results[3]);
    CHECK(host.asked() == 1 + 2);
  }

  TEST_CASE("all together have a bound") {
    Host host(many(10));
    for (std::size_t i = 0; i < 10; ++i) {
      host.publishes("s" + std::to_string(i), document("s" + std::to_string(i)));
    }
    host.setting.most_brought = 1;
    host.bring(first(10));
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(host.results[i]); // these were on their way
    }
    REQUIRE_FALSE(host.results[9]);
    CHECK(host.results[9].error().code == ErrorCode::too_large);
  }

  TEST_CASE("neither an archive nor what failed takes room") {
    Host host({entry("a", R"("type":"archive","url":"a.zip")"),
               entry("b", R"("files":["SKILL.md","x/y.md"])")});
    host.publishes("a.zip", install_test::zip({{.name = "a/SKILL.md", .bytes = document("a")}}));
    host.publishes("b/SKILL.md", document("b"));
    host.bring({0, 1});
    CHECK(host.results[0]);
    CHECK_FALSE(host.results[1]); // one of its files is not there
    CHECK(left_in(host.offer->fetched->path()) == 1);
  }

  TEST_CASE("no message says what an address has of somebody's own") {
    Host host({entry("a",
                     document_at("a?v=1&sig=hidden") + R"(,"digest":"sha256:)"
                         + std::string(64, '0') + "\""),
               entry("b", document_at("b?sig=hidden"))});
    host.publishes("a?v=1&sig=hidden", document("a"));
    host.publishes("b?sig=hidden", "<html>");
    host.bring({0, 1});
    for (const Result<void>& result : host.results) {
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::corrupt);
      CHECK(result.error().message.find("hidden") == std::string::npos);
    }
  }

  TEST_CASE("an address is asked with what is secret in it") {
    World world;
    Result<install::Source> source =
        install::parse_source(world.url("/pdf/SKILL.md?v=1&token=hidden"), {});
    REQUIRE(source);
    world.server.at_path["/pdf/SKILL.md?v=1&token=hidden"] = reply("200 OK", document("pdf"));
    Result<Offer> offer = world.run(world.fetcher.look(*source, world.setting, world.pool.of(0)));
    REQUIRE_MESSAGE(offer.has_value(), (offer ? "" : offer.error().message));
    CHECK(offer->source.address == world.url("/pdf/SKILL.md?v=1"));
    CHECK(offer->source.name == world.url("/pdf/SKILL.md"));
  }
}
