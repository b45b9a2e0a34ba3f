#include "protocol/catalog.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using namespace upskill;

namespace {

// What a client puts into every context for the tools: some count a token as four bytes. It was
// 3,000 until skills could be installed, updated and removed: what an agent must know to ask for
// that costs 300, and taking as much from the others would leave out when to use them.
constexpr std::size_t k_most_bytes = 3'300 * 4;
constexpr std::size_t k_room_for_other_tools = 250 * 4; // those beside the catalogue

std::size_t cost(const MethodInfo& method) {
  return method.name.size() + method.description.size() + method.tool_schema().size();
}

} // namespace

TEST_SUITE("tools for agents") {
  TEST_CASE("names, descriptions and input schemas of all cost less than 3,300 tokens") {
    std::size_t all = 0;
    std::string each;
    for (const MethodInfo& method : catalog()) {
      if (method.audience == Audience::agents) {
        all += cost(method);
        each += std::string(method.name) + " " + std::to_string(cost(method)) + "\n";
      }
    }
    INFO(each);
    CHECK(all > 0);
    CHECK(all + k_room_for_other_tools < k_most_bytes);
  }

  TEST_CASE("each says what it changes, and is named so that every client can show it") {
    for (const MethodInfo& method : catalog()) {
      CAPTURE(method.name);
      CHECK(method.name.size() <= 40);
      CHECK(method.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_")
            == std::string_view::npos);
      if (method.audience != Audience::agents) {
        continue;
      }
      CHECK_FALSE(method.description.empty());
      CHECK(method.description.size() < 500);
      bool says_nothing_changes = method.description.ends_with("Changes nothing.");
      CHECK(says_nothing_changes == (method.effect == Effect::reads));
    }
  }
}
