#pragma once
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace clients_test {

// A fresh folder, removed when `passed()` was reached, kept and named otherwise.
class Folder {
public:
  Folder() {
    char name[] = "/tmp/upskill-clients-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    m_path = std::filesystem::canonical(name).string();
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  ~Folder() {
    if (m_passed) {
      std::error_code ignored;
      std::filesystem::remove_all(m_path, ignored);
    } else {
      MESSAGE("kept for a look: ", m_path);
    }
  }

  // Call last, with what the case found out.
  void passed(bool all) { m_passed = all; }

  const std::string& path() const { return m_path; }

  std::string operator/(std::string_view name) const { return upskill::join_path(m_path, name); }

  // A program that the shell runs.
  std::string program(std::string_view name, std::string_view script) const {
    std::string file = *this / name;
    REQUIRE(upskill::write_file_atomically(
        file, "#!/bin/sh\n" + std::string(script), 0755, upskill::Durability::process_crash));
    return file;
  }

private:
  std::string m_path;
  bool m_passed = false;
};

} // namespace clients_test
