#pragma once
#include "skills/store/trace_store.h"
#include "skills_store_folder.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// Sessions as the tests of traces.db put them.
namespace store_test {

using namespace upskill;
using namespace upskill::store;

inline TraceStore open_store(const Folder& folder) {
  auto store = TraceStore::open(folder / "traces.db");
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

inline SessionRow session(std::string id, std::int64_t active_ms) {
  return {.harness = "claude", .session = std::move(id), .ended_ms = active_ms};
}

inline std::string names_of(const std::vector<SessionRow>& rows) {
  std::string names;
  for (const SessionRow& row : rows) {
    names += row.session + " ";
  }
  return names;
}

// By a search, sorted by name.
inline std::string found(TraceStore& store, std::string text) {
  std::vector<std::string> names;
  for (const SearchHit& hit : value_of(store.search({.text = std::move(text)}, 100))) {
    names.push_back(hit.session.session + " ");
  }
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names) {
    all += name;
  }
  return all;
}

// As somebody else who has the database open.
inline void run_sql(const Folder& folder, const char* sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((folder / "traces.db").c_str(), &handle) == SQLITE_OK);
  char* message = nullptr;
  int code = sqlite3_exec(handle, sql, nullptr, nullptr, &message);
  CHECK_MESSAGE(code == SQLITE_OK, (message == nullptr ? "" : message));
  sqlite3_free(message);
  sqlite3_close(handle);
}

// By FTS5's own means.
inline void check_index(const Folder& folder) {
  run_sql(folder, "INSERT INTO session_words (session_words) VALUES ('integrity-check')");
}

} // namespace store_test
