#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace upskill::tests {
namespace {

std::vector<std::string> g_folders;

// What knows whether a case passed is its end, not a destructor within it.
struct FolderListener final : doctest::IReporter {
  explicit FolderListener(const doctest::ContextOptions&) {}

  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    for (const std::string& folder : g_folders) {
      std::error_code ignored;
      if (stats.failure_flags == 0) {
        std::filesystem::remove_all(folder, ignored);
      } else {
        std::fprintf(stderr, "kept: %s\n", folder.c_str());
      }
    }
    g_folders.clear();
  }

  void report_query(const doctest::QueryData&) override {}

  void test_run_start() override {}

  void test_run_end(const doctest::TestRunStats&) override {}

  void test_case_start(const doctest::TestCaseData&) override {}

  void test_case_reenter(const doctest::TestCaseData&) override {}

  void test_case_exception(const doctest::TestCaseException&) override {}

  void subcase_start(const doctest::SubcaseSignature&) override {}

  void subcase_end() override {}

  void log_assert(const doctest::AssertData&) override {}

  void log_message(const doctest::MessageData&) override {}

  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("temporary_folders", 1, FolderListener);

} // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "upskill-test-XXXXXX";
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  m_path = std::filesystem::canonical(pattern);
  g_folders.push_back(m_path);
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE_MESSAGE(file.good(), path);
}

mode_t mode_of(const std::string& path) {
  struct stat status {};

  REQUIRE_MESSAGE(::lstat(path.c_str(), &status) == 0, path);
  return status.st_mode & 07777;
}

} // namespace upskill::tests
