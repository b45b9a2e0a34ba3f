#include "skills/store/job_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <array>
#include <map>
#include <string>
#include <utility>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

// While it lives, SQLite reaches files through it: it counts how often bytes are forced to the
// disk.
class Syncs {
public:
  Syncs() {
    s_file_system = sqlite3_vfs_find(nullptr);
    s_count = 0;
    m_counting = *s_file_system;
    m_counting.zName = "counting";
    m_counting.pNext = nullptr;
    m_counting.xOpen = &Syncs::open;
    REQUIRE(sqlite3_vfs_register(&m_counting, 1) == SQLITE_OK);
  }

  ~Syncs() {
    sqlite3_vfs_unregister(&m_counting);
    sqlite3_vfs_register(s_file_system, 1);
  }

  Syncs(const Syncs&) = delete;
  Syncs& operator=(const Syncs&) = delete;

  // Since the last time.
  int take() { return std::exchange(s_count, 0); }

private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    int code = s_file_system->xOpen(s_file_system, name, file, flags, out_flags);
    if (file->pMethods != nullptr) {
      sqlite3_io_methods& counting = s_methods[file->pMethods];
      counting = *file->pMethods;
      counting.xSync = &Syncs::sync;
      file->pMethods = &counting;
    }
    return code;
  }

  static int sync(sqlite3_file* file, int flags) {
    ++s_count;
    for (const auto& [real, counting] : s_methods) {
      if (file->pMethods == &counting) {
        return real->xSync(file, flags);
      }
    }
    return SQLITE_IOERR_FSYNC;
  }

  static inline sqlite3_vfs* s_file_system = nullptr;
  static inline std::map<const sqlite3_io_methods*, sqlite3_io_methods> s_methods = {};
  static inline int s_count = 0;
  sqlite3_vfs m_counting = {};
};

constexpr std::array k_notes{Migration("CREATE TABLE notes (text TEXT)")};

} // namespace

TEST_SUITE("Durability") {
  TEST_CASE("a job's row is on the disk once its transaction is committed") {
    Folder folder;
    Syncs syncs;
    Result<JobStore> store = JobStore::open(folder / "jobs.db");
    REQUIRE(store);
    for (std::string id : {"a", "b", "c"}) {
      CAPTURE(id);
      Result<Transaction> transaction = store->begin();
      REQUIRE(transaction);
      REQUIRE(store->insert({.id = id, .owner = "agents", .tool = "sync", .arguments = "{}"}));
      syncs.take();
      REQUIRE(transaction->commit());
      CHECK(syncs.take() > 0);
    }
  }

  TEST_CASE("commits that may be lost to a power failure cost no fsync") {
    Folder folder;
    Syncs syncs;
    Result<Database> database = Database::open(folder / "sync.db", k_notes);
    REQUIRE(database);
    REQUIRE(database->run("INSERT INTO notes VALUES ('first')"));
    syncs.take();
    REQUIRE(database->run("INSERT INTO notes VALUES ('second')"));
    CHECK(syncs.take() == 0);
  }
}
