#include "daemon/watch/inotify.h"
#include "daemon/watch/queue_end.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::watch;

namespace {

struct Fixture {
  tests::TemporaryFolder folder;
  UniqueFd inotify = *open_inotify();
  QueueEnd end = *QueueEnd::watch(inotify.get());

  Fixture() { REQUIRE(add_watch(inotify.get(), folder.path().c_str(), IN_CREATE) >= 0); }

  void create(const std::string& name) { std::ofstream(folder.path() + "/" + name) << "x"; }

  // The names of what was created, and `|` for each mark, in order.
  std::string read() {
    std::string order;
    std::vector<char> buffer(1 << 16);
    for (;;) {
      ssize_t bytes = ::read(inotify.get(), buffer.data(), buffer.size());
      if (bytes <= 0) {
        return order;
      }
      EventReader events({buffer.data(), static_cast<std::size_t>(bytes)});
      while (std::optional<RawEvent> event = events.next()) {
        order += end.take(*event) ? "|" : event->name;
      }
    }
  }
};

} // namespace

TEST_SUITE("queue end") {
  TEST_CASE_FIXTURE(Fixture,
                    "a mark comes after all that happened before it, and before the rest") {
    create("a");
    REQUIRE(end.mark());
    create("b");
    create("c");
    REQUIRE(end.mark());
    CHECK(read() == "a|bc|");
    REQUIRE(end.mark());
    create("d");
    CHECK(read() == "|d");
  }

  TEST_CASE_FIXTURE(Fixture, "marks in a row are not taken for one") {
    for (int i = 0; i < 9; ++i) {
      REQUIRE(end.mark());
    }
    CHECK(read() == "|||||||||");
  }

  TEST_CASE_FIXTURE(Fixture, "events of others are no marks") {
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    REQUIRE(add_watch(inotify.get(), folder.path().c_str(), IN_ATTRIB) >= 0);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    CHECK(read() == "");
    REQUIRE(end.mark());
    CHECK(read() == "|");
  }

  TEST_CASE("without watches there is an error") {
    Result<QueueEnd> end = QueueEnd::watch(-1);
    REQUIRE_FALSE(end);
    CHECK(end.error().message.find("queue of file events") != std::string::npos);
  }
}
