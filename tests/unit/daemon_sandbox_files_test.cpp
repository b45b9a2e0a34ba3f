#include "daemon/sandbox/confined_files.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/sandbox/skill_copy.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

using namespace upskill;
using namespace upskill::sandbox;

namespace {

namespace fs = std::filesystem;

PrivateFolder made(const std::string& parent = "/tmp") {
  Result<PrivateFolder> folder = PrivateFolder::make(parent);
  if (!folder) {
    FAIL(folder.error().message);
  }
  return std::move(*folder);
}

void put(const std::string& path, std::string_view text) {
  fs::create_directories(fs::path(path).parent_path());
  tests::put_file(path, text);
}

ErrorCode error_of(const Result<std::string>& result) {
  REQUIRE_FALSE(result.has_value());
  return result.error().code;
}

std::string list_of(int folder, std::string_view path, std::size_t most = 100) {
  Result<ConfinedList> list = list_confined(folder, path, most);
  REQUIRE(list);
  std::string text = list->complete ? "" : "more:";
  for (const ConfinedEntry& entry : list->entries) {
    text += entry.path + "(" + entry.kind + std::to_string(entry.bytes) + ")";
  }
  return text;
}

} // namespace

TEST_SUITE("PrivateFolder") {
  TEST_CASE("it is nobody else's, and goes with its owner") {
    std::string path;
    {
      PrivateFolder folder = made();
      path = folder.path();
      CHECK((tests::mode_of(path) & 07777) == 0700);
      PrivateFolder other = std::move(folder);
      CHECK(other.path() == path);
      CHECK(fs::exists(path));
    }
    CHECK_FALSE(fs::exists(path));
    CHECK_FALSE(PrivateFolder::make("/nowhere/at/all"));
  }

  TEST_CASE("replacing it removes what it was") {
    PrivateFolder first = made();
    std::string path = first.path();
    first = made();
    CHECK_FALSE(fs::exists(path));
    CHECK(fs::exists(first.path()));
  }

  TEST_CASE("links are removed, not what they lead to") {
    tests::TemporaryFolder outside;
    put(outside / "kept/file", "mine");
    {
      PrivateFolder folder = made();
      fs::create_directory_symlink(outside / "kept", folder.path() + "/folder");
      fs::create_symlink(outside / "kept/file", folder.path() + "/file");
      fs::create_directory(folder.path() + "/sub");
      fs::create_directory_symlink(outside / "kept", folder.path() + "/sub/folder");
      fs::create_symlink("/nowhere", folder.path() + "/broken");
    }
    CHECK(tests::file_text(outside / "kept/file") == "mine");
  }

  TEST_CASE("folders that were shut are opened up") {
    std::string path;
    {
      PrivateFolder folder = made();
      path = folder.path();
      fs::create_directories(path + "/a/b/c");
      put(path + "/a/b/file", "x");
      for (const char* shut : {"/a/b/c", "/a/b", "/a", ""}) {
        ::chmod((path + shut).c_str(), 0);
      }
    }
    CHECK_FALSE(fs::exists(path));
  }

  TEST_CASE("a tree deeper than any path goes, and so do FIFOs and many files") {
    std::string path;
    {
      PrivateFolder folder = made();
      path = folder.path();
      int here = ::openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY);
      for (int depth = 0; depth < 3000; ++depth) {
        REQUIRE(::mkdirat(here, "deep-folder", 0700) == 0);
        REQUIRE(::mkdirat(here, "beside", 0700) == 0);
        int next = ::openat(here, "deep-folder", O_RDONLY | O_DIRECTORY);
        REQUIRE(next >= 0);
        ::close(here);
        here = next;
      }
      REQUIRE(::mkfifoat(here, "pipe", 0600) == 0);
      ::close(here);
      for (int i = 0; i < 2000; ++i) {
        fs::create_directory(path + "/" + std::to_string(i));
      }
      // The name that it would lift to is taken.
      put(path + "/.lifted-0/full", "x");
      put(path + "/.lifted-1", "x");
    }
    CHECK_FALSE(fs::exists(path));
  }
}

TEST_SUITE("confined files") {
  TEST_CASE("what was written is read, folders above it are made") {
    PrivateFolder folder = made();
    CHECK(write_confined(folder.fd(), "a/b/c.txt", "hello"));
    CHECK(tests::file_text(folder.path() + "/a/b/c.txt") == "hello");
    CHECK(write_confined(folder.fd(), "./a//b/c.txt", "bye"));
    CHECK(read_confined(folder.fd(), "a/b/c.txt", 100) == "bye");
    CHECK(write_confined(folder.fd(), "empty", ""));
    CHECK(read_confined(folder.fd(), "empty", 0) == "");
    CHECK(list_of(folder.fd(), "") == "a(d0)a/b(d0)a/b/c.txt(f3)empty(f0)");
    CHECK(list_of(folder.fd(), "a/b") == "c.txt(f3)");
    CHECK(list_of(folder.fd(), ".", 2) == "more:a(d0)a/b(d0)");
  }

  TEST_CASE("no path leads out") {
    tests::TemporaryFolder outside;
    put(outside / "secret", "hush");
    PrivateFolder folder = made();
    fs::create_directory_symlink(outside.path(), folder.path() + "/folder");
    fs::create_symlink(outside / "secret", folder.path() + "/file");
    fs::create_symlink("inner", folder.path() + "/inner-link");
    put(folder.path() + "/inner", "x");
    for (std::string path : {outside / "secret",
                             std::string("../secret"),
                             std::string("a/../../x"),
                             std::string("..")}) {
      CHECK(error_of(read_confined(folder.fd(), path, 100)) == ErrorCode::invalid_argument);
      CHECK_FALSE(write_confined(folder.fd(), path, "x"));
      CHECK_FALSE(list_confined(folder.fd(), path, 10));
    }
    for (const char* path : {"folder/secret", "file", "inner-link", "folder"}) {
      CHECK(error_of(read_confined(folder.fd(), path, 100)) == ErrorCode::refused);
      CHECK_FALSE(write_confined(folder.fd(), path, "x"));
    }
    CHECK_FALSE(write_confined(folder.fd(), "folder/new", "x"));
    CHECK_FALSE(list_confined(folder.fd(), "folder", 10));
    CHECK_FALSE(read_confined(folder.fd(), std::string("inner\0", 6), 10));
    CHECK(tests::file_text(outside / "secret") == "hush");
    CHECK_FALSE(fs::exists(outside / "new"));
    CHECK(list_of(folder.fd(), "") == "file(l0)folder(l0)inner(f1)inner-link(l0)");
  }

  TEST_CASE("what is no file is told, and keeps nobody waiting") {
    PrivateFolder folder = made();
    REQUIRE(::mkfifo((folder.path() + "/pipe").c_str(), 0600) == 0);
    fs::create_directory(folder.path() + "/sub");
    put(folder.path() + "/file", "12345");
    CHECK(error_of(read_confined(folder.fd(), "pipe", 100)) == ErrorCode::refused);
    CHECK_FALSE(write_confined(folder.fd(), "pipe", "x"));
    CHECK(error_of(read_confined(folder.fd(), "sub", 100)) == ErrorCode::refused);
    CHECK(error_of(read_confined(folder.fd(), "", 100)) == ErrorCode::refused);
    CHECK(error_of(read_confined(folder.fd(), "nothing", 100)) == ErrorCode::not_found);
    CHECK(error_of(read_confined(folder.fd(), "no/thing", 100)) == ErrorCode::not_found);
    CHECK(error_of(read_confined(folder.fd(), "file/below", 100)) == ErrorCode::not_found);
    CHECK(error_of(read_confined(folder.fd(), "file", 4)) == ErrorCode::too_large);
    CHECK(read_confined(folder.fd(), "file", 5) == "12345");
    CHECK_FALSE(write_confined(folder.fd(), "sub", "x"));
    CHECK_FALSE(write_confined(folder.fd(), "file/below", "x"));
  }
}

TEST_SUITE("copy_skill") {
  TEST_CASE("what a skill is graded by is not in the copy") {
    tests::TemporaryFolder skill;
    put(skill / "SKILL.md", "do it");
    put(skill / "scripts/run.sh", "#!/bin/sh\n");
    ::chmod((skill / "scripts/run.sh").c_str(), 0755);
    put(skill / "references/evals/how.md", "content");
    put(skill / "evals/evals.json", "secret");
    put(skill / "evals/files/in.csv", "secret");
    put(skill / "skill_meta.json", "secret");
    put(skill / "references/trigger_evals.json", "secret");
    put(skill / ".git/config", "secret");
    put(skill / "mine/cases.json", "secret");
    fs::create_symlink("references/evals/how.md", skill / "inside.md");
    fs::create_symlink("evals/evals.json", skill / "graded.md");
    fs::create_symlink("mine/cases.json", skill / "named.md");
    fs::create_symlink("/etc/passwd", skill / "outside.md");
    fs::create_directory_symlink("evals", skill / "folder");
    UniqueFd fd(::open(skill.path().c_str(), O_RDONLY | O_DIRECTORY));
    PrivateFolder into = made();
    Result<std::string> copy = copy_skill(fd.get(), into, "my-skill", {"mine/cases.json"});
    REQUIRE(copy);
    CHECK(*copy == into.path() + "/my-skill");
    CHECK(
        list_of(into.fd(), "my-skill")
        == "SKILL.md(f5)inside.md(f7)references(d0)references/evals(d0)references/evals/how.md(f7)"
           "scripts(d0)scripts/run.sh(f10)");
    CHECK((tests::mode_of(*copy + "/scripts/run.sh") & 0777) == 0555);
    CHECK((tests::mode_of(*copy + "/SKILL.md") & 0777) == 0444);
    CHECK_FALSE(copy_skill(fd.get(), into, "my-skill"));
    for (const char* name : {"../up", "", "a/b", "."}) {
      CHECK_FALSE(copy_skill(fd.get(), into, name));
    }
  }

  TEST_CASE("the document has one name, whatever it had") {
    tests::TemporaryFolder skill;
    put(skill / "skill.md", "do it");
    UniqueFd fd(::open(skill.path().c_str(), O_RDONLY | O_DIRECTORY));
    PrivateFolder into = made();
    REQUIRE(copy_skill(fd.get(), into, "s"));
    CHECK(list_of(into.fd(), "") == "s(d0)s/SKILL.md(f5)");
  }
}
