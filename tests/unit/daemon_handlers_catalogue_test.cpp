#include "daemon/handlers/catalogue.h"
#include "daemon/handlers/nearest_words.h"
#include "daemon/handlers/text_search.h"
#include "tests/support/skills_world.h"

#include <fstream>

using namespace upskill;
using namespace upskill::daemon;

TEST_SUITE("contains_folded") {
  TEST_CASE("a word is found at every place of a text of every length") {
    for (std::size_t length : {1, 2, 31, 32, 33, 63, 64, 65, 200}) {
      for (std::size_t at = 0; at + 3 <= length; ++at) {
        std::string text(length, 'x');
        text.replace(at, 3, "AbC");
        CHECK(contains_folded(text, "abc"));
        CHECK_FALSE(contains_folded(text, "abd"));
      }
    }
    CHECK(contains_folded("", ""));
    CHECK(contains_folded("x", ""));
    CHECK_FALSE(contains_folded("", "x"));
    CHECK_FALSE(contains_folded("ab", "abc"));
  }

  TEST_CASE("only letters have a case") {
    CHECK(contains_folded("C++ [draft]", "c++"));
    CHECK_FALSE(contains_folded("{draft}", "[draft]")); // `{` is `[` with the bit of case
    CHECK_FALSE(contains_folded("@", "`"));
    CHECK(contains_folded("a-B_c", "b_"));
  }

  TEST_CASE("a query is its words, folded") {
    CHECK(query_words(" PDF\n\tForms ") == std::vector<std::string>{"pdf", "forms"});
    CHECK(query_words("").empty());
    CHECK(query_words(std::string(5000, 'x') + " y").size() == 2);
  }
}

TEST_SUITE("nearest_words") {
  TEST_CASE("small slips are found, nearest first, and strangers are not") {
    std::vector<std::string_view> words{"commit", "comment", "common", "zebra", "commit-message"};
    CHECK(nearest_words("comit", words, 3) == std::vector<std::string>{"commit"});
    CHECK(nearest_words("commmnt", words, 2) == std::vector<std::string>{"comment", "commit"});
    CHECK(nearest_words("Cmomon", words, 3) == std::vector<std::string>{"common"}); // swapped
    CHECK(nearest_words("comm", words, 2) == std::vector<std::string>{"comment", "commit"});
    CHECK(nearest_words("message", words, 3) == std::vector<std::string>{"commit-message"});
    CHECK(nearest_words("quite-another", words, 3).empty());
    CHECK(nearest_words("", words, 3).empty());
    CHECK(nearest_words(std::string(1'000'000, 'x'), words, 3).empty());
  }
}

TEST_SUITE("Catalogue") {
  TEST_CASE("10,000 skills take 3 MB") {
    tests::SkillsWorld world;
    const std::string description(223, 'd'); // the median of real ones (skills facts, section 6)
    for (int i = 0; i < 10'000; ++i) {
      std::string folder = world / (".agents/skills/some-skill-" + std::to_string(i));
      std::filesystem::create_directories(folder);
      std::ofstream(folder + "/SKILL.md")
          << "---\nname: some-skill-" << i << "\ndescription: " << description << "\n---\n";
    }
    REQUIRE(world.run(world.service().wait_idle(std::chrono::seconds(60))));
    auto catalogue = world.run(world.library().catalogue({}));
    REQUIRE(catalogue);
    CHECK((*catalogue)->size() == 10'000);
    CHECK((*catalogue)->bytes() < 3'200'000);
    CatalogueFilter filter;
    filter.words = {"skill-9999"};
    CHECK((*catalogue)->select(filter, 0, 10).total == 1);
    auto again = world.run(world.library().catalogue({}));
    CHECK(*again == *catalogue); // nothing changed, so nothing was looked at
    std::stop_source stopped;
    stopped.request_stop();
    world.skill(".agents/skills/one-more");
    auto cancelled = world.run(world.library().catalogue(stopped.get_token()));
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error().code == ErrorCode::cancelled);
    CHECK((*world.run(world.library().catalogue({})))->size() == 10'001);
  }
}
