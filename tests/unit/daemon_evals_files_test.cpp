#include "daemon/evals/answer_file.h"
#include "daemon/evals/fixtures.h"
#include "protocol/base/unique_fd.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>

#include <filesystem>
#include <string>

using namespace upskill;
using namespace upskill::evals;

namespace {

namespace fs = std::filesystem;

void put(const std::string& path, std::string_view text) {
  fs::create_directories(fs::path(path).parent_path());
  tests::put_file(path, text);
}

eval::CaseSuite suite_of(std::vector<std::string> fixtures) {
  eval::CaseSuite suite;
  eval::Case one;
  one.id = "7";
  one.fixture_files = std::move(fixtures);
  suite.cases.push_back(std::move(one));
  return suite;
}

} // namespace

TEST_SUITE("file_of_answer") {
  TEST_CASE("the content of the one block, else all of it") {
    CHECK(file_of_answer("plain text\n") == "plain text\n");
    CHECK(file_of_answer("").empty());
    CHECK(file_of_answer("```python\nprint(1)\n```") == "print(1)\n");
    CHECK(file_of_answer("Here it is:\n\n```\na\n\nb\n```\n\nDone.") == "a\n\nb\n");
    CHECK(file_of_answer("```\n```").empty());
    CHECK(file_of_answer("~~~ json\r\n{}\r\n~~~\r\n") == "{}\r\n");
    for (std::string_view whole : {"```\na\n```\n```\nb\n```",
                                   "```\ncut off",
                                   "a ```b``` c",
                                   "``\na\n``",
                                   "    ```\n    a\n    ```"}) {
      CAPTURE(whole);
      CHECK(file_of_answer(whole) == whole);
    }
  }

  TEST_CASE("a longer fence holds shorter ones") {
    CHECK(file_of_answer("````md\n```sh\nls\n```\n````\n") == "```sh\nls\n```\n");
    CHECK(file_of_answer("~~~\n```\na\n```\n~~~") == "```\na\n```\n");
    // A fence with words behind it closes nothing.
    CHECK(file_of_answer("```\na\n```js\nb\n```\n") == "a\n```js\nb\n");
  }
}

TEST_SUITE("read_fixtures") {
  TEST_CASE("fixtures become files of the case, called as prompts call them") {
    tests::TemporaryFolder skill;
    put(skill / "evals/files/data/sales.csv", "1,2");
    put(skill / "assets/logo.svg", "<svg/>");
    put(skill / "evals/in.txt", "in");
    fs::create_symlink("in.txt", skill / "evals/link.txt");
    UniqueFd fd(::open(skill.path().c_str(), O_RDONLY | O_DIRECTORY));
    eval::CaseSuite suite = suite_of(
        {"evals/files/data/sales.csv", "assets/logo.svg", "evals/in.txt", "evals/link.txt"});
    suite.cases[0].context_files["in.txt"] = "the case's own";
    REQUIRE(read_fixtures(fd.get(), suite));
    CHECK(suite.cases[0].context_files
          == std::map<std::string, std::string>{{"assets/logo.svg", "<svg/>"},
                                                {"data/sales.csv", "1,2"},
                                                {"in.txt", "the case's own"},
                                                {"link.txt", "in"}});
  }

  TEST_CASE("what cannot be had names the case and the file") {
    tests::TemporaryFolder skill;
    fs::create_symlink("/etc/passwd", skill / "link");
    fs::create_directory(skill / "folder");
    put(skill / "evals/a", "1");
    put(skill / "a", "2");
    put(skill / "large", std::string((4u << 20) + 1, 'x'));
    UniqueFd fd(::open(skill.path().c_str(), O_RDONLY | O_DIRECTORY));

    struct {
      std::vector<std::string> fixtures;
      ErrorCode code;
    } wrong[] = {{{"nothing"}, ErrorCode::not_found},
                 {{"link"}, ErrorCode::refused},
                 {{"folder"}, ErrorCode::refused},
                 {{"evals/a", "a"}, ErrorCode::invalid_argument},
                 {{"large"}, ErrorCode::too_large}};

    for (const auto& [fixtures, code] : wrong) {
      eval::CaseSuite suite = suite_of(fixtures);
      Result<void> read = read_fixtures(fd.get(), suite);
      REQUIRE_FALSE(read.has_value());
      CHECK(read.error().code == code);
      CHECK(read.error().message.starts_with("case `7`: the fixture `" + fixtures.back() + "` "));
    }
  }

  TEST_CASE("together they are bounded") {
    tests::TemporaryFolder skill;
    std::vector<std::string> names;
    for (int i = 0; i < 5; ++i) {
      names.push_back("large" + std::to_string(i));
      put(skill / names.back(), std::string(4u << 20, 'x'));
    }
    UniqueFd fd(::open(skill.path().c_str(), O_RDONLY | O_DIRECTORY));
    eval::CaseSuite suite = suite_of(names);
    Result<void> read = read_fixtures(fd.get(), suite);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == ErrorCode::too_large);
  }
}
