#include "daemon/capture/capture_limits.h"
#include "daemon_capture_desk_world.h"

using namespace upskill;
using namespace upskill::tests;

namespace {

constexpr std::int64_t k_day_ms = 24LL * 3600 * 1000;

// By which "zeppelin" is a secret.
constexpr std::string_view k_airship =
    R"({"format":1,"rules":[{"id":"airship","regex":"zeppelin","keywords":["zeppelin"],)"
    R"("confidence":"definite"}]})";

void write_rules(const DeskWorld& world, std::string_view text) {
  std::ofstream(world.folder / "rules.json", std::ios::binary | std::ios::trunc) << text;
}

void keep_before(const DeskWorld& world, const archive::KeepOptions& options = {}) {
  std::string path = world.append("p/s1.jsonl", session("s1", "Paint the zeppelin"));
  archive::Archive archive = world.archive_before();
  REQUIRE(archive.keep(path, options, world.now_ms, {}));
  REQUIRE(archive.store().put_capture_rule({"", "", store::Capture::off}));
}

asio::awaitable<std::optional<store::SessionRow>> row_of(DeskWorld& world, std::string id) {
  auto find = [&](archive::Archive& archive) {
    return archive.store().find_key("claude-code/" + id);
  };
  AWAIT(Result<std::optional<store::SessionRow>> row, world.desk.with(std::move(find)));
  REQUIRE(row);
  co_return *row;
}

// Asks again and again: each is a turn behind what the desk itself is about to do.
asio::awaitable<void> until(DeskWorld& world,
                            std::function<bool(const std::optional<store::SessionRow>&)> is_so) {
  Clock::time_point end = Clock::now() + std::chrono::seconds(20);
  bool is_done = false;
  while (!is_done && Clock::now() < end) {
    AWAIT(std::optional<store::SessionRow> row, row_of(world, "s1"));
    is_done = is_so(row);
  }
  REQUIRE(is_done);
}

} // namespace

TEST_CASE("capture is off, and rules changed: a daemon that starts scans what is kept again") {
  DeskWorld world;
  keep_before(world);
  write_rules(world, k_airship);
  run(world, [&]() -> asio::awaitable<void> {
    world.desk.start();
    AWAIT_DONE(until(world, [](const auto& row) { return row && row->redacted == 1; }));
    AWAIT(std::optional<store::SessionRow> row, row_of(world, "s1"));
    CHECK(row->title == "Paint the [REDACTED:airship]");
    CHECK_FALSE(world.desk.is_following());
  });
}

TEST_CASE("rules that a person writes hold from the next use on, whatever is kept") {
  DeskWorld world;
  keep_before(world);
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(std::optional<store::SessionRow> row, row_of(world, "s1"));
    CHECK(row->title == "Paint the zeppelin");
    write_rules(world, k_airship);
    AWAIT(row, row_of(world, "s1"));
    CHECK(row->title.find("zeppelin") == std::string::npos);
    AWAIT_DONE(until(world, [](const auto& now) { return now->redacted == 1; }));
    // And gone again.
    fs::remove(world.folder / "rules.json");
    world.append("p/s2.jsonl", session("s2", "Fly the zeppelin"));
    AWAIT_DONE(world.rule(store::Capture::on));
    AWAIT_DONE(world.until("s2", 1));
    AWAIT(row, row_of(world, "s2"));
    CHECK(row->title == "Fly the zeppelin");
  });
}

TEST_CASE("rules that are broken are told, and once they are mended all goes on by itself") {
  DeskWorld world;
  world.append("p/s1.jsonl", session("s1"));
  REQUIRE(world.archive_before().store().put_capture_rule({"", "", store::Capture::on}));
  write_rules(world, "{");
  run(world, [&]() -> asio::awaitable<void> {
    world.desk.start();
    auto look = [](archive::Archive&) -> Result<void> { return {}; };
    AWAIT(Result<void> used, world.desk.with(look));
    REQUIRE_FALSE(used);
    REQUIRE(world.desk.problem());
    CHECK(world.desk.problem()->message == used.error().message);
    CHECK(world.desk.problem()->message.find("rules.json") != std::string::npos);
    CHECK_FALSE(world.desk.is_following());
    write_rules(world, k_airship);
    runtime::Condition never(world.io.get_executor());
    Clock::time_point end = Clock::now() + std::chrono::seconds(20);
    while (world.desk.counts().reads == 0 && Clock::now() < end) {
      AWAIT_DONE(never.wait_until([] { return false; }, std::chrono::milliseconds(1)));
    }
    CHECK_FALSE(world.desk.problem());
    CHECK(world.desk.is_following());
    AWAIT_DONE(world.until("s1", 1));
    // Broken while it is followed: what comes meanwhile is read later.
    write_rules(world, "{");
    world.append("p/s1.jsonl", session("s1"));
    while (!world.desk.problem() && Clock::now() < end) {
      AWAIT_DONE(never.wait_until([] { return false; }, std::chrono::milliseconds(1)));
    }
    REQUIRE(world.desk.problem());
    fs::remove(world.folder / "rules.json");
    while (world.desk.problem() && Clock::now() < end) {
      AWAIT_DONE(never.wait_until([] { return false; }, std::chrono::milliseconds(1)));
    }
    AWAIT_DONE(world.until("s1", 2));
  });
}

TEST_CASE("capture is off: secrets that were kept for a week go when a daemon starts") {
  DeskWorld world;
  keep_before(world, {.secrets = archive::Secrets::kept});
  world.now_ms += 8 * k_day_ms;
  run(world, [&]() -> asio::awaitable<void> {
    world.desk.start();
    AWAIT_DONE(until(world, [](const auto& row) { return row && !row->is_raw; }));
  });
}

TEST_CASE("capture is off: limits that were set hold at once, and each day") {
  DeskWorld world;
  keep_before(world);
  run(world, [&]() -> asio::awaitable<void> {
    auto limit = [](archive::Archive& archive) {
      return write_limits(archive.store(), {.days = 30});
    };
    AWAIT(Result<void> written, world.desk.with(limit));
    REQUIRE(written);
    world.desk.tidy_soon();
    AWAIT(std::optional<store::SessionRow> row, row_of(world, "s1"));
    CHECK(row);
    world.now_ms += 31 * k_day_ms;
    world.desk.tidy_soon();
    AWAIT_DONE(until(world, [](const auto& now) { return !now; }));
  });
}

TEST_CASE("a day later it is tidied up by itself") {
  DeskWorld world(std::chrono::milliseconds(5));
  keep_before(world, {.secrets = archive::Secrets::kept});
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT(std::optional<store::SessionRow> row, row_of(world, "s1"));
    CHECK(row->is_raw);
    world.now_ms += 8 * k_day_ms;
    AWAIT_DONE(until(world, [](const auto& now) { return now && !now->is_raw; }));
  });
}

TEST_CASE("once it was told to follow, what it says it follows is so") {
  DeskWorld world;
  world.append("p/s1.jsonl", session("s1"));
  world.append("p/s2.jsonl", session("s2"));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    REQUIRE(world.desk.followed().size() == 1);
    CHECK(world.desk.followed()[0].is_watched);
    CHECK(world.desk.followed()[0].files == 2);
  });
}

TEST_CASE("where there are too many folders to watch, they are looked through again and again") {
  DeskWorld world(std::chrono::hours(24), std::chrono::milliseconds(5));
  for (std::size_t i = 0; i < k_max_watches; ++i) {
    fs::create_directories(world.folder / ("projects/" + std::to_string(i)));
  }
  world.append("z/s1.jsonl", session("s1"));
  run(world, [&]() -> asio::awaitable<void> {
    AWAIT_DONE(world.rule(store::Capture::on));
    REQUIRE(world.desk.followed().size() == 1);
    CHECK_FALSE(world.desk.followed()[0].is_watched);
    CHECK(world.desk.followed()[0].reason.starts_with("looked through every 5 minutes: "));
    AWAIT_DONE(world.until("s1", 1));
    world.append("z/s1.jsonl", session("s1"));
    AWAIT_DONE(world.until("s1", 2));
  });
}
