#include "skills/generate/prompts.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;

namespace {

constexpr std::size_t k_budget = k_failure_tokens * 4; // bytes

Draft draft() {
  return {"a-skill", "Does it.", "Do it.\n", {}, {}};
}

Failure failure(const std::string& id, std::string output) {
  return {id, "task " + id, "student", std::move(output), {"contains `x`: not found"}, false};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string user_of(const std::vector<Failure>& failures) {
  return refine_prompt({"the task", {}, {}, ""}, draft(), failures).user;
}

std::size_t size_of(const std::vector<Failure>& failures) {
  return user_of(failures).size() - user_of({}).size();
}

std::vector<Failure> many(std::size_t cases, std::size_t samples, std::size_t bytes) {
  std::vector<Failure> all;
  for (std::size_t one = 0; one < cases; ++one) {
    for (std::size_t sample = 0; sample < samples; ++sample) {
      all.push_back(failure(std::to_string(one),
                            "answer " + std::to_string(sample) + std::string(bytes, 'x')));
    }
  }
  return all;
}

} // namespace

TEST_SUITE("refine") {
  TEST_CASE("few failures are shown whole") {
    std::string user = user_of(many(3, 4, 1000));
    CHECK(count(user, "BEGIN case ") == 3 * (1 + 4 + 4));
    CHECK(count(user, "are left out here]") == 0);
    CHECK(count(user, "- contains `x`: not found\n") == 12);
    CHECK(user.find("BEGIN case 1 answer 4 ") < user.find("BEGIN case 2 task "));
  }

  TEST_CASE("every failed case is there, and all of them keep to their room") {
    for (auto [cases, samples, bytes] : {std::tuple{1, 1, 200'000},
                                         std::tuple{20, 3, 10'000},
                                         std::tuple{40, 9, 3000},
                                         std::tuple{59, 2, 100'000}}) {
      CAPTURE(cases);
      std::vector<Failure> all = many(static_cast<std::size_t>(cases),
                                      static_cast<std::size_t>(samples),
                                      static_cast<std::size_t>(bytes));
      std::string user = user_of(all);
      for (int one = 1; one <= cases; ++one) {
        CHECK(count(user, "BEGIN case " + std::to_string(one) + " answer 1 ") == 1);
        CHECK(count(user, "BEGIN case " + std::to_string(one) + " failed 1 ") == 1);
      }
      CHECK(size_of(all) <= k_budget);
      CHECK(count(user, "BEGIN left out ") == 0);
    }
  }

  TEST_CASE("room that first answers leave goes to further ones") {
    std::vector<Failure> all = many(2, 50, 3000); // 300 KB of answers
    CHECK(size_of(all) <= k_budget);
    CHECK(size_of(all) > k_budget * 8 / 10);
    // Every second answer comes before any third one.
    std::string user = user_of(all);
    CHECK(count(user, " answer 2 ") == 4);
    CHECK(count(user, " answer 5 ") == 4);
  }

  TEST_CASE("more cases than have room are counted") {
    std::vector<Failure> all = many(1000, 1, 100);
    std::string user = user_of(all);
    CHECK(size_of(all) <= k_budget);
    std::size_t shown = count(user, " answer 1 ") / 2;
    CHECK(shown >= 50);
    CHECK(count(user, "\n" + std::to_string(1000 - shown) + " more cases failed.\n") == 1);
  }

  TEST_CASE("a case that the skill harms comes first and says so") {
    std::vector<Failure> all = many(2, 1, 10);
    all[1].passes_without = true;
    std::string user = user_of(all);
    CHECK(user.find("\ntask 1\n") < user.find("\ntask 0\n"));
    CHECK(count(user, "This case passes without the skill.") == 1);
    CHECK(user.find("BEGIN case 1 failed 1 ") < user.find("This case passes without the skill."));
    CHECK(user.find("This case passes without the skill.") < user.find("BEGIN case 2 task "));
  }

  TEST_CASE("an answer that came twice is shown once, one that is empty as nothing") {
    std::string user = user_of(
        {failure("a", "same"), failure("a", ""), failure("a", "same"), failure("b", "same")});
    CHECK(count(user, "\nsame\n") == 2);
    CHECK(count(user, "\n(nothing)\n") == 1);
    CHECK(count(user, " answer 3 ") == 0);
  }

  TEST_CASE("bytes that are no UTF-8 do not outgrow the room") {
    std::vector<Failure> all = many(20, 60, 0);
    for (Failure& one : all) {
      one.output += std::string(500, '\xFF'); // three bytes each where it is shown
    }
    std::string user = user_of(all);
    CHECK(user.find('\xFF') == std::string::npos);
    CHECK(count(user, "BEGIN case 20 answer 1 ") == 1);
    CHECK(size_of(all) <= k_budget);
  }

  TEST_CASE("long tasks and checks leave room for the answer") {
    Failure one = failure("a", std::string(100'000, 'o'));
    one.input = std::string(100'000, 'i');
    one.checks.assign(100, std::string(5000, 'c'));
    std::vector<Failure> all(1, one);
    CHECK(size_of(all) <= k_budget);
    CHECK(count(user_of(all), "o") > k_budget / 4);
  }
}
