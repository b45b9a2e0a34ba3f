#include "protocol/base/hash.h"
#include "skills/install/pack.h"
#include "skills/install/unpack.h"
#include "tests/support/folder.h"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

using namespace upskill;
using namespace upskill::install;

namespace {

const std::string k_document = "---\nname: pdf\ndescription: d\n---\n" + std::string(2000, 'x');

sync::NewFiles skill() {
  return {{"SKILL.md", {k_document}},
          {"scripts/run", {"#!/bin/sh\n", true}},
          {"references/gr\xC3\xBC.md", {"text"}},
          {"references/empty", {""}}};
}

int run(const std::string& command) {
  int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_SUITE("pack") {
  TEST_CASE("what is packed can be unpacked, programs and all") {
    Result<Packed> packed = pack("pdf", skill());
    REQUIRE(packed);
    CHECK(packed->files
          == std::vector<std::string>{
              "SKILL.md", "references/empty", "references/gr\xC3\xBC.md", "scripts/run"});
    CHECK(packed->left_out.empty());
    CHECK(packed->bytes.size() < k_document.size()); // it is deflated
    test::Folder folder;
    test::write(folder / "pdf.skill", packed->bytes);
    std::filesystem::create_directories(folder / "into");
    Result<void> done = unpack(folder / "pdf.skill", folder / "into");
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    for (const auto& [path, file] : skill()) {
      std::string placed = folder / ("into/pdf/" + path);
      CHECK(test::read(placed) == file.bytes);

      struct stat status {};

      REQUIRE(::stat(placed.c_str(), &status) == 0);
      CHECK(((status.st_mode & 0100) != 0) == file.is_program);
    }
  }

  TEST_CASE("the same bytes, always") {
    std::string bytes = pack("pdf", skill())->bytes;
    CHECK(pack("pdf", skill())->bytes == bytes);
    // A name, a byte, a program more: other bytes.
    sync::NewFiles other = skill();
    other["references/empty"].is_program = true;
    CHECK(pack("pdf", other)->bytes != bytes);
    CHECK(pack("pdg", skill())->bytes != bytes);
  }

  TEST_CASE("a digest that is known, for whoever compares packages of two builds") {
    // Put together in Python from `struct` and `zlib`, field by field.
    std::string document = "---\nname: a\ndescription: d\n---\n";
    for (int i = 0; i < 20; ++i) {
      document += "Word. ";
    }
    Result<Packed> packed = pack("a", {{"SKILL.md", {document}}, {"run", {"x", true}}});
    REQUIRE(packed);
    CHECK(packed->bytes.size() == 245);
    CHECK(sha256(packed->bytes).hex()
          == "44db013f9616ee4a2862bf0bd844d169028777343de4cbd9225d28b16f417e08");
  }

  TEST_CASE("what belongs to the author stays at home") {
    sync::NewFiles files = skill();
    for (const char* path : {"evals/evals.json",
                             "scripts/__pycache__/a.pyc",
                             "scripts/b.pyc",
                             ".DS_Store",
                             "assets/.DS_Store",
                             "web/node_modules/x/index.js"}) {
      files[path].bytes = "x";
    }
    files["references/evals/kept.md"].bytes = "x"; // only that at the root is left out
    files["evals.md"].bytes = "x";
    Result<Packed> packed = pack("pdf", files);
    REQUIRE(packed);
    CHECK(packed->left_out
          == std::vector<std::string>{".DS_Store",
                                      "assets/.DS_Store",
                                      "evals/evals.json",
                                      "scripts/__pycache__/a.pyc",
                                      "scripts/b.pyc",
                                      "web/node_modules/x/index.js"});
    CHECK(packed->files.size() == skill().size() + 2);
    CHECK(packed->bytes.find("pyc") == std::string::npos);
  }

  TEST_CASE("what is no skill, or has links") {
    CHECK(pack("pdf", {{"a.md", {"x"}}}).error().code == ErrorCode::invalid_argument);
    CHECK(pack("pdf", {{"SKILL.md", {""}}}).error().code == ErrorCode::invalid_argument);
    CHECK(pack("pdf", {{"SKILL.md", {"---\nname: pdf\n---\nText.\n"}}}).error().code
          == ErrorCode::invalid_argument); // skill-creator does not take it either
    CHECK(pack("../pdf", skill()).error().code == ErrorCode::invalid_argument);
    CHECK(pack("con", skill()).error().code == ErrorCode::invalid_argument);
    sync::NewFiles linked = skill();
    linked["link"].target = "SKILL.md";
    CHECK(pack("pdf", linked).error().code == ErrorCode::invalid_argument);
    sync::NewFiles out = skill();
    out["../x"].bytes = "x";
    CHECK(pack("pdf", out).error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("Python reads it") {
    if (run("python3 -c 'import zipfile' 2>/dev/null") != 0) {
      MESSAGE("skipped: no python3 here");
      return;
    }
    test::Folder folder;
    test::write(folder / "pdf.skill", pack("pdf", skill())->bytes);
    test::write(folder / "check.py",
                "import sys, zipfile\n"
                "z = zipfile.ZipFile(sys.argv[1])\n"
                "assert z.testzip() is None\n"
                "names = ['pdf/SKILL.md', 'pdf/references/empty', 'pdf/references/gr\\u00fc.md', "
                "'pdf/scripts/run']\n"
                "assert z.namelist() == names, z.namelist()\n"
                "assert z.read('pdf/scripts/run') == b'#!/bin/sh\\n'\n"
                "assert z.getinfo('pdf/scripts/run').external_attr >> 16 == 0o100755\n"
                "assert z.getinfo('pdf/SKILL.md').external_attr >> 16 == 0o100644\n"
                "assert z.getinfo('pdf/SKILL.md').date_time == (1980, 1, 1, 0, 0, 0)\n");
    CHECK(run("python3 " + (folder / "check.py") + " " + (folder / "pdf.skill")) == 0);
  }

  TEST_CASE("what Python packs can be unpacked") {
    if (run("python3 -c 'import zipfile, tarfile' 2>/dev/null") != 0) {
      MESSAGE("skipped: no python3 here");
      return;
    }
    test::Folder folder;
    test::write(folder / "pdf/SKILL.md", k_document);
    test::write(folder / "pdf/references/gr\xC3\xBC.md", "text");
    for (const char* form : {"zip", "gztar", "tar"}) {
      CAPTURE(form);
      std::string into = folder / ("into-" + std::string(form));
      std::filesystem::create_directories(into);
      REQUIRE(run("cd " + folder.path() + " && python3 -c \"import shutil; shutil.make_archive('"
                  + form + "', '" + form + "', '.', 'pdf')\"")
              == 0);
      std::string ending = form == std::string("gztar") ? "tar.gz" : form;
      Result<void> done = unpack(folder / (std::string(form) + "." + ending), into);
      REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
      CHECK(test::read(into + "/pdf/SKILL.md") == k_document);
      CHECK(test::read(into + "/pdf/references/gr\xC3\xBC.md") == "text");
    }
  }
}
