#pragma once
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace upskill::test {

inline bool assertion_failed = false;

// Remembers that the running case failed, so that its folder is kept.
struct FailureListener : doctest::IReporter {
  explicit FailureListener(const doctest::ContextOptions&) {}

  void report_query(const doctest::QueryData&) override {}

  void test_run_start() override {}

  void test_run_end(const doctest::TestRunStats&) override {}

  void test_case_start(const doctest::TestCaseData&) override { assertion_failed = false; }

  void test_case_reenter(const doctest::TestCaseData&) override {}

  void test_case_end(const doctest::CurrentTestCaseStats&) override {}

  void test_case_exception(const doctest::TestCaseException&) override { assertion_failed = true; }

  void subcase_start(const doctest::SubcaseSignature&) override {}

  void subcase_end() override {}

  void log_assert(const doctest::AssertData& data) override {
    assertion_failed = assertion_failed || data.m_failed;
  }

  void log_message(const doctest::MessageData&) override {}

  void test_case_skipped(const doctest::TestCaseData&) override {}
};

// A fresh folder, removed at the end unless the case failed; then its path is told.
class Folder {
public:
  explicit Folder(const std::string& parent = "/tmp") {
    std::string name = parent + "/upskill-test-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    m_path = std::filesystem::canonical(name).string();
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  ~Folder() {
    if (assertion_failed) {
      MESSAGE("kept for a look: ", m_path);
    } else {
      std::error_code ignored;
      std::filesystem::remove_all(m_path, ignored);
    }
  }

  const std::string& path() const { return m_path; }

  std::string operator/(std::string_view relative) const { return join_path(m_path, relative); }

private:
  std::string m_path;
};

inline void write(const std::string& path, std::string_view bytes, mode_t mode = 0644) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  REQUIRE(write_file_atomically(path, bytes, mode, Durability::process_crash));
}

inline std::string read(const std::string& path) {
  auto bytes = read_file(path, 64u << 20);
  return bytes ? *bytes : "error: " + bytes.error().message;
}

inline bool exists(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

// Root may write everywhere, so permissions are tested as somebody else.
class AsNobody {
public:
  AsNobody()
      : m_was_root(::geteuid() == 0) {
    if (m_was_root) {
      REQUIRE(::seteuid(65534) == 0);
    }
  }

  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

  ~AsNobody() {
    if (m_was_root && ::seteuid(0) != 0) {
      std::abort();
    }
  }

private:
  bool m_was_root;
};

} // namespace upskill::test

REGISTER_LISTENER("store_failures", 1, upskill::test::FailureListener);
