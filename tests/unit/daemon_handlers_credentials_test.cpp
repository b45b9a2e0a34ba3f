#include "daemon/handlers/credentials.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

using namespace upskill;
using namespace upskill::daemon;
using tests::put_file;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Keys = std::map<std::string, std::string>;

constexpr std::size_t k_most_bytes = 64u << 10; // as the header says

struct World {
  World() = default;

  explicit World(std::string_view text) { write(text); }

  void write(std::string_view text, mode_t mode = 0600) const {
    put_file(path, text);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
  }

  Keys keys() const {
    Result<Keys> keys = read_credentials(path);
    if (!keys) {
      FAIL(keys.error().message);
    }
    return *keys;
  }

  // That of a file from which nothing is taken. A secret of it is never told.
  Error error() const {
    Result<Keys> keys = read_credentials(path);
    REQUIRE_FALSE(keys);
    CHECK(keys.error().message.find("hush") == std::string::npos);
    CHECK(keys.error().hint.find("hush") == std::string::npos);
    CHECK(keys.error().message.find("`" + path + "`") != std::string::npos);
    return keys.error();
  }

  TemporaryFolder folder;
  std::string path = folder / "credentials";
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("read_credentials") {
  TEST_CASE("where there is no file there are no keys") {
    World world;
    CHECK(world.keys().empty());
    world.path = world.folder / "no folder/credentials";
    CHECK(world.keys().empty());
    put_file(world.folder / "file", "");
    world.path = world.folder / "file/credentials";
    CHECK(world.keys().empty());
  }

  TEST_CASE("a line is a key, and blank lines and comments are none") {
    World world("# of the team\n"
                "ANTHROPIC_API_KEY=sk-ant-1\n"
                "\n"
                "  \t\r\n"
                " # OPENAI_API_KEY=old\n"
                "\tHF_TOKEN = hf_2==\t\r\n"
                "EMPTY=\n"
                "TWICE=first\n"
                "TWICE=second#3\n"
                "LAST=nothing-after-it");
    CHECK(world.keys()
          == Keys{{"ANTHROPIC_API_KEY", "sk-ant-1"},
                  {"HF_TOKEN", "hf_2=="},
                  {"EMPTY", ""},
                  {"TWICE", "second#3"},
                  {"LAST", "nothing-after-it"}});
  }

  TEST_CASE("only a file that nobody else may read or change is taken") {
    World world;
    for (mode_t mode : {0604, 0602, 0601, 0640, 0620, 0610, 0644, 0666}) {
      CAPTURE(mode);
      world.write("A_KEY=hush\n", mode);
      CHECK(world.error().code == ErrorCode::refused);
      CHECK(has(world.error().hint, "`chmod 600 " + world.path + "`"));
    }
    for (mode_t mode : {0600, 0700, 0400}) { // the last cannot be written again
      CAPTURE(mode);
      world.write("A_KEY=v\n", mode);
      CHECK(world.keys().size() == 1);
    }
  }

  TEST_CASE("a file of another user is not taken") {
    if (::geteuid() != 0) {
      MESSAGE("skipped: only root can give a file away");
      return;
    }
    World world("A_KEY=hush\n");
    REQUIRE(::chown(world.path.c_str(), 12345, static_cast<gid_t>(-1)) == 0);
    CHECK(world.error().code == ErrorCode::refused);
    CHECK(has(world.error().message, "belongs to another user"));
  }

  TEST_CASE("a file that may not be read is an error, not an absence") {
    if (::geteuid() == 0) {
      MESSAGE("skipped: root may read everything");
      return;
    }
    World world;
    world.write("A_KEY=hush\n", 0200);
    CHECK(world.error().code == ErrorCode::permission);
  }

  TEST_CASE("what is no file is not read, and keeps nobody waiting") {
    World world;
    put_file(world.folder / "real", "A_KEY=hush\n");
    REQUIRE(::chmod((world.folder / "real").c_str(), 0600) == 0);
    fs::create_symlink(world.folder / "real", world.path);
    CHECK(world.error().code == ErrorCode::refused);
    CHECK(has(world.error().message, "is a link"));
    fs::remove(world.path);
    fs::create_symlink(world.folder / "nowhere", world.path);
    CHECK(world.error().code == ErrorCode::refused);
    fs::remove(world.path);
    fs::create_directory(world.path);
    REQUIRE(::chmod(world.path.c_str(), 0700) == 0);
    CHECK(world.error().code == ErrorCode::refused);
    CHECK(has(world.error().message, "is no file"));
    fs::remove(world.path);
    REQUIRE(::mkfifo(world.path.c_str(), 0600) == 0); // nobody will ever write into it
    CHECK(world.error().code == ErrorCode::refused);
    CHECK(has(world.error().message, "is no file"));
  }

  TEST_CASE("a folder above it may be a link, as people keep their configuration elsewhere") {
    World world("A_KEY=v\n");
    fs::create_directory_symlink(world.folder.path(), world.folder / "link");
    world.path = world.folder / "link/credentials";
    CHECK(world.keys().size() == 1);
  }

  TEST_CASE("a line that is none is told by its number, never by what it has") {
    for (std::string_view line : {"hush",
                                  "hush-hush",
                                  "=hush",
                                  " = hush",
                                  "export A_KEY=hush",
                                  "a_key=hush",
                                  "A-KEY=hush",
                                  "A KEY=hush",
                                  "A_KEY: hush",
                                  "\xEF\xBB\xBF"
                                  "A_KEY=hush"}) {
      CAPTURE(line);
      World world("# one\n\nB_KEY=v\n" + std::string(line) + "\nC_KEY=v\n");
      CHECK(world.error().code == ErrorCode::corrupt);
      CHECK(has(world.error().message, "line 4: not `NAME=VALUE`"));
    }
  }

  // Sent as they are they would be a wrong key; the server would say so, and nobody why.
  TEST_CASE("a value with quotes, spaces or control characters is told by its line") {
    using namespace std::string_view_literals;
    for (std::string_view value : {"\"hush\""sv,
                                   "'hush'"sv,
                                   "hush # the team's"sv,
                                   "hush hush"sv,
                                   "hush\thush"sv,
                                   "hush\0hush"sv,
                                   "\0"sv,
                                   "hush\rX-Other: hush"sv,
                                   "hush\x1b[2J"sv,
                                   "hush\x7f"sv}) {
      CAPTURE(value);
      World world("# one\nA_KEY=" + std::string(value) + "\n");
      CHECK(world.error().code == ErrorCode::corrupt);
      CHECK(has(world.error().message, "line 2: the value has "));
    }
    World world(std::string("A\0_KEY=hush", 11));
    CHECK(has(world.error().message, "line 1: not `NAME=VALUE`"));
  }

  TEST_CASE("64 KiB are read, and not a byte more") {
    std::string text = "A_KEY=v\n#";
    text.resize(k_most_bytes, 'x');
    World world(text);
    CHECK(world.keys().size() == 1);
    world.write(text + "x");
    CHECK(world.error().code == ErrorCode::too_large);
    // Nor is what has no end.
    fs::resize_file(world.path, std::uintmax_t{1} << 40);
    CHECK(world.error().code == ErrorCode::too_large);
  }
}
