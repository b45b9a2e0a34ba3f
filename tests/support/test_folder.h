#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

namespace upskill::tests {

// A fresh folder, removed at the end; when the test has failed it stays and its path is printed.
class TestFolder {
public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "upskill-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      FAIL("no temporary folder");
    }
    m_path = std::filesystem::canonical(pattern).string();
  }

  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  ~TestFolder() {
    if (std::uncaught_exceptions() > 0 || m_failed) {
      std::cerr << "kept for a look: " << m_path << '\n';
      return;
    }
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }

  // For a check that goes on: says that the folder is worth keeping.
  bool note(bool passed) {
    m_failed = m_failed || !passed;
    return passed;
  }

  const std::string& path() const { return m_path; }

private:
  std::string m_path;
  bool m_failed = false;
};

} // namespace upskill::tests
