#pragma once
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "skills/agents/resolve.h"
#include "skills/agents/table.h"
#include "skills/library/roots.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace library_test {

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

// A fresh folder, removed at the end unless the test case failed; then its path is told.
class Tree {
public:
  Tree() {
    std::string name = std::filesystem::temp_directory_path() / "upskill-library-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    m_path = std::filesystem::canonical(name).string();
  }

  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  ~Tree() {
    if (assertion_failed) {
      MESSAGE("kept for a look: ", m_path);
    } else {
      std::error_code ignored;
      std::filesystem::remove_all(m_path, ignored);
    }
  }

  const std::string& path() const { return m_path; }

  std::string operator/(std::string_view relative) const {
    return upskill::join_path(m_path, relative);
  }

  void folder(std::string_view relative) {
    REQUIRE(upskill::make_directories(*this / relative).has_value());
  }

  void file(std::string_view relative, std::string_view text) {
    std::string path = *this / relative;
    REQUIRE(upskill::make_directories(upskill::parent_path(path)).has_value());
    std::ofstream out(path, std::ios::binary);
    out << text;
    REQUIRE(out.flush().good());
  }

  void link(std::string_view relative, const std::string& target) {
    std::string path = *this / relative;
    REQUIRE(upskill::make_directories(upskill::parent_path(path)).has_value());
    REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
  }

  // A skill with a SKILL.md in the folder `relative`.
  void skill(std::string_view relative, std::string_view description = "does things") {
    file(std::string(relative) + "/SKILL.md",
         "---\nname: x\ndescription: " + std::string(description) + "\n---\nbody\n");
  }

private:
  std::string m_path;
};

// The machine whose home is `tree`.
inline upskill::agents::Setting setting_of(const Tree& tree, const std::string& project = {}) {
  upskill::Places places;
  places.home = tree.path();
  places.config_home = tree / ".config";
  upskill::Environment environment = [](std::string_view) { return std::nullopt; };
  return {places, environment, upskill::agents::real_probe(), project};
}

inline const upskill::agents::AgentTable& table() {
  static const upskill::agents::AgentTable built_in =
      upskill::agents::AgentTable::built_in().value();
  return built_in;
}

inline std::vector<upskill::library::AgentFolders>
folders_of(const Tree& tree, std::vector<const char*> agents, const std::string& project = {}) {
  std::vector<upskill::library::AgentFolders> folders;
  for (const char* agent : agents) {
    for (auto& one :
         upskill::library::folders_of(*table().find(agent), setting_of(tree, project))) {
      folders.push_back(std::move(one));
    }
  }
  return folders;
}

inline std::vector<upskill::library::Root>
roots_of(const Tree& tree, std::vector<const char*> agents, const std::string& project = {}) {
  return upskill::library::discover_roots(folders_of(tree, std::move(agents), project),
                                          tree.path());
}

} // namespace library_test

REGISTER_LISTENER("failure", 1, library_test::FailureListener);
