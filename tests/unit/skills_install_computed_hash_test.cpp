#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/install/computed_hash.h"
#include "skills/install/json_tree.h"
#include "skills/install/locale_order.h"
#include "tests/unit/skills_install_node.h"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::install;
using upskill::tests::put_file;
using upskill::tests::TemporaryFolder;

namespace {

sync::NewFiles files_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  sync::NewFiles files;
  for (const auto& [path, text] : texts) {
    files[path] = {.bytes = text};
  }
  return files;
}

void put_all(const TemporaryFolder& folder, const sync::NewFiles& files) {
  for (const auto& [path, file] : files) {
    std::filesystem::path whole = folder / path;
    std::filesystem::create_directories(whole.parent_path());
    put_file(whole, file.bytes);
  }
}

std::string hash_of(const TemporaryFolder& folder) {
  Result<std::string> hash = computed_hash_of(folder.path());
  REQUIRE_MESSAGE(hash.has_value(), (hash ? "" : hash.error().message));
  return *hash;
}

} // namespace

TEST_SUITE("computed_hash") {
  TEST_CASE("is that of paths and bytes, one after the other") {
    // SHA-256 of "" and of "abc" (FIPS 180-4, its examples).
    CHECK(computed_hash({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(computed_hash(files_of({{"a", "bc"}}))
          == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(computed_hash(files_of({{"ab", "c"}})) == computed_hash(files_of({{"a", "bc"}})));
  }

  TEST_CASE("is taken in the order of localeCompare") {
    sync::NewFiles files = files_of({{"SKILL.md", "1"},
                                     {"references/z.md", "2"},
                                     {"references.md", "3"},
                                     {"references-2/a.md", "4"},
                                     {"README.md", "5"},
                                     {"readme.md", "6"},
                                     {"scripts/run.sh", "7"},
                                     {"10.txt", "8"},
                                     {"9.txt", "9"},
                                     {"_x", "a"},
                                     {".hidden", "b"},
                                     {"\xC3\xA9.md", "c"}, // e with an accent
                                     {"e.md", "d"},
                                     {"f.md", "e"}});
    std::string in_order = "_xa"
                           ".hiddenb"
                           "10.txt8"
                           "9.txt9"
                           "e.mdd"
                           "\xC3\xA9.mdc"
                           "f.mde"
                           "readme.md6"
                           "README.md5"
                           "references-2/a.md4"
                           "references.md3"
                           "references/z.md2"
                           "scripts/run.sh7"
                           "SKILL.md1";
    CHECK(computed_hash(files) == sha256(in_order).hex());
    TemporaryFolder folder;
    put_all(folder, files);
    CHECK(hash_of(folder) == sha256(in_order).hex());
  }

  TEST_CASE("links and what is not the skill's are left out") {
    sync::NewFiles files = files_of({{"SKILL.md", "x"}, {"a/b", "y"}});
    std::string hash = computed_hash(files);
    files["link"] = {.bytes = "", .target = "SKILL.md"};
    files["a/.git/config"] = {.bytes = "z"};
    files["node_modules/x/index.js"] = {.bytes = "z"};
    CHECK(computed_hash(files) == hash);
    files["a/node_modules"] = {.bytes = "a file of that name is one"};
    CHECK(computed_hash(files) != hash);

    TemporaryFolder folder;
    put_all(folder, files_of({{"SKILL.md", "x"}, {"a/b", "y"}, {".git/x", "z"}}));
    put_all(folder, files_of({{"a/node_modules/y/z", "z"}}));
    REQUIRE(::symlink("SKILL.md", (folder / "link").c_str()) == 0);
    REQUIRE(::symlink("/", (folder / "root").c_str()) == 0);
    CHECK(hash_of(folder) == hash);
    put_all(folder, files_of({{"metadata.json", "{}"}, {"__pycache__/x.pyc", "z"}}));
    CHECK(hash_of(folder) != hash); // as it lies there
  }

  TEST_CASE("what is no folder, and what has no end, is an error") {
    TemporaryFolder folder;
    put_file(folder / "file", "x");
    CHECK(computed_hash_of(folder / "none").error().code == ErrorCode::not_found);
    CHECK_FALSE(computed_hash_of(folder / "file").has_value());
    std::string deep = folder.path();
    for (int i = 0; i < 40; ++i) {
      deep += "/d";
    }
    std::filesystem::create_directories(deep);
    CHECK(computed_hash_of(folder.path()).error().code == ErrorCode::too_large);
    TemporaryFolder large;
    put_file(large / "a", "x");
    std::filesystem::resize_file(large / "a", (256u << 20) + 1);
    CHECK(computed_hash_of(large.path()).error().code == ErrorCode::too_large);
  }
}

TEST_SUITE("sort_as_javascript") {
  TEST_CASE("ICU is loaded by the first who sorts, and by no process as it starts") {
    auto* self = static_cast<link_map*>(::dlopen(nullptr, RTLD_NOW));
    REQUIRE(self != nullptr);
    const char* names = nullptr;
    for (const ElfW(Dyn)* row = self->l_ld; row->d_tag != DT_NULL; ++row) {
      names = row->d_tag == DT_STRTAB ? reinterpret_cast<const char*>(row->d_un.d_ptr) : names;
    }
    REQUIRE(names != nullptr);
    for (const ElfW(Dyn)* row = self->l_ld; row->d_tag != DT_NULL; ++row) {
      if (row->d_tag == DT_NEEDED) {
        std::string library = names + row->d_un.d_val;
        CAPTURE(library);
        CHECK(library.find("icu") == std::string::npos);
      }
    }
    std::vector<std::string> sorted{"b", "A", "a", "_"};
    sort_as_javascript(sorted);
    CHECK(sorted == std::vector<std::string>{"_", "a", "A", "b"});
  }

  TEST_CASE("any names are in the order that Node has them in") {
    const std::vector<std::string> letters{"a",
                                           "A",
                                           "b",
                                           "B",
                                           "z",
                                           "Z",
                                           "0",
                                           "1",
                                           "9",
                                           "-",
                                           "_",
                                           ".",
                                           "/",
                                           " ",
                                           "~",
                                           "!",
                                           "(",
                                           "@",
                                           "+",
                                           "$",
                                           "'",
                                           "#",
                                           "\xC3\xA9",
                                           "e\xCC\x81",
                                           "\xC3\x9F",
                                           "ss",
                                           "\xC3\xB6",
                                           "\xC5\x82",
                                           "\xD1\x8F",
                                           "\xCE\xB1",
                                           "\xE6\x8A\x80",
                                           "\xE3\x81\x82",
                                           "\xF0\x9F\x98\x80",
                                           "\xEF\xBC\xA1",
                                           "SKILL.md",
                                           "src/",
                                           "scripts/",
                                           "\xC2\xBD",
                                           "\xEF\xAC\x81"};
    std::mt19937 random(4);
    std::set<std::string> names;
    while (names.size() < 3000) {
      std::string name;
      for (unsigned more = 1 + random() % 6; more > 0; --more) {
        name += letters[random() % letters.size()];
      }
      names.insert(name);
    }
    JsonTree list{.kind = JsonTree::Kind::array};
    for (const std::string& name : names) {
      list.items.push_back(JsonTree::string(name));
    }
    std::optional<std::string> answer = install_test::ask_node(
        "return JSON.stringify(JSON.parse(input).sort((a, b) => a.localeCompare(b)))",
        json_text(list));
    if (!answer) {
      return;
    }
    Result<JsonTree> theirs = read_json(*answer, "node", 1u << 20);
    REQUIRE(theirs);
    REQUIRE(theirs->items.size() == names.size());
    std::vector<std::string> ours(names.rbegin(), names.rend());
    sort_as_javascript(ours);
    for (std::size_t at = 0; at < ours.size(); ++at) {
      CAPTURE(at);
      REQUIRE(ours[at] == theirs->items[at].text);
    }
  }
}
