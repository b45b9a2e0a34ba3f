#include "protocol/base/unique_fd.h"
#include "skills/sync/stage.h"
#include "tests/support/folder.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

using namespace upskill;
using namespace upskill::sync;
using sync_test::FileCall;
using sync_test::WatchedFiles;

namespace {

Entry entry(std::string path, EntryKind kind, std::string_view bytes = {}) {
  Entry one;
  one.path = std::move(path);
  one.kind = kind;
  one.size = bytes.size();
  one.content = sha256(bytes);
  return one;
}

Tree small_tree() {
  return Tree({entry("SKILL.md", EntryKind::file, "text"),
               entry("scripts", EntryKind::folder),
               entry("scripts/run", EntryKind::executable, "text")});
}

Result<StagedCopy>
stage(WatchedFiles& files, const std::string& root, const Tree& tree, const CopyModes& modes) {
  std::filesystem::create_directories(root);
  return Stager(files).stage(
      root, "pdf", tree, modes, [](std::size_t) -> Result<std::string> { return "text"; });
}

Result<StagedCopy> stage(WatchedFiles& files, const std::string& root) {
  return stage(files, root, small_tree(), CopyModes(small_tree()));
}

std::size_t left_below(const std::string& folder) {
  std::filesystem::recursive_directory_iterator all(folder);
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [](const auto& entry) { return entry.path().filename() != ".gitignore"; }));
}

} // namespace

TEST_SUITE("Filesystem") {
  TEST_CASE("a program that did not become one is told on every file system") {
    test::Folder folder;
    Filesystem files;
    const mode_t mask = ::umask(S_IXUSR);
    for (bool keeps : {false, true}) {
      const std::string run = folder / ("run" + std::to_string(keeps));
      const std::string text = folder / ("text" + std::to_string(keeps));
      Result<void> program = files.write_file({run, AT_FDCWD, 0, keeps}, "x", 0755);
      CHECK((!program && program.error().code == ErrorCode::io));
      CHECK(files.write_file({text, AT_FDCWD, 0, keeps}, "x", 0644));
    }
    ::umask(mask);
  }

  TEST_CASE("of file systems that are not known, modes are not believed") {
    UniqueFd made_up(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(made_up);
    CHECK_FALSE(keeps_modes(made_up.get()));
    CHECK_FALSE(keeps_modes(-1));
  }
}

TEST_SUITE("Stager") {
  TEST_CASE("a staged copy is what the tree says") {
    test::Folder folder;
    WatchedFiles files;
    Result<StagedCopy> staged = stage(files, folder / "root");
    REQUIRE(staged);
    CHECK(staged->hash == small_tree().hash());
    CHECK(read_skill(AT_FDCWD, staged->path, {}).tree.hash() == staged->hash);
  }

  // What a file system does that folds or composes names, or somebody who is in there. Where all
  // names are plain nothing of that kind is to be expected, and it is not looked for.
  TEST_CASE("a copy whose names are not those that were written is refused and removed") {
    for (std::string change : {"rename", "add", "remove"}) {
      CAPTURE(change);
      Tree tree({entry("SKILL.md", EntryKind::file, "text"),
                 entry("scripts", EntryKind::folder),
                 entry("scripts/run", EntryKind::executable, "text"),
                 entry("\u00fcber.md", EntryKind::file, "text")});
      test::Folder folder;
      WatchedFiles files;
      files.after = [&](const FileCall& call) {
        if (std::string_view(call.name) == "write_file" && call.path.ends_with("/run")) {
          std::string other = call.path + "2";
          change == "add"      ? std::filesystem::copy_file(call.path, other)
          : change == "rename" ? (std::filesystem::rename(call.path, other), true)
                               : std::filesystem::remove(call.path);
        }
      };
      Result<StagedCopy> staged = stage(files, folder / "root", tree, CopyModes(tree));
      REQUIRE_FALSE(staged);
      CHECK(staged.error().code == ErrorCode::io);
      CHECK(left_below(folder / ".upskill-stage") == 0);
    }
  }

  TEST_CASE("a copy is open to no more people than the one it replaces") {
    test::Folder folder;
    WatchedFiles files;
    test::write(folder / "root/pdf/SKILL.md", "old");
    test::write(folder / "root/pdf/scripts/run", "old");
    auto staged_mode = [&](const StagedCopy& staged, const std::string& path) {
      struct stat status {};
      REQUIRE(::lstat((staged.path + path).c_str(), &status) == 0);
      return status.st_mode & 0777;
    };
    auto set = [&](const std::string& path, mode_t mode) {
      REQUIRE(::chmod((folder / ("root/pdf" + path)).c_str(), mode) == 0);
    };
    // Both ways to know of that copy must say the same.
    auto stage_after = [&](bool is_read) {
      UniqueFd root(::open((folder / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      CopyModes modes(small_tree());
      if (is_read) {
        modes.follow(read_skill(root.get(), "pdf", {}), small_tree());
      } else {
        modes.follow(root.get(), "pdf", small_tree());
      }
      Result<StagedCopy> staged = stage(files, folder / "root", small_tree(), modes);
      REQUIRE(staged);
      return *staged;
    };
    mode_t mask = ::umask(0);
    SUBCASE("nobody else's") {
      set("/SKILL.md", 0600);
      set("/scripts/run", 0600);
      set("/scripts", 0700);
      set("", 0700);
      for (bool is_read : {false, true}) {
        StagedCopy staged = stage_after(is_read);
        CHECK(staged_mode(staged, "") == 0700);
        CHECK(staged_mode(staged, "/SKILL.md") == 0600);
        CHECK(staged_mode(staged, "/scripts") == 0700);
        CHECK(staged_mode(staged, "/scripts/run") == 0700);
      }
    }
    SUBCASE("the group's, and what is new by the folder") {
      std::filesystem::remove_all(folder / "root/pdf/scripts");
      set("/SKILL.md", 0640);
      set("", 0750);
      for (bool is_read : {false, true}) {
        StagedCopy staged = stage_after(is_read);
        CHECK(staged_mode(staged, "") == 0750);
        CHECK(staged_mode(staged, "/SKILL.md") == 0640);
        CHECK(staged_mode(staged, "/scripts") == 0750);
        CHECK(staged_mode(staged, "/scripts/run") == 0750);
      }
    }
    SUBCASE("everybody's, and a file that becomes a program is everybody's still") {
      set("/SKILL.md", 0666);
      set("/scripts/run", 0644);
      set("/scripts", 0755);
      set("", 0777);
      for (bool is_read : {false, true}) {
        StagedCopy staged = stage_after(is_read);
        CHECK(staged_mode(staged, "") == 0755);
        CHECK(staged_mode(staged, "/SKILL.md") == 0644);
        CHECK(staged_mode(staged, "/scripts/run") == 0755);
      }
    }
    ::umask(mask);
  }

  TEST_CASE("a name as long as a file system takes is staged, put back and tidied away") {
    for (std::string name : {std::string(255, 'n'), std::string(229, 'n') + "\u00e4" + "rest"}) {
      CAPTURE(name);
      test::Folder folder;
      WatchedFiles files;
      files.can_exchange = false;
      const std::string root = folder / "root";
      std::filesystem::create_directories(root);
      auto bytes_of = [](std::size_t) -> Result<std::string> { return "text"; };
      Stager stager(files);
      auto staged = stager.stage(root, name, small_tree(), CopyModes(small_tree()), bytes_of);
      REQUIRE(staged);
      REQUIRE(stager.swap_in(root, name, *staged, std::nullopt));
      auto copy = read_skill(AT_FDCWD, join_path(root, name), {});
      REQUIRE(copy.tree.hash() == staged->hash);
      ExpectedCopy expected{staged->hash, copy.stat.fingerprint};

      auto second = stager.stage(root, name, small_tree(), CopyModes(small_tree()), bytes_of);
      REQUIRE(second);
      auto displaced = stager.swap_in(root, name, *second, expected);
      REQUIRE(displaced);
      REQUIRE(*displaced);
      auto left = stager.leftovers(root);
      REQUIRE(left.size() == 1);
      CHECK(left[0] == std::pair((*displaced)->path, name));
      stager.tidy(root);
      CHECK(stager.leftovers(root) == left); // its name is not forgotten while it is there
      REQUIRE(files.remove_tree((*displaced)->path));
      stager.tidy(root);
      CHECK_FALSE(std::filesystem::exists(folder / ".upskill-stage"));
    }
  }

  TEST_CASE("a planted name leads nowhere") {
    test::Folder folder;
    WatchedFiles files;
    const std::string root = folder / "root";
    const std::string begin(230, 'n');
    std::filesystem::create_directories(folder / (".upskill-stage/7-old." + begin));
    std::filesystem::create_directories(root);
    std::filesystem::create_symlink(begin + "/../../out", folder / ".upskill-stage/7-name");
    auto left = Stager(files).leftovers(root);
    REQUIRE(left.size() == 1);
    CHECK(left[0].second == begin);
  }
}
