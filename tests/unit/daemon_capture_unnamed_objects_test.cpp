#include "daemon/capture/unnamed_objects.h"
#include "skills_archive_world.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

using namespace upskill;
using namespace upskill::tests;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_day_ms = 24LL * 3600 * 1000;
constexpr std::int64_t k_begun_ms = 1'800'000'000'000;

// An object that no session names, written at that time.
fs::path leave(ArchiveWorld& world, std::int64_t time_ms) {
  fs::path path = world.archive.objects().path_of("claude-code/left-0000000000000000.zst");
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "x";
  timespec times[2] = {{time_ms / 1000, 0}, {time_ms / 1000, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  return path;
}

void remove_unnamed(ArchiveWorld& world, std::int64_t now_ms) {
  REQUIRE(capture::remove_unnamed(world.archive, world.folder / "state/traces", now_ms));
}

} // namespace

TEST_CASE("what a reading left that failed goes after a day") {
  ArchiveWorld world;
  remove_unnamed(world, k_begun_ms);
  fs::path left = leave(world, k_begun_ms + 1000);
  remove_unnamed(world, k_begun_ms + k_day_ms / 2);
  CHECK(fs::exists(left));
  remove_unnamed(world, k_begun_ms + 2 * k_day_ms);
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("what a database named that is not this one stays, however often it is tidied up") {
  for (bool is_backup : {false, true}) {
    CAPTURE(is_backup);
    ArchiveWorld world;
    remove_unnamed(world, k_begun_ms);
    fs::path state = world.folder / "state";
    auto database = [&](const fs::path& from, const fs::path& to) {
      for (const char* name : {"traces.db", "traces.db-wal", "traces.db-shm"}) {
        fs::remove(to / name);
        if (!from.empty() && fs::exists(from / name)) {
          fs::copy_file(from / name, to / name);
        }
      }
    };
    fs::create_directory(state / "backup");
    database(state, state / "backup");
    remove_unnamed(world, k_begun_ms + k_day_ms);
    fs::path kept = leave(world, k_begun_ms + k_day_ms + 1000); // named by what is not there now
    database(is_backup ? state / "backup" : fs::path(), state);
    world.reopen();
    for (int day = 3; day < 6; ++day) {
      remove_unnamed(world, k_begun_ms + day * k_day_ms);
      CHECK(fs::exists(kept));
    }
    fs::path left = kept.parent_path() / "new-0000000000000000.zst";
    fs::rename(leave(world, k_begun_ms + 3 * k_day_ms + 1000), left);
    remove_unnamed(world, k_begun_ms + 6 * k_day_ms);
    CHECK_FALSE(fs::exists(left));
  }
}
