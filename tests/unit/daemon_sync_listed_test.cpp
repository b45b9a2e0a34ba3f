#include "daemon/sync/listed.h"

#include <doctest/doctest.h>

using namespace upskill::daemon;

namespace {

std::map<SkillKey, ListedFile> skills(std::size_t from, std::size_t count) {
  std::map<SkillKey, ListedFile> made;
  for (std::size_t i = from; i < from + count; ++i) {
    made.emplace(SkillKey("", "s" + std::to_string(i)), ListedFile{1, 1});
  }
  return made;
}

} // namespace

TEST_SUITE("ListMemory") {
  TEST_CASE("whoever makes names does not make it grow beyond its bound") {
    constexpr std::size_t k_step = 999; // so that no step ends at the bound
    ListMemory updated;
    ListMemory remembering;
    for (std::size_t i = 0; i < 3 * ListMemory::k_most; i += k_step) {
      CHECK(updated.update(skills(i, k_step)));
      remembering.remember(skills(i, k_step));
      CHECK(updated.size() <= ListMemory::k_most);
      CHECK(remembering.size() <= ListMemory::k_most);
    }
  }

  TEST_CASE("as many as its bound are all known, and what was forgotten is news again") {
    ListMemory memory;
    CHECK(memory.update(skills(0, ListMemory::k_most)));
    CHECK(memory.size() == ListMemory::k_most);
    CHECK_FALSE(memory.update(skills(0, ListMemory::k_most)));
    CHECK(memory.update(skills(ListMemory::k_most, 1)));
    CHECK(memory.size() <= ListMemory::k_most);
    CHECK(memory.update(skills(0, 1)));
  }
}
