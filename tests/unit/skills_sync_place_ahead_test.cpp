// Orders that are read ahead and written behind, by as many threads as there is work for.
#include "tests/sync/watched_files.h"
#include "tests/unit/skills_sync_place_orders.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace upskill;
using namespace upskill::test;

namespace {

constexpr std::size_t k_skills = 200; // several pieces, the last one not full

// Every task on a thread of its own, all at once.
void all_at_once(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&task, i] { task(i); });
  }
  std::ranges::for_each(threads, &std::thread::join);
}

// The largest number first: no task counts on one that is begun before it.
void backwards(std::size_t count, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = count; i > 0; --i) {
    task(i - 1);
  }
}

std::string name_of(std::size_t i) {
  return "skill-" + std::to_string(1000 + i);
}

std::vector<sync::Placement> many() {
  std::vector<sync::Placement> skills;
  for (std::size_t i = 0; i < k_skills; ++i) {
    skills.push_back(placement(name_of(i), files(name_of(i), "text of " + std::to_string(i))));
  }
  return skills;
}

class Threaded : public Off {
public:
  explicit Threaded(sync::Together together) {
    use(std::move(together));
    open();
  }
};

bool is_empty(const std::string& folder) {
  return !exists(folder) || std::filesystem::is_empty(folder);
}

} // namespace

TEST_SUITE("skills/sync: orders, read ahead and written behind") {
  TEST_CASE("all that is ordered lies there and is kept, whoever does it") {
    const std::vector<sync::Together> ways = {{}, all_at_once, backwards};
    for (const sync::Together& way : ways) {
      Threaded world(way);
      const std::vector<sync::Placed> placed = place(world, many());
      REQUIRE(placed.size() == k_skills);
      for (std::size_t i = 0; i < k_skills; ++i) {
        const sync::NewFiles content = files(name_of(i), "text of " + std::to_string(i));
        CAPTURE(i);
        REQUIRE(placed[i].hash == hash(content));
        REQUIRE(placed[i].paths.size() == 3);
        const std::string text = "text of " + std::to_string(i) + "\n";
        REQUIRE(texts(world, name_of(i)) == text + "|" + text + "|" + text);
        REQUIRE(*world.engine().files_of(placed[i].hash) == content);
      }
      CHECK(place(world, many()).front().state == sync::PlacedState::unchanged);
    }
  }

  TEST_CASE("the first in the order's sequence that fails is what is told, and nothing is placed") {
    for (const sync::Together& way : {sync::Together(), sync::Together(all_at_once)}) {
      Threaded world(way);
      std::vector<sync::Placement> skills = many();
      for (std::size_t i : {70U, 71U, 180U}) {
        skills[i].content = [i]() -> Result<sync::SharedFiles> {
          return fail(ErrorCode::io, "cannot read " + std::to_string(i));
        };
      }
      CHECK(refused(world, skills).message == "cannot read 70");
      CHECK(is_empty(world.root(0)));
      CHECK(is_empty(world.root(2)));
      CHECK(place(world, many()).size() == k_skills); // nothing is left of it that is in the way
    }
  }

  TEST_CASE("a copy that cannot be written leaves nothing of the order behind") {
    sync_test::WatchedFiles files;
    files.before = [](const sync_test::FileCall& call) -> Result<void> {
      const bool fails = std::string_view(call.name) == "write_file"
                         && call.path.find("skill-1100/SKILL.md") != std::string::npos;
      return fails ? Result<void>(fail(ErrorCode::no_space, "the disk is full")) : Result<void>();
    };
    Off world;
    world.use(files);
    world.open();
    CHECK(refused(world, many()).message == "the disk is full");
    for (std::size_t root = 0; root < 3; ++root) {
      CHECK(is_empty(world.root(root)));
    }
    files.before = {};
    CHECK(place(world, many()).size() == k_skills);
  }

  TEST_CASE("only a few skills are in memory at once") {
    Off world;
    std::size_t called = 0;
    std::vector<std::weak_ptr<const sync::NewFiles>> given;
    std::size_t most = 0;
    std::vector<sync::Placement> skills = many();
    for (std::size_t i = 0; i < k_skills; ++i) {
      skills[i].content = [&, i]() -> Result<sync::SharedFiles> {
        auto content = std::make_shared<const sync::NewFiles>(files(name_of(i), "text"));
        given.push_back(content);
        ++called;
        std::erase_if(given, [](const auto& one) { return one.expired(); });
        most = std::max(most, given.size());
        return content;
      };
    }
    place(world, skills);
    CHECK(called == k_skills);
    CHECK(most <= 96);
    std::erase_if(given, [](const auto& one) { return one.expired(); });
    CHECK(given.empty());
  }
}
