#include "skills/store/job_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

JobStore open(const Folder& folder) {
  auto store = JobStore::open(folder / "jobs.db");
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

JobRow row_of(std::string id, std::int64_t created_ms, JobState state = JobState::working) {
  return {.id = std::move(id),
          .owner = "agents",
          .tool = "skill_sync",
          .arguments = "{}",
          .state = state,
          .created_ms = created_ms,
          .updated_ms = created_ms,
          .ttl_ms = 1000};
}

std::string ids_of(const std::vector<JobRow>& rows) {
  std::string ids;
  for (const JobRow& row : rows) {
    ids += row.id + " ";
  }
  return ids;
}

} // namespace

TEST_SUITE("JobStore") {
  TEST_CASE("a row comes back as it went in, over a restart") {
    Folder folder;
    JobRow row = row_of("a", 5, JobState::input_required);
    row.status_message = "reads \xFF";
    row.updated_ms = 6;
    row.progress = 0.1;
    row.total = 3;
    row.requests = "[1]";
    row.result = "{}";
    row.error = R"({"code":"io"})";
    {
      JobStore store = open(folder);
      REQUIRE(store.insert(row));
      CHECK(store.insert(row).error().code == ErrorCode::already_exists);
      CHECK(value_of(store.find("b")) == std::nullopt);
    }
    JobStore store = open(folder);
    CHECK(value_of(store.find("a")) == row);
    row.state = JobState::completed;
    row.progress.reset();
    row.total.reset();
    row.requests.clear();
    row.result = R"({"text":"done"})";
    row.error.clear();
    row.updated_ms = 7;
    REQUIRE(store.update(row));
    CHECK(value_of(store.find("a")) == row);
    row.id = "gone";
    CHECK(store.update(row).error().code == ErrorCode::not_found);
  }

  TEST_CASE("lists are newest first, in pages, of one owner or of all, and small") {
    Folder folder;
    JobStore store = open(folder);
    for (std::string id : {"c", "a", "b"}) {
      REQUIRE(store.insert(row_of(id, 10))); // at the same time: by id
    }
    JobRow other = row_of("other", 20);
    other.owner = "http";
    other.result = "{}";
    REQUIRE(store.insert(other));
    CHECK(ids_of(value_of(store.list("", {}, 10))) == "other c b a ");
    CHECK(ids_of(value_of(store.list("agents", {}, 2))) == "c b ");
    CHECK(ids_of(value_of(store.list("agents", JobPosition{10, "b"}, 2))) == "a ");
    CHECK(ids_of(value_of(store.list("", JobPosition{20, "other"}, 1))) == "c ");
    CHECK(ids_of(value_of(store.list("nobody", {}, 10))).empty());
    std::vector<JobRow> listed = value_of(store.list("http", {}, 1));
    CHECK(listed.at(0).arguments.empty());
    CHECK(listed.at(0).result.empty());
  }

  TEST_CASE("what has not ended is failed for a reason, and nothing else is touched") {
    Folder folder;
    JobStore store = open(folder);
    JobRow asks = row_of("asks", 1, JobState::input_required);
    asks.requests = "[1]";
    REQUIRE(store.insert(asks));
    REQUIRE(store.insert(row_of("works", 2)));
    JobRow done = row_of("done", 3, JobState::completed);
    REQUIRE(store.insert(done));
    CHECK(ids_of(value_of(store.unfinished())) == "asks works ");
    CHECK(value_of(store.fail_unfinished("", "{\"why\":1}", 50)) == 2);
    CHECK(value_of(store.unfinished()).empty());
    JobRow ended = *value_of(store.find("asks"));
    CHECK(ended.state == JobState::failed);
    CHECK(ended.error == "{\"why\":1}");
    CHECK(ended.requests.empty());
    CHECK(ended.updated_ms == 50);
    CHECK(value_of(store.find("done")) == done);
  }

  TEST_CASE("a purge takes what is old and what is too much, and nothing unfinished") {
    Folder folder;
    JobStore store = open(folder);
    REQUIRE(store.insert(row_of("working", 0)));
    REQUIRE(store.insert(row_of("asking", 0, JobState::input_required)));
    REQUIRE(store.insert(row_of("old", 0, JobState::failed)));
    REQUIRE(store.insert(row_of("edge", 500, JobState::cancelled)));
    REQUIRE(store.insert(row_of("new", 600, JobState::completed)));
    CHECK(value_of(store.purge(1500, 10)) == 1);
    CHECK(ids_of(value_of(store.list("", {}, 10))) == "new edge working asking ");
    CHECK(value_of(store.purge(1500, 1)) == 1);
    CHECK(ids_of(value_of(store.list("", {}, 10))) == "new working asking ");
  }

  TEST_CASE("a row with a word that nobody knows is damage that shows at the opening") {
    Folder folder;
    {
      JobStore store = open(folder);
      REQUIRE(store.insert(row_of("a", 1)));
    }
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open((folder / "jobs.db").c_str(), &raw) == SQLITE_OK);
    CHECK(sqlite3_exec(raw, "UPDATE jobs SET state = 'flying'", nullptr, nullptr, nullptr)
          == SQLITE_OK);
    sqlite3_close(raw);
    auto store = JobStore::open(folder / "jobs.db");
    REQUIRE_FALSE(store);
    CHECK(store.error().code == ErrorCode::corrupt);
  }
}
