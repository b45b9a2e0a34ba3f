#include "protocol/base/paths.h"

#include <doctest/doctest.h>

#include <map>

using namespace upskill;

namespace {

Environment environment_of(std::map<std::string, std::string, std::less<>> variables) {
  return [variables = std::move(variables)](std::string_view name) {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

} // namespace

TEST_SUITE("unresolved_state") {
  TEST_CASE("is where find_places says, as far as no link is on the way") {
    for (const Environment& environment :
         {environment_of({{"HOME", "/nowhere/ada"}}),
          environment_of({{"HOME", "/nowhere/ada"}, {"XDG_STATE_HOME", "/nowhere/s/../t//"}}),
          environment_of({{"HOME", "/nowhere/ada"}, {"XDG_STATE_HOME", ""}}),
          environment_of({{"HOME", "/nowhere/ada"}, {"XDG_STATE_HOME", "relative"}})}) {
      Result<std::string> state = unresolved_state(environment);
      Result<Places> places = find_places(environment);
      REQUIRE(state);
      REQUIRE(places);
      CHECK(*state == places->state);
    }
  }

  TEST_CASE("needs HOME only where nothing else says it") {
    CHECK(*unresolved_state(environment_of({{"XDG_STATE_HOME", "/s"}})) == "/s/upskill");
    CHECK_FALSE(unresolved_state(environment_of({})));
    CHECK_FALSE(unresolved_state(environment_of({{"HOME", "relative"}})));
  }
}
