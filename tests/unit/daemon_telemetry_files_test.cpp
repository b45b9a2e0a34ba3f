#include "daemon/telemetry/counters.h"
#include "daemon/telemetry/log.h"
#include "daemon/telemetry/mirror.h"
#include "daemon/telemetry/trace_file.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <sstream>

using namespace upskill;
using namespace upskill::telemetry;
using tests::file_text;
using tests::TemporaryFolder;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(file_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

} // namespace

TEST_SUITE("Log") {
  TEST_CASE("an entry is one line with time and level, and levels below are left out") {
    TemporaryFolder folder;
    auto log = Log::open({LogLevel::info, folder / "deep/er/log"});
    REQUIRE(log);
    log->info("call {} took {} us", "3.17", 12);
    log->verbose("not shown");
    log->error("two\nlines\x1b[31m");
    auto lines = lines_of(log->path());
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].size() > 24);
    CHECK(lines[0][10] == 'T');
    CHECK(lines[0][23] == 'Z');
    CHECK(lines[0].substr(25) == "info    call 3.17 took 12 us");
    CHECK(lines[1].substr(25) == "error   two lines [31m");

    struct stat status {};

    REQUIRE(::stat(log->path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }

  TEST_CASE("a file over its bound is rotated, and there are never more than two") {
    TemporaryFolder folder;
    auto log = Log::open({LogLevel::info, folder / "log", 1000});
    REQUIRE(log);
    for (int i = 0; i < 200; ++i) {
      log->info("entry {} {}", i, std::string(50, 'x'));
    }
    CHECK(std::filesystem::file_size(folder / "log") <= 1200);
    CHECK(std::filesystem::file_size(folder / "log.1") <= 1200);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
    CHECK(file_text(folder / "log").find("entry 199") != std::string::npos);
  }

  TEST_CASE("after a reopen it writes to the file that has the name now") {
    TemporaryFolder folder;
    auto log = Log::open({LogLevel::info, folder / "log"});
    REQUIRE(log);
    log->info("before");
    std::filesystem::rename(folder / "log", folder / "moved");
    log->info("still the old one");
    log->reopen();
    log->info("after");
    CHECK(lines_of(folder / "moved").size() == 2);
    CHECK(lines_of(folder / "log").size() == 1);
  }

  TEST_CASE("the last lines come oldest first") {
    TemporaryFolder folder;
    auto log = Log::open({LogLevel::info, folder / "log"});
    REQUIRE(log);
    CHECK(log->last_lines(5)->empty());
    for (int i = 0; i < 10; ++i) {
      log->info("entry {}", i);
    }
    auto last = log->last_lines(3);
    REQUIRE(last);
    REQUIRE(last->size() == 3);
    CHECK((*last)[0].ends_with("entry 7"));
    CHECK((*last)[2].ends_with("entry 9"));
    CHECK(log->last_lines(100)->size() == 10);
    CHECK(log->last_lines(0)->empty());
  }

  TEST_CASE("a link in place of the file is refused") {
    TemporaryFolder folder;
    tests::put_file(folder / "target", "");
    std::filesystem::create_symlink(folder / "target", folder / "log");
    auto log = Log::open({LogLevel::info, folder / "log"});
    REQUIRE_FALSE(log);
    CHECK(log.error().message.find(folder / "log") != std::string::npos);
  }

  TEST_CASE("words for levels") {
    CHECK(log_level("verbose") == LogLevel::verbose);
    CHECK_FALSE(log_level("debug"));
  }
}

TEST_SUITE("Counters") {
  TEST_CASE("a counter keeps its place while others are added") {
    Counters counters;
    Counter& calls = counters.at("calls");
    for (int i = 0; i < 100; ++i) {
      counters.at("other" + std::to_string(i)) += 1;
    }
    calls += 3;
    CHECK(counters.snapshot().at("calls") == 3);
    CHECK(counters.snapshot().size() == 101);
  }
}

TEST_SUITE("Mirror") {
  TEST_CASE("every message is a JSON line, also one that is no JSON, without secrets") {
    TemporaryFolder folder;
    {
      auto mirror = Mirror::create(folder / "mirror");
      REQUIRE(mirror);
      mirror->record(3, Direction::from_client, "{\"token\":\"s3cret\"}");
      mirror->record(3, Direction::to_client, "not json \xFF\nsecond\n");
    }
    auto lines = lines_of(folder / "mirror");
    REQUIRE(lines.size() == 3);
    auto first = nlohmann::json::parse(lines[0]);
    CHECK(first["session"] == 3);
    CHECK(first["from"] == "client");
    CHECK(first["line"] == "{\"token\":\"[hidden]\"}");
    CHECK(nlohmann::json::parse(lines[1])["line"] == "not json \xEF\xBF\xBD");
    CHECK(nlohmann::json::parse(lines[2])["from"] == "server");
  }
}

TEST_SUITE("TraceFile") {
  TEST_CASE("when it has ended it is Chrome's format and plain JSON, and takes no more") {
    TemporaryFolder folder;
    auto trace = TraceFile::create(folder / "trace");
    REQUIRE(trace);
    auto start = std::chrono::steady_clock::now();
    trace->span("call", "skill_list", "1.2", start, start + std::chrono::microseconds(150));
    trace->span("call", "status", "1.3", start, start);
    trace->finish();
    trace->span("call", "too_late", "1.4", start, start);
    auto events = nlohmann::json::parse(file_text(folder / "trace"));
    REQUIRE(events.size() == 3);
    CHECK(events[0]["ph"] == "M");
    CHECK(events[0]["args"]["name"] == "upskilld");
    CHECK(events[1]["name"] == "skill_list");
    CHECK(events[1]["ph"] == "X");
    CHECK(events[1]["dur"] == 150);
    CHECK(events[1]["args"]["id"] == "1.2");
    CHECK(events[2]["name"] == "status");
  }

  TEST_CASE("one that nothing was told to is JSON too") {
    TemporaryFolder folder;
    REQUIRE(TraceFile::create(folder / "trace")); // and ends with its owner
    CHECK(nlohmann::json::parse(file_text(folder / "trace")).size() == 1);
  }

  TEST_CASE("what a killed daemon leaves lacks no more than the bracket") {
    TemporaryFolder folder;
    auto trace = TraceFile::create(folder / "trace");
    REQUIRE(trace);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
      trace->span("call", "skill_list", "1.2", start, start);
    }
    // Never told to write, it has written a block; no more than that is there after a kill.
    auto events = nlohmann::json::parse(file_text(folder / "trace") + "]");
    CHECK(events.size() > 500);
  }
}
