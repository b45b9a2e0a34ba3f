#include "daemon/watch/settle.h"
#include "protocol/base/bounds.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::watch;
using namespace std::chrono_literals;

namespace {

const Settle::Time k_start{std::chrono::hours(1)};

struct Fixture {
  Settle settle;
  std::uint64_t order = 0;

  Change change(ChangeKind kind, std::uint32_t entry = 1, std::uint32_t cookie = 0) {
    return {0, "pdf", kind, entry, cookie, ++order};
  }

  void add(Settle::Time now, std::vector<Change> batch) { REQUIRE(settle.add(batch, now)); }
};

constexpr std::uint32_t k_document = 1;
constexpr std::uint32_t k_temporary = 2;

} // namespace

TEST_SUITE("Settle") {
  TEST_CASE_FIXTURE(Fixture, "nothing pending needs no wake-up") {
    CHECK_FALSE(settle.deadline());
    CHECK(settle.take_ready(k_start).empty());
  }

  TEST_CASE_FIXTURE(Fixture, "a lone close acts at once") {
    add(k_start, {change(ChangeKind::closed)});
    CHECK(settle.deadline() == k_start);
    CHECK(settle.take_ready(k_start) == std::vector<Settle::Ready>{{0, "pdf", 1, true}});
    CHECK_FALSE(settle.deadline());
  }

  TEST_CASE_FIXTURE(Fixture, "what waits follows its root to another number, or goes with it") {
    for (std::uint32_t root : {0u, 1u, 2u}) {
      Change one = change(ChangeKind::closed);
      one.root = root;
      add(k_start, {one});
    }
    settle.renumber([](std::uint32_t root) {
      return root == 0 ? std::nullopt : std::optional<std::uint32_t>(2 - root);
    });
    CHECK(settle.take_ready(k_start)
          == std::vector<Settle::Ready>{{1, "pdf", 2, true}, {0, "pdf", 3, true}});
  }

  TEST_CASE_FIXTURE(Fixture, "a lone rename into the skill acts at once") {
    add(k_start, {change(ChangeKind::arrived, k_document, 5)});
    CHECK(settle.take_ready(k_start).size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "an atomic save through a temporary file is one rename") {
    add(k_start,
        {change(ChangeKind::created, k_temporary), change(ChangeKind::closed, k_temporary)});
    CHECK(settle.take_ready(k_start).empty());
    add(k_start + 1ms,
        {change(ChangeKind::left, k_temporary, 9), change(ChangeKind::arrived, k_document, 9)});
    CHECK(settle.take_ready(k_start + 1ms) == std::vector<Settle::Ready>{{0, "pdf", 4, true}});
  }

  TEST_CASE_FIXTURE(Fixture, "a rename with another rename's cookie is not that save") {
    add(k_start,
        {change(ChangeKind::created, k_temporary),
         change(ChangeKind::left, k_temporary, 9),
         change(ChangeKind::arrived, k_document, 10)});
    CHECK(settle.take_ready(k_start).empty());
  }

  TEST_CASE_FIXTURE(Fixture, "vim's save through a backup waits for quiet") {
    add(k_start,
        {change(ChangeKind::left, k_document, 3),
         change(ChangeKind::created, k_document),
         change(ChangeKind::closed, k_document),
         change(ChangeKind::other, k_document)});
    CHECK(settle.deadline() == k_start + 100ms);
    CHECK(settle.take_ready(k_start + 99ms).empty());
    CHECK(settle.take_ready(k_start + 100ms) == std::vector<Settle::Ready>{{0, "pdf", 4, false}});
  }

  TEST_CASE_FIXTURE(Fixture, "a new file may be the first of many and waits") {
    add(k_start, {change(ChangeKind::created), change(ChangeKind::closed)});
    CHECK(settle.deadline() == k_start + 100ms);
  }

  TEST_CASE_FIXTURE(Fixture, "two files closed in one batch wait") {
    add(k_start, {change(ChangeKind::closed, 1), change(ChangeKind::closed, 2)});
    CHECK(settle.take_ready(k_start).empty());
  }

  TEST_CASE_FIXTURE(Fixture, "a close while something is pending waits with it") {
    add(k_start, {change(ChangeKind::other)});
    add(k_start + 50ms, {change(ChangeKind::closed)});
    CHECK(settle.take_ready(k_start + 100ms).empty());
    CHECK(settle.deadline() == k_start + 150ms);
  }

  TEST_CASE_FIXTURE(Fixture, "a copy that never rests is looked at after two seconds") {
    Settle::Time now = k_start;
    for (; now < k_start + 2s; now += 60ms) {
      CHECK(settle.take_ready(now).empty());
      add(now, {change(ChangeKind::created)});
    }
    CHECK(settle.deadline() == k_start + 2s);
    CHECK(settle.take_ready(k_start + 2s).size() == 1);
  }

  TEST_CASE_FIXTURE(Fixture, "skills of a checkout settle each for itself, in order of change") {
    add(k_start, {{0, "b", ChangeKind::other, 0, 0, 1}, {1, "b", ChangeKind::other, 0, 0, 2}});
    add(k_start + 20ms,
        {{0, "a", ChangeKind::other, 0, 0, 3}, {0, "c", ChangeKind::closed, 0, 0, 4}});
    CHECK(settle.take_ready(k_start + 20ms) == std::vector<Settle::Ready>{{0, "c", 4, true}});
    CHECK(settle.take_ready(k_start + 100ms)
          == std::vector<Settle::Ready>{{0, "b", 1, false}, {1, "b", 2, false}});
    CHECK(settle.take_ready(k_start + 120ms) == std::vector<Settle::Ready>{{0, "a", 3, false}});
  }

  TEST_CASE_FIXTURE(Fixture, "too many waiting skills are given up for a rescan") {
    std::vector<Change> flood;
    for (std::size_t i = 0; i <= k_max_skills_per_root; ++i) {
      flood.push_back({0, std::to_string(i), ChangeKind::other, 0, 0, i});
    }
    CHECK_FALSE(settle.add(flood, k_start));
    CHECK(settle.size() == 0);
    CHECK_FALSE(settle.deadline());
  }
}
