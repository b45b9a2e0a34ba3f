#include "tests/support/benign_skills.h"
#include "tests/unit/skills_danger_skills.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace upskill;
using namespace upskill::danger;
using namespace upskill::tests;

namespace {

namespace fs = std::filesystem;

// The bytes of a folder, kept while they are looked at.
struct Folder {
  explicit Folder(const fs::path& root) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::stringstream bytes;
        bytes << file.rdbuf();
        bool is_program = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
        contents.push_back(std::make_unique<std::string>(bytes.str()));
        files.push_back({fs::relative(entry.path(), root).string(), *contents.back(), is_program});
      }
    }
  }

  std::vector<std::unique_ptr<std::string>> contents;
  SkillFiles files;
};

} // namespace

TEST_CASE("no honest skill is severe") {
  for (std::string_view body : k_benign_bodies) {
    DangerReport report = scan_body(body);
    INFO(std::string(body) << "\n-> " << told(report));
    CHECK_FALSE(report.is_severe());
  }
}

TEST_CASE("most honest skills have nothing above a note") {
  std::size_t quiet = 0;
  for (std::string_view body : k_benign_bodies) {
    DangerReport report = scan_body(body);
    quiet += report.findings.empty() || report.findings.front().severity == Severity::note ? 1 : 0;
  }
  CHECK(std::size(k_benign_bodies) >= 60);
  CHECK(quiet * 10 >= std::size(k_benign_bodies) * 8);
}

TEST_CASE("honest skills of several subjects, with references, are not severe") {
  std::mt19937_64 random(7);
  std::size_t severe = 0;
  for (int i = 0; i < 400; ++i) {
    auto pick = [&] { return std::string(k_benign_bodies[random() % std::size(k_benign_bodies)]); };
    std::string skill = document(pick() + "\n" + pick());
    std::string reference = pick();
    DangerReport report = scan({{"SKILL.md", skill}, {"references/more.md", reference}});
    INFO(told(report));
    CHECK_FALSE(report.is_severe());
    severe += report.is_severe() ? 1 : 0;
  }
  CHECK(severe == 0);
}

TEST_CASE("the example skill has nothing above a note") {
  Folder folder(fs::path(UPSKILL_FIXTURES) / "kernel-builder-cuda-kernels");
  REQUIRE(folder.files.size() == 6);
  DangerReport report = scan(folder.files);
  INFO(told(report));
  CHECK((report.findings.empty() || report.findings.front().severity == Severity::note));
}
