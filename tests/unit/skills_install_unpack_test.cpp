#include "skills/install/unpack.h"
#include "tests/support/folder.h"
#include "tests/unit/skills_install_archives.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>

using namespace upskill;
using namespace install_test;
namespace fs = std::filesystem;

namespace {

const std::string k_document = "---\nname: pdf\ndescription: d\n---\nText.\n";

// A folder in a folder, so that what leads out of it by one step is seen.
struct World {
  test::Folder folder;
  std::string into = folder / "outer/into";
  std::string archive = folder / "archive";

  World() { fs::create_directories(into); }

  Result<void> unpack(const std::string& bytes, const UnpackLimits& limits = {}) {
    test::write(archive, bytes);
    return install::unpack(archive, into, limits);
  }

  // Names of everything that is there, but for the archive itself.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      std::string name = fs::relative(entry.path(), folder.path()).string();
      if (name != "archive" && name != "outer" && name != "outer/into") {
        found.push_back(name);
      }
    }
    std::ranges::sort(found);
    return found;
  }

  std::string text(const std::string& name) const { return test::read(join_path(into, name)); }
};

ErrorCode refusal(const std::string& bytes, const UnpackLimits& limits = {}) {
  World world;
  Result<void> done = world.unpack(bytes, limits);
  for (const std::string& name : world.names()) { // what was written lies inside
    CHECK_MESSAGE(name.starts_with("outer/into/"), name);
  }
  REQUIRE_FALSE(done);
  INFO(done.error().message);
  CHECK_FALSE(done.error().message.empty());
  return done.error().code;
}

bool is_program(const std::string& path) {
  struct stat status {};

  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return (status.st_mode & 0111) != 0;
}

} // namespace

TEST_SUITE("unpack") {
  TEST_CASE("a zip with folders, programs and links inside") {
    World world;
    std::string bytes =
        zip({{.name = "pdf/", .mode = S_IFDIR | 0755, .is_deflated = false},
             {.name = "pdf/SKILL.md", .bytes = k_document},
             {.name = "pdf/scripts/run", .bytes = "#!/bin/sh\n", .mode = S_IFREG | S_ISUID | 0777},
             {.name = "pdf/scripts/again",
              .bytes = "../SKILL.md",
              .mode = S_IFLNK | 0777,
              .is_deflated = false},
             {.name = "pdf/late", .bytes = "described", .is_described = true}});
    Result<void> done = world.unpack(bytes);
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    CHECK(world.text("pdf/SKILL.md") == k_document);
    CHECK(world.text("pdf/late") == "described");
    CHECK(fs::read_symlink(world.into + "/pdf/scripts/again") == "../SKILL.md");
    CHECK(is_program(world.into + "/pdf/scripts/run"));
    CHECK_FALSE(is_program(world.into + "/pdf/SKILL.md"));

    struct stat status {};

    REQUIRE(::stat((world.into + "/pdf/scripts/run").c_str(), &status) == 0);
    CHECK((status.st_mode & (S_ISUID | S_IWOTH)) == 0);
  }

  TEST_CASE("a tar, plain and packed, with a long name") {
    std::string name = std::string(90, 'a') + "/" + std::string(90, 'b');
    std::vector<Tarred> entries{{.name = "./pdf/", .type = '5', .mode = 0755},
                                {.name = "./pdf/SKILL.md", .bytes = k_document},
                                {.name = "pdf/run", .bytes = "#!/bin/sh\n", .mode = 04755},
                                {.name = "pdf/link", .type = '2', .link = "SKILL.md"},
                                pax_path(name),
                                {.name = "short", .bytes = "long"}};
    for (const std::string& bytes : {tar(entries), gzip(tar(entries))}) {
      World world;
      Result<void> done = world.unpack(bytes);
      REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
      CHECK(world.text("pdf/SKILL.md") == k_document);
      CHECK(world.text(name) == "long");
      CHECK(fs::read_symlink(world.into + "/pdf/link") == "SKILL.md");
      CHECK(is_program(world.into + "/pdf/run"));
    }
  }

  TEST_CASE("names of other languages come out byte for byte") {
    const std::string composed = "gr\xC3\xBC\xC3\x9F"
                                 "e.md";
    const std::string decomposed = "o\xCC\x88.md";
    World zipped;
    REQUIRE(zipped.unpack(zip({{.name = composed, .bytes = "x"}, {.name = decomposed}})));
    CHECK(zipped.names()
          == std::vector<std::string>{"outer/into/" + composed, "outer/into/" + decomposed});
    World older; // whose names are in another code, and told again in UTF-8
    const std::string raw = "gr\x81.md";
    const std::string told = "gr\xC3\xBC.md";
    std::string extra = "\x01" + little(crc32_of(raw), 4) + told;
    extra = little(0x7075, 2) + little(extra.size(), 2) + extra;
    REQUIRE(older.unpack(zip({{.name = raw, .bytes = "x", .flags = 0, .extra = extra}})));
    CHECK(older.text(told) == "x");
    World tarred;
    REQUIRE(tarred.unpack(tar(
        {{.name = composed, .bytes = "x"}, pax_path(decomposed), {.name = "o", .bytes = "y"}})));
    CHECK(tarred.text(composed) == "x");
    CHECK(tarred.text(decomposed) == "y");
  }

  TEST_CASE("what Finder adds is left out") {
    World world;
    REQUIRE(world.unpack(zip({{.name = "pdf/SKILL.md", .bytes = k_document},
                              {.name = "__MACOSX/pdf/._SKILL.md", .bytes = "fork"}})));
    CHECK(world.names() == std::vector<std::string>{"outer/into/pdf", "outer/into/pdf/SKILL.md"});
  }

  TEST_CASE("paths that lead out, or nowhere") {
    for (const std::string& name : {std::string("../out"),
                                    std::string("a/../../out"),
                                    std::string("/out"),
                                    std::string("C:/out"),
                                    std::string("c:out"),
                                    std::string("a\\..\\out"),
                                    std::string("a\nb"),
                                    std::string("a\x7f"),
                                    std::string("\xff\xfe"),
                                    std::string(256, 'x')}) {
      CAPTURE(name);
      CHECK(refusal(zip({{.name = name, .bytes = "x"}})) == ErrorCode::refused);
      if (name.find('\n') == std::string::npos) { // there it would be a damaged header
        CHECK(refusal(tar({pax_path(name), {.name = "a", .bytes = "x"}})) == ErrorCode::refused);
      }
    }
    CHECK(refusal(zip({{.name = std::string("a\0b", 3), .bytes = "x"}})) == ErrorCode::refused);
    CHECK(refusal(zip({{.name = "./", .bytes = "", .mode = S_IFREG, .is_deflated = false},
                       {.name = ".", .bytes = "x"}}))
          == ErrorCode::refused);
  }

  TEST_CASE("links out, and files through links") {
    for (const std::string& target : {"../x", "/etc/passwd", "a/../../x", "", "..\\x"}) {
      CAPTURE(target);
      CHECK(refusal(
                zip({{.name = "l", .bytes = target, .mode = S_IFLNK | 0777, .is_deflated = false}}))
            == ErrorCode::refused);
      CHECK(refusal(tar({{.name = "l", .type = '2', .link = target}})) == ErrorCode::refused);
    }
    CHECK(refusal(zip({{.name = "d/x", .bytes = "x"},
                       {.name = "l", .bytes = "d", .mode = S_IFLNK | 0777, .is_deflated = false},
                       {.name = "l/y", .bytes = "y"}}))
          == ErrorCode::refused);
    CHECK(refusal(tar({{.name = "a", .bytes = "x"}, {.name = "h", .type = '1', .link = "a"}}))
          == ErrorCode::refused);
    World hard;
    Result<void> done = hard.unpack(tar({{.name = "h", .type = '1', .link = "/etc/passwd"}}));
    REQUIRE_FALSE(done);
    CHECK(done.error().message == "the archive has a hard link at `h`");
  }

  TEST_CASE("a folder that is a link already is not followed") {
    World world;
    fs::create_directories(world.folder / "elsewhere");
    fs::create_directory_symlink(world.folder / "elsewhere", world.into + "/pdf");
    CHECK_FALSE(world.unpack(zip({{.name = "pdf/SKILL.md", .bytes = k_document}})));
    CHECK(fs::is_empty(world.folder / "elsewhere"));
  }

  TEST_CASE("neither files nor folders") {
    for (char type : {'3', '4', '6'}) {
      CHECK(refusal(tar({{.name = "x", .type = type}})) == ErrorCode::refused);
    }
    for (std::uint32_t mode : {S_IFIFO, S_IFCHR, S_IFBLK, S_IFSOCK}) {
      CHECK(refusal(zip({{.name = "x", .mode = mode | 0644}})) == ErrorCode::refused);
    }
  }

  TEST_CASE("two entries of one name, however it is written") {
    std::vector<std::vector<std::string>> twice{{"SKILL.md", "SKILL.md"},
                                                {"SKILL.md", "skill.MD"},
                                                {"a/./b", "a//b"},
                                                {"A/x", "a/y"},
                                                {"a", "a/b"},
                                                {"a/b", "a"},
                                                {"\xC3\xB6", "o\xCC\x88"},
                                                {"stra\xC3\x9F"
                                                 "e",
                                                 "STRASSE"}};
    for (const std::vector<std::string>& names : twice) {
      CAPTURE(names[0]);
      CHECK(refusal(zip({{.name = names[0], .bytes = "1"}, {.name = names[1], .bytes = "2"}}))
            == ErrorCode::refused);
      CHECK(refusal(tar({{.name = names[0], .bytes = "1"}, {.name = names[1], .bytes = "2"}}))
            == ErrorCode::refused);
    }
    World folders; // may be told again
    CHECK(folders.unpack(tar(
        {{.name = "a/", .type = '5'}, {.name = "a/b", .bytes = "x"}, {.name = "a", .type = '5'}})));
  }

  TEST_CASE("a zip whose headers disagree") {
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .local_name = "skill.sh"}}))
          == ErrorCode::refused);
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .local_size = 2}}))
          == ErrorCode::refused);
    std::string flags = zip({{.name = "SKILL.md", .bytes = "x"}});
    flags[6] ^= 8; // of the local header: sizes come later
    CHECK(refusal(flags) == ErrorCode::refused);
    std::string method = zip({{.name = "SKILL.md", .bytes = "x"}});
    method[8] = 0;
    CHECK(refusal(method) == ErrorCode::refused);
  }

  TEST_CASE("a zip with more in it than its directory says") {
    std::string hidden = zip({{.name = "hidden", .bytes = "x"}});
    hidden.resize(hidden.find("PK\x01\x02"));
    std::vector<Zipped> shown{{.name = "SKILL.md", .bytes = k_document}};
    CHECK(refusal(zip(shown, hidden)) == ErrorCode::refused);
    CHECK(refusal(zip(shown, "", hidden)) == ErrorCode::refused);
    CHECK(refusal(zip(shown) + "behind") == ErrorCode::corrupt);
    World commented;
    CHECK(commented.unpack(zip(shown, "", "", "a comment is allowed")));
  }

  TEST_CASE("an entry of a zip that lies in another, as in bombs that use one many times") {
    std::string inner = zip({{.name = "b", .bytes = "x"}});
    inner.resize(inner.find("PK\x01\x02"));
    std::string bytes =
        zip({{.name = "a", .bytes = inner, .is_deflated = false}, {.name = "b", .bytes = "x"}});
    bytes.erase(31 + inner.size(), inner.size()); // behind the local header of the first
    bytes.replace(bytes.rfind("PK\x01\x02") + 42, 4, little(31, 4));
    bytes.replace(bytes.size() - 6, 4, little(31 + inner.size(), 4)); // where the directory is
    CHECK(refusal(bytes) == ErrorCode::refused);
  }

  TEST_CASE("encryption, and methods that are not read") {
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .flags = 1u << 11 | 1}}))
          == ErrorCode::refused);
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .method = 14}})) == ErrorCode::refused);
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .is_deflated = false, .method = 12}}))
          == ErrorCode::refused);
  }

  TEST_CASE("damaged checksums and sizes") {
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "x", .checksum = 1}})) == ErrorCode::corrupt);
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "xyz", .size = 2}})) == ErrorCode::corrupt);
    CHECK(refusal(zip({{.name = "SKILL.md", .bytes = "xyz", .size = 4}})) == ErrorCode::corrupt);
    CHECK(refusal(zip({{.name = "a", .bytes = "xyz", .is_deflated = false, .size = 2}}))
          == ErrorCode::corrupt);
    std::string packed = gzip(tar({{.name = "SKILL.md", .bytes = k_document}}));
    packed[packed.size() - 6] ^= 1; // of its CRC-32
    CHECK(refusal(packed) == ErrorCode::corrupt);
  }

  TEST_CASE("cut off anywhere, and noise") {
    std::string whole =
        zip({{.name = "SKILL.md", .bytes = k_document}, {.name = "b", .bytes = "x"}});
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      World world;
      CHECK_FALSE(world.unpack(whole.substr(0, size)));
    }
    std::string packed = gzip(tar({{.name = "SKILL.md", .bytes = k_document}}));
    for (std::size_t size = 0; size < packed.size(); ++size) {
      CAPTURE(size);
      World world;
      CHECK_FALSE(world.unpack(packed.substr(0, size)));
    }
    std::string plain = tar({{.name = "SKILL.md", .bytes = std::string(3000, 'x')}});
    CHECK(refusal(plain.substr(0, 2000)) == ErrorCode::corrupt);
    CHECK(refusal(tar(
              {{.name = "p", .bytes = "99 path=b\n", .type = 'x'}, {.name = "a", .bytes = "x"}}))
          == ErrorCode::corrupt); // others may read on where this says
    CHECK(refusal("<!doctype html><title>Not found</title>") == ErrorCode::corrupt);
    CHECK(refusal(zip({})) == ErrorCode::corrupt);
    CHECK(refusal(std::string(1024, '\0')) == ErrorCode::corrupt);
  }

  TEST_CASE("every byte of a zip changed by one bit is refused or harmless") {
    const std::string whole = zip({{.name = "SKILL.md", .bytes = k_document},
                                   {.name = "run", .bytes = "x\n", .mode = S_IFREG | 0755}});
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
        World world;
        if (world.unpack(changed)) { // times, versions, modes: then the bytes are those that were
          CAPTURE(at);
          CHECK(world.text("SKILL.md") == k_document);
          CHECK(world.text("run") == "x\n");
        }
      }
    }
  }

  TEST_CASE("bombs") {
    std::string zeros(1u << 20, '\0');
    UnpackLimits small{.bytes = 1u << 22, .file_bytes = 1u << 18};
    CHECK(refusal(zip({{.name = "a", .bytes = zeros}}), small) == ErrorCode::too_large);
    CHECK(refusal(gzip(tar({{.name = "a", .bytes = zeros}})), small) == ErrorCode::too_large);
    small = {.bytes = 1u << 19, .file_bytes = 1u << 21}; // all of them count together
    CHECK(refusal(zip({{.name = "a", .bytes = zeros}}), small) == ErrorCode::too_large);
    std::vector<Zipped> several(3, {.bytes = std::string(200'000, 'x')});
    for (std::size_t i = 0; i < several.size(); ++i) {
      several[i].name = std::to_string(i);
    }
    CHECK(refusal(zip(several), small) == ErrorCode::too_large);
    // Headers may promise little: what comes out counts.
    World lying;
    Result<void> done = lying.unpack(zip({{.name = "a", .bytes = zeros, .size = 10}}), small);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::corrupt);
    CHECK(lying.text("a").size() <= 10);
    // A sparse file of 4 GiB in a few bytes of a tar.
    CHECK(refusal(tar({{.name = "a", .bytes = "x", .hole = 1ULL << 32}})) == ErrorCode::too_large);
    World sparse;
    REQUIRE(sparse.unpack(tar({{.name = "a", .bytes = "x", .hole = 1024}})));
    CHECK(sparse.text("a") == std::string(1024, '\0') + "x");
    // What is packed around the files, which no file counts.
    std::string around = tar({{.name = "a", .bytes = "x"}}) + std::string(40u << 20, '\0');
    UnpackLimits few{.bytes = 1u << 20, .files = 10};
    CHECK(refusal(gzip(around), few) == ErrorCode::too_large);
  }

  TEST_CASE("too many files, too deep, too many bytes") {
    std::vector<Zipped> many;
    for (int i = 0; i < 11; ++i) {
      many.push_back({.name = std::to_string(i), .bytes = ""});
    }
    CHECK(refusal(zip(many), {.files = 10}) == ErrorCode::too_large);
    std::vector<Tarred> folders; // made by the way, they count too
    for (int i = 0; i < 4; ++i) {
      folders.push_back({.name = std::to_string(i) + "/a/b", .bytes = ""});
    }
    CHECK(refusal(tar(folders), {.files = 11}) == ErrorCode::too_large);
    CHECK(refusal(zip({{.name = "a/b/c/d", .bytes = ""}}), {.depth = 3}) == ErrorCode::too_large);
    std::string bytes = zip({{.name = "a", .bytes = "x"}});
    CHECK(refusal(bytes, {.packed_bytes = bytes.size() - 1}) == ErrorCode::too_large);
    World enough;
    CHECK(enough.unpack(zip({{.name = "a/b/c", .bytes = ""}}),
                        {.packed_bytes = 1000, .files = 3, .depth = 3}));
  }

  TEST_CASE("no archive there, and a folder that is none") {
    World world;
    CHECK(install::unpack(world.folder / "missing", world.into).error().code
          == ErrorCode::not_found);
    test::write(world.archive, zip({{.name = "a", .bytes = "x"}}));
    CHECK_FALSE(install::unpack(world.archive, world.archive));
  }
}
