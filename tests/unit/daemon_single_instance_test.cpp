#include "daemon/single_instance.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;
using tests::TemporaryFolder;

namespace {

Places places_in(const TemporaryFolder& folder) {
  Places places;
  places.home = folder.path();
  places.state = folder / "state";
  return places;
}

} // namespace

TEST_SUITE("SingleInstance") {
  TEST_CASE("the first has the lock with its pid, the second nothing, until the first ends") {
    TemporaryFolder folder;
    Places places = places_in(folder);
    {
      auto first = SingleInstance::acquire(places);
      REQUIRE(first);
      REQUIRE(*first);
      CHECK(tests::file_text(places.lock()) == std::to_string(::getpid()) + "\n");
      auto second = SingleInstance::acquire(places);
      REQUIRE(second);
      CHECK_FALSE(*second);
    }
    auto third = SingleInstance::acquire(places);
    REQUIRE(third);
    CHECK(*third);
  }

  TEST_CASE("the run folder is made private, with the folders above it") {
    TemporaryFolder folder;
    Places places = places_in(folder);
    REQUIRE(SingleInstance::acquire(places));

    struct stat status {};

    REQUIRE(::stat(places.run().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }

  TEST_CASE("a run folder that others could use is refused by name") {
    TemporaryFolder folder;
    Places places = places_in(folder);
    std::filesystem::create_directories(places.state);
    SUBCASE("a link") {
      std::filesystem::create_directory(folder / "elsewhere");
      std::filesystem::create_directory_symlink(folder / "elsewhere", places.run());
    }
    SUBCASE("a file") {
      tests::put_file(places.run(), "");
    }
    SUBCASE("open to others") {
      REQUIRE(::mkdir(places.run().c_str(), 0755) == 0);
      REQUIRE(::chmod(places.run().c_str(), 0755) == 0);
    }
    auto instance = SingleInstance::acquire(places);
    REQUIRE_FALSE(instance);
    CHECK(instance.error().code == ErrorCode::refused);
    CHECK(instance.error().message.find(places.run()) != std::string::npos);
    CHECK_FALSE(instance.error().hint.empty());
  }

  TEST_CASE("a folder of another user is refused") {
    if (::geteuid() != 0) {
      MESSAGE("skipped: only root can make a folder of another user");
      return;
    }
    TemporaryFolder folder;
    Places places = places_in(folder);
    std::filesystem::create_directories(places.run());
    REQUIRE(::chmod(places.run().c_str(), 0700) == 0);
    REQUIRE(::chown(places.run().c_str(), 12345, 12345) == 0);
    auto instance = SingleInstance::acquire(places);
    REQUIRE_FALSE(instance);
    CHECK(instance.error().code == ErrorCode::refused);
    CHECK(instance.error().message.find("another user") != std::string::npos);
  }

  TEST_CASE("a lock that is a link is not followed") {
    TemporaryFolder folder;
    Places places = places_in(folder);
    std::filesystem::create_directories(places.run());
    REQUIRE(::chmod(places.run().c_str(), 0700) == 0);
    tests::put_file(folder / "victim", "precious");
    std::filesystem::create_symlink(folder / "victim", places.lock());
    CHECK_FALSE(SingleInstance::acquire(places));
    CHECK(tests::file_text(folder / "victim") == "precious");
  }
}
