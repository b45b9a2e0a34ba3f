#include "skills/store/database.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

constexpr std::array k_first{Migration("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")};
constexpr std::array k_second{k_first[0],
                              Migration("ALTER TABLE notes ADD COLUMN stars INTEGER DEFAULT 3")};

Database open(const std::string& path) {
  auto database = Database::open(path, k_first);
  REQUIRE_MESSAGE(database.has_value(), (database ? "" : database.error().message));
  return std::move(*database);
}

std::int64_t count(Database& database) {
  auto statement = database.query("SELECT count(*) FROM notes");
  REQUIRE(statement);
  REQUIRE(statement->step());
  return statement->integer(0);
}

std::string pragma(Database& database, Sql sql) {
  auto statement = database.prepare(sql);
  REQUIRE(statement);
  REQUIRE(statement->step());
  return std::string(statement->text(0));
}

// Without our code: what another program, or another version, would have written.
void run_sql(const std::string& path, const char* sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

void copy(const std::string& from, const std::string& to) {
  store_test::write(to, store_test::read(from));
}

} // namespace

TEST_SUITE("Database") {
  TEST_CASE("it is made private, small and crash safe") {
    Folder folder;
    std::string path = folder / "state/deep/sync.db";
    Database database = open(path);

    struct stat status {};

    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    REQUIRE(::stat((folder / "state/deep").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    REQUIRE(database.run("INSERT INTO notes (text) VALUES (?)", "x"));
    REQUIRE(::stat((path + "-wal").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(pragma(database, "PRAGMA journal_mode") == "wal");
    CHECK(pragma(database, "PRAGMA synchronous") == "1");
    CHECK(pragma(database, "PRAGMA foreign_keys") == "1");
    CHECK(pragma(database, "PRAGMA mmap_size") == "0");
    CHECK(pragma(database, "PRAGMA cache_size") == "-1024");
    CHECK(pragma(database, "PRAGMA user_version") == "1");
  }

  TEST_CASE("every type comes back as it went in, bytes that are no UTF-8 too") {
    Folder folder;
    Database database = open(folder / "a.db");
    std::string text("na\xFFme\nline", 10);
    Digest digest = sha256("x");
    std::optional<Digest> none;
    auto row = database.query("SELECT ?, ?, ?, ?, ?, ?",
                              std::int64_t{-7},
                              text,
                              Blob{std::string_view("\0\1", 2)},
                              digest,
                              none,
                              std::string_view());
    REQUIRE(row);
    REQUIRE(row->step());
    CHECK(row->integer(0) == -7);
    CHECK(row->text(1) == text);
    CHECK(row->blob(2) == std::string_view("\0\1", 2));
    CHECK(row->digest(3).value() == digest);
    CHECK(row->is_null(4));
    CHECK(row->digest(4).value() == std::nullopt);
    CHECK_FALSE(row->is_null(5));
    CHECK(row->digest(2).error().code == ErrorCode::corrupt);
    CHECK_FALSE(*row->step());
  }

  TEST_CASE("a wrong number of parameters is an error, not a crash") {
    Folder folder;
    Database database = open(folder / "a.db");
    auto row = database.query("SELECT ?", 1, 2);
    REQUIRE(row);
    CHECK(row->step().error().code == ErrorCode::internal);
  }

  TEST_CASE("a statement in use is not disturbed by its own text being run again") {
    Folder folder;
    Database database = open(folder / "a.db");
    for (const char* text : {"a", "b", "c"}) {
      REQUIRE(database.run("INSERT INTO notes (text) VALUES (?)", text));
    }
    static constexpr Sql k_all = "SELECT text FROM notes ORDER BY id";
    auto outer = database.prepare(k_all);
    REQUIRE(outer);
    std::string seen;
    while (*outer->step()) {
      seen += outer->text(0);
      auto inner = database.prepare(k_all);
      REQUIRE(inner);
      while (*inner->step()) {
        seen += inner->text(0);
      }
    }
    CHECK(seen == "aabcbabccabc");
  }

  TEST_CASE("what is not committed is not there, also within a batch") {
    Folder folder;
    Database database = open(folder / "a.db");
    {
      auto transaction = database.begin();
      REQUIRE(transaction);
      REQUIRE(database.run("INSERT INTO notes (text) VALUES ('lost')"));
    }
    CHECK(count(database) == 0);
    {
      auto batch = database.begin();
      REQUIRE(batch);
      REQUIRE(database.run("INSERT INTO notes (text) VALUES ('one')"));
      {
        auto inner = database.begin();
        REQUIRE(inner);
        REQUIRE(database.run("INSERT INTO notes (text) VALUES ('lost')"));
      }
      {
        auto inner = database.begin();
        REQUIRE(inner);
        REQUIRE(database.run("INSERT INTO notes (text) VALUES ('two')"));
        REQUIRE(inner->commit());
        CHECK(inner->commit().error().code == ErrorCode::internal);
      }
      REQUIRE(batch->commit());
    }
    CHECK(count(database) == 2);
  }

  TEST_CASE("a killed process leaves what it committed and nothing else") {
    Folder folder;
    std::string path = folder / "a.db";
    pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto database = Database::open(path, k_first);
      bool ok = database && database->run("INSERT INTO notes (text) VALUES ('kept')");
      auto transaction = database->begin();
      ok = ok && transaction && database->run("INSERT INTO notes (text) VALUES ('lost')");
      ::kill(ok ? ::getpid() : 0, SIGKILL);
      ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    Database database = open(path);
    CHECK(count(database) == 1);
  }

  TEST_CASE("an older version is brought up to date with its rows") {
    Folder folder;
    std::string path = folder / "a.db";
    run_sql(path,
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);"
            "INSERT INTO notes (text) VALUES ('old'); PRAGMA user_version=1");
    auto database = Database::open(path, k_second);
    REQUIRE(database);
    auto row = database->query("SELECT text, stars FROM notes");
    REQUIRE(row);
    REQUIRE(row->step());
    CHECK(row->text(0) == "old");
    CHECK(row->integer(1) == 3);
    CHECK(pragma(*database, "PRAGMA user_version") == "2");
  }

  TEST_CASE("a migration that fails leaves the older version whole") {
    Folder folder;
    std::string path = folder / "a.db";
    constexpr std::array k_broken{k_first[0],
                                  Migration("CREATE TABLE more (id INTEGER); SELECT nonsense")};
    CHECK_FALSE(Database::open(path, k_broken));
    Database database = open(path);
    CHECK(pragma(database, "PRAGMA user_version") == "1");
    CHECK(database.run("CREATE TABLE more (id INTEGER)"));
  }

  TEST_CASE("a newer version, or another program's database, is refused and left as it is") {
    Folder folder;
    std::string path = folder / "a.db";
    const char* sql = "";
    SUBCASE("newer, with the journal of old") {
      sql = "CREATE TABLE future (x); PRAGMA user_version=9";
    }
    SUBCASE("newer, with a log") {
      sql = "PRAGMA journal_mode=WAL; CREATE TABLE future (x); PRAGMA user_version=9";
    }
    SUBCASE("another program's") {
      sql = "CREATE TABLE theirs (x)";
    }
    SUBCASE("of a negative version") {
      sql = "CREATE TABLE odd (x); PRAGMA user_version=-1";
    }
    SUBCASE("newer, with a log that its writer left when it was killed") {
      sqlite3* live = nullptr;
      REQUIRE(sqlite3_open((folder / "live.db").c_str(), &live) == SQLITE_OK);
      REQUIRE(sqlite3_exec(live,
                           "PRAGMA journal_mode=WAL; CREATE TABLE future (x);"
                           "PRAGMA user_version=9",
                           nullptr,
                           nullptr,
                           nullptr)
              == SQLITE_OK);
      copy(folder / "live.db", path);
      copy(folder / "live.db-wal", path + "-wal");
      sqlite3_close(live);
    }
    if (*sql != '\0') {
      run_sql(path, sql);
    }
    std::string before = store_test::read(path);
    auto database = Database::open(path, k_second);
    REQUIRE_FALSE(database);
    CHECK(database.error().code == ErrorCode::unsupported);
    CHECK_FALSE(database.error().hint.empty());
    CHECK(store_test::read(path) == before);
  }

  TEST_CASE("damage is found and can be set aside, then a new one begun") {
    Folder folder;
    std::string path = folder / "live.db";
    std::string damaged = folder / "damaged.db";
    SUBCASE("a file that is no database") {
      store_test::write(damaged, std::string(8192, 'x'));
    }
    bool clean = false;
    bool pages = false;
    SUBCASE("a page overwritten, found after an unclean end") {
      pages = true;
    }
    SUBCASE("a page overwritten after a clean one") {
      pages = true;
      clean = true;
    }
    if (pages) {
      {
        Database database = open(path);
        auto batch = database.begin();
        for (int i = 0; i < 2000; ++i) {
          REQUIRE(database.run("INSERT INTO notes (text) VALUES (?)", std::string(100, 'a')));
        }
        REQUIRE(batch->commit());
      }
      Database database = open(path);
      REQUIRE(database.run("INSERT INTO notes (text) VALUES ('in the log')"));
      copy(path, damaged);
      if (!clean) {
        copy(path + "-wal", damaged + "-wal");
      }
      std::string bytes = store_test::read(damaged);
      REQUIRE(bytes.size() > 20 * 4096);
      std::fill_n(bytes.begin() + 10 * 4096, 4096, '\xEE');
      store_test::write(damaged, bytes);
    }
    auto broken = Database::open(damaged, k_first);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == ErrorCode::corrupt);
    auto aside = set_aside_database(damaged, 1'795'240'570'000);
    REQUIRE(aside);
    CHECK(*aside == damaged + ".corrupt-20261121T055610Z");
    CHECK(store_test::exists(*aside));
    CHECK_FALSE(store_test::exists(damaged));
    CHECK_FALSE(store_test::exists(damaged + "-wal"));
    Database fresh = open(damaged);
    CHECK(count(fresh) == 0);
    // A second one of the same second does not replace the first.
    auto again = set_aside_database(damaged, 1'795'240'570'000);
    REQUIRE(again);
    CHECK(*again != *aside);
  }

  TEST_CASE("no space left is told as such, and the database stays usable") {
    Folder folder;
    Database database = open(folder / "a.db");
    REQUIRE(database.run("INSERT INTO notes (text) VALUES ('kept')"));
    REQUIRE(database.execute("PRAGMA max_page_count=10"));
    {
      auto batch = database.begin();
      REQUIRE(batch);
      auto full = database.run("INSERT INTO notes (text) VALUES (?)", std::string(100'000, 'a'));
      REQUIRE_FALSE(full);
      CHECK(full.error().code == ErrorCode::no_space);
    }
    CHECK(count(database) == 1);
    CHECK(database.run("INSERT INTO notes (text) VALUES ('small')"));
  }

  TEST_CASE("somebody else's write lock is waited for, then told") {
    Folder folder;
    Database one = open(folder / "a.db");
    Database other = open(folder / "a.db");
    auto held = one.begin();
    REQUIRE(held);
    auto refused = other.begin();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    REQUIRE(held->commit());
    CHECK(other.begin());
  }

  TEST_CASE("a folder that may not be written is told as permission") {
    Folder folder;
    std::string path = folder / "ro/a.db";
    { Database database = open(path); }
    REQUIRE(::chmod((folder / "ro").c_str(), 0555) == 0);
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    {
      store_test::AsNobody nobody;
      auto existing = Database::open(path, k_first);
      auto fresh = Database::open(folder / "ro/b.db", k_first);
      CHECK_FALSE(existing);
      CHECK(existing.error().code == ErrorCode::permission);
      CHECK_FALSE(fresh);
      CHECK(fresh.error().code == ErrorCode::permission);
    }
    ::chmod((folder / "ro").c_str(), 0755);
  }
}
