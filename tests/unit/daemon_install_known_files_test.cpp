#include "daemon/install/known_files.h"
#include "tests/support/folder.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace upskill;
using namespace upskill::daemon;

namespace {

std::string file(const test::Folder& folder, const std::string& name, const std::string& text) {
  std::string path = folder / name;
  test::write(path, text);
  return path;
}

// In place, as some editors do.
void overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

// When no write may leave the same mark any more: a moment later, by the clock of the files.
std::optional<FileMark> mark_of(const std::string& path) {
  std::optional<FileMark> mark;
  while (!mark) {
    mark = FileMark::of(path);
  }
  return mark;
}

RecordNow record_of(const std::string& skill) {
  install::InstallRecord record;
  install::InstallRow row;
  row.skill = skill;
  record.put(row);
  return std::make_shared<const install::InstallRecord>(std::move(record));
}

} // namespace

TEST_SUITE("daemon/install: known files") {
  TEST_CASE("a file that was just written has no mark yet") {
    test::Folder folder;
    CHECK_FALSE(FileMark::of(folder / "none"));
    std::string path = file(folder, "installed.json", "{}");
    CHECK_FALSE(FileMark::of(path));
    CHECK(mark_of(path) == FileMark::of(path));
  }

  TEST_CASE("a record is known for as long as nobody writes it") {
    test::Folder folder;
    std::string path = file(folder, "installed.json", "one");
    KnownFiles known;
    CHECK(known.record(path, mark_of(path)) == nullptr);
    known.keep(path, mark_of(path), record_of("one"));
    REQUIRE(known.record(path, mark_of(path)) != nullptr);
    CHECK(*known.record(path, mark_of(path)) == *record_of("one"));
    CHECK(known.record(folder / "other", mark_of(path)) == nullptr);
    CHECK(known.record(path, std::nullopt) == nullptr);

    overwrite(path, "two"); // as long
    CHECK(known.record(path, FileMark::of(path)) == nullptr);
    CHECK(known.record(path, mark_of(path)) == nullptr);
  }

  TEST_CASE("of a file without a mark nothing is kept") {
    KnownFiles known;
    known.keep("/a", std::nullopt, record_of("one"));
    CHECK(known.record("/a", std::nullopt) == nullptr);
    known.keep_good_lock("/a", std::nullopt);
    CHECK_FALSE(known.is_good_lock("/a", std::nullopt));
  }

  TEST_CASE("locks are known one by one") {
    test::Folder folder;
    std::string first = file(folder, "a.json", "{}");
    std::string second = file(folder, "b.json", "{}");
    KnownFiles known;
    known.keep_good_lock(first, mark_of(first));
    CHECK(known.is_good_lock(first, mark_of(first)));
    CHECK_FALSE(known.is_good_lock(second, mark_of(second)));
    overwrite(first, "[]");
    CHECK_FALSE(known.is_good_lock(first, mark_of(first)));
  }
}
