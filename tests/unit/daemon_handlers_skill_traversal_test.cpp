#include "daemon/handlers/skill_manifest.h"
#include "protocol/base/utf8.h"
#include "tests/support/skills_world.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

using namespace upskill;
using namespace upskill::daemon;
using tests::SkillsWorld;

namespace {

constexpr std::string_view k_secret = "s3cret, not of any skill";

// Does a thing over and over on a thread of its own, as an attacker beside us would.
class Churn {
public:
  explicit Churn(std::function<void()> step)
      : m_thread([this, step = std::move(step)] {
        while (!m_ends) {
          step();
          ++m_rounds;
          m_rounds.notify_one();
        }
      }) {
    m_rounds.wait(0); // a busy machine may let it wait for longer than the test takes
  }

  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;

  ~Churn() {
    m_ends = true;
    m_thread.join();
  }

  int rounds() const { return m_rounds; }

private:
  std::atomic<bool> m_ends = false;
  std::atomic<int> m_rounds = 0;
  std::thread m_thread; // last: it uses the others
};

// rename(2) that exchanges both, so that each path always has something.
void exchange(const std::string& a, const std::string& b) {
  ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), 2 /* RENAME_EXCHANGE */);
}

Result<mcp::Answer> read(SkillsWorld& world, std::string uri) {
  return world.run(world.resources().read(std::move(uri), {}));
}

std::string bytes_of(const Result<mcp::Answer>& answer) {
  return answer ? std::get<mcp::ResourceContents>(*answer).bytes : std::string();
}

} // namespace

TEST_SUITE("paths through skill addresses") {
  TEST_CASE("no spelling of a path leads out of the skill") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/sub/x", "inside");
    world.skill(".agents/skills/a_evil", "begins like the other");
    world.file(".agents/skills/a_evil/x", k_secret);
    world.file("secret", k_secret);
    world.link(".agents/skills/a/absolute", world / "secret");
    world.link(".agents/skills/a/relative", "../../../secret");
    world.link(".agents/skills/a/folder", "../../..");
    world.link(".agents/skills/a/sibling", "../a_evil");
    world.link(".agents/skills/a/proc", "/proc/self/root");
    world.link(".agents/skills/a/chain", "absolute");
    world.link(".agents/skills/a/loop", "loop");
    for (std::string uri : {"skill://a/../../../secret",
                            "skill://a/%2e%2e/%2e%2e/%2e%2e/secret",
                            "skill://a/%2E%2E/%2E%2e/.%2e/secret",
                            "skill://a/..%2f..%2f..%2fsecret",
                            "skill://a/%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret",
                            "skill://a/%252e%252e/secret",
                            "skill://a/..%5c..%5c..%5csecret",
                            "skill://a/..\\..\\..\\secret",
                            "skill://a/../a_evil/x",
                            "skill://a/%2e%2e/a_evil/x",
                            "skill://a_evil/../a_evil_evil/x",
                            "skill://a/_evil/x",
                            "skill://a%2f..%2fa_evil/x",
                            "skill://a//etc/passwd",
                            "skill:///etc/passwd",
                            "skill:////etc/passwd",
                            "skill://a/sub//x",
                            "skill://a/sub/./x",
                            "skill://a/./sub/x",
                            "skill://a/sub/x/",
                            "skill://a/sub/x%00",
                            "skill://a/sub/x%00.md",
                            "skill://a/absolute",
                            "skill://a/relative",
                            "skill://a/folder/secret",
                            "skill://a/sibling/x",
                            "skill://a/proc/etc/passwd",
                            "skill://a/chain",
                            "skill://a/loop",
                            "skill://./a/SKILL.md",
                            "skill://../a/SKILL.md",
                            "skill://%2e%2e/skills/a/SKILL.md",
                            "skill://user@a/SKILL.md",
                            "skill://a:80/SKILL.md",
                            "skill://a/SKILL.md?x",
                            "skill://a/SKILL.md#x",
                            "skill://a/sub/%c0%ae%c0%ae/x", // overlong dots
                            "skill://a/sub/%ed%a0%80"}) {
      CAPTURE(uri);
      auto refused = read(world, uri);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::not_found);
      CHECK(is_utf8(refused.error().message));
      CHECK_FALSE(world.run(world.entries().get(uri, {})));
      CHECK_FALSE(world.run(world.resources().read_directory(uri, {}, {})));
    }
    auto zero = read(world, std::string("skill://a/sub/x\0y", 17));
    REQUIRE_FALSE(zero);
    CHECK(zero.error().code == ErrorCode::not_found);
    CHECK(bytes_of(read(world, "skill://a/sub/x")) == "inside");
    // What leads out is in no list of files either.
    auto entry = world.run(world.entries().get("skill://a/SKILL.md", {}));
    REQUIRE(entry);
    CHECK(entry->files.size() == 2);
  }

  TEST_CASE("a name is its bytes: composed, decomposed and turned letters are other names") {
    SkillsWorld world;
    const std::string composed = "caf\xC3\xA9";
    const std::string decomposed = "cafe\xCC\x81";
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/" + composed + ".md", "composed");
    world.file(".agents/skills/a/gpj\xE2\x80\xAE"
               "exe.md",
               "turned"); // U+202E
    CHECK(bytes_of(read(world, "skill://a/caf%C3%A9.md")) == "composed");
    CHECK(bytes_of(read(world, "skill://a/" + composed + ".md")) == "composed");
    CHECK_FALSE(read(world, "skill://a/cafe%CC%81.md"));
    CHECK_FALSE(read(world, "skill://a/cafe.md"));
    CHECK_FALSE(read(world, "skill://a/gpjexe.md"));
    CHECK(bytes_of(read(world, "skill://a/gpj%E2%80%AEexe.md")) == "turned");
    world.file(".agents/skills/a/" + decomposed + ".md", "decomposed");
    CHECK(bytes_of(read(world, "skill://a/cafe%CC%81.md")) == "decomposed");
    CHECK(bytes_of(read(world, "skill://a/caf%C3%A9.md")) == "composed");
    // Addresses that are given out hold no letter that could turn the line round.
    auto page = world.run(world.resources().read_directory("skill://a", {}, {}));
    REQUIRE(page);
    CHECK(page->resources.size() == 4);
    for (const mcp::Resource& resource : page->resources) {
      CHECK(std::ranges::all_of(resource.uri, [](char c) { return c > 0x20 && c < 0x7F; }));
    }
  }

  TEST_CASE("a hard link is a file of the skill like any other") {
    // Who can make one could read the file as well (fs.protected_hardlinks), and nothing tells
    // which of a file's names was first.
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file("outside", "shared");
    std::filesystem::create_hard_link(world / "outside", world / ".agents/skills/a/hard");
    CHECK(bytes_of(read(world, "skill://a/hard")) == "shared");
    auto entry = world.run(world.entries().get("skill://a/SKILL.md", {}));
    REQUIRE(entry);
    CHECK(entry->files.back().digest == "sha256:" + sha256("shared").hex());
    // A change through the other name is seen, though nothing in the skill's folder was written.
    world.age_files();
    REQUIRE(world.run(world.entries().get("skill://a/SKILL.md", {})));
    std::ofstream(world / "outside") << "change";
    entry = world.run(world.entries().get("skill://a/SKILL.md", {}));
    REQUIRE(entry);
    CHECK(entry->files.back().digest == "sha256:" + sha256("change").hex());
  }

  TEST_CASE("links that are swapped in while we read never lead out") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    world.file(".agents/skills/a/file", "inside");
    world.file(".agents/skills/a/folder/file", "inside");
    world.file("outside/file", k_secret);
    world.link("swap/file", world / "outside/file");
    world.link("swap/folder", world / "outside");
    REQUIRE(read(world, "skill://a/SKILL.md"));
    const std::string inside = "sha256:" + sha256("inside").hex();
    const std::string out = "sha256:" + sha256(k_secret).hex();
    int seen = 0;
    int entries = 0;
    int rounds = 0;
    {
      Churn churn([&world] {
        exchange(world / ".agents/skills/a/file", world / "swap/file");
        exchange(world / ".agents/skills/a/folder", world / "swap/folder");
      });
      for (int i = 0; i < 60; ++i) {
        for (const char* uri : {"skill://a/file", "skill://a/folder/file"}) {
          std::string bytes = bytes_of(read(world, uri));
          CHECK((bytes.empty() || bytes == "inside"));
          seen += bytes.empty() ? 0 : 1;
        }
        auto entry = world.run(world.entries().get("skill://a/SKILL.md", {}));
        entries += entry ? 1 : 0;
        for (const auto& file : entry ? entry->files : std::vector<mcp::SkillEntry::File>()) {
          CHECK(file.digest != out);
          CHECK((file.digest == inside || file.uri == "skill://a/SKILL.md"));
        }
        auto page = world.run(world.resources().read_directory("skill://a/folder", {}, {}));
        CHECK((page || page.error().code == ErrorCode::not_found));
        for (const auto& one : page ? page->resources : std::vector<mcp::Resource>()) {
          CHECK(one.size == 6);
        }
      }
      rounds = churn.rounds();
    }
    CHECK(rounds > 0);
    CHECK(seen > 0);
    CHECK(entries > 0);
  }

  TEST_CASE("a skill that is replaced while it is read is one version or the other") {
    SkillsWorld world;
    auto put = [&world](const std::string& folder, const std::string& version) {
      world.file(folder + "/SKILL.md", "---\nname: a\ndescription: version " + version + "\n---\n");
      for (int i = 0; i < 20; ++i) {
        world.file(folder + "/f" + std::to_string(i), version + std::to_string(i));
      }
    };
    put(".agents/skills/a", "one");
    put("next", "two");
    auto catalogue = world.run(world.library().catalogue({}));
    REQUIRE(catalogue);
    SkillManifests manifests;
    int versions[2] = {0, 0};
    Churn churn([&world] { exchange(world / ".agents/skills/a", world / "next"); });
    while (versions[0] < 100 || versions[1] < 100) {
      auto entry = manifests.entry_of(**catalogue, 0, {});
      REQUIRE(entry);
      REQUIRE(entry->files.size() == 21);
      bool is_one = entry->front_matter.find("version one") != std::string::npos;
      ++versions[is_one ? 0 : 1];
      int wrong = 0;
      for (int i = 0; i < 20; ++i) {
        std::string uri = "skill://a/f" + std::to_string(i);
        auto file = std::ranges::find(entry->files, uri, &mcp::SkillEntry::File::uri);
        REQUIRE(file != entry->files.end());
        std::string text = (is_one ? "one" : "two") + std::to_string(i);
        wrong += file->digest == "sha256:" + sha256(text).hex() ? 0 : 1;
      }
      REQUIRE(wrong == 0);
    }
  }

  TEST_CASE("a file that grows while it is read has the size of what was hashed") {
    SkillsWorld world;
    world.skill(".agents/skills/a");
    std::string path = world / ".agents/skills/a/grows";
    std::ofstream(path) << "";
    {
      Churn churn([&path, size = 0]() mutable {
        // Back to nothing now and then, so that it never passes the limit.
        auto mode = ++size % 100 == 0 ? std::ios::trunc : std::ios::app;
        std::ofstream(path, mode) << std::string(1000, 'x');
      });
      for (int i = 0; i < 100; ++i) {
        auto entry = world.run(world.entries().get("skill://a/SKILL.md", {}));
        REQUIRE(entry);
        const mcp::SkillEntry::File& file = entry->files.back();
        REQUIRE(file.uri == "skill://a/grows");
        std::string hashed(static_cast<std::size_t>(file.size), 'x');
        CHECK(file.digest == "sha256:" + sha256(hashed).hex());
      }
    }
  }
}
