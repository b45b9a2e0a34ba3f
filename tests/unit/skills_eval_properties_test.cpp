#include "skills/eval/cases.h"
#include "skills/eval/grade.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

using namespace upskill;
using namespace upskill::eval;

using namespace std::string_literals;

namespace {

constexpr unsigned k_seed = 20261123;

// Trees of checks whose leaves are `contains` (which has a verdict) and `judge` (which has none).
class Trees {
public:
  explicit Trees(unsigned seed)
      : m_random(seed) {}

  int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }

  Check tree(int depth) {
    Check check;
    check.negated = below(3) == 0;
    check.weight = below(4); // 0 too
    int kind = depth > 0 ? below(5) : below(3);
    if (kind >= 3) {
      check.kind = kind == 3 ? CheckKind::all_of : CheckKind::any_of;
      for (int i = below(4); i >= 0; --i) {
        check.parts.push_back(tree(depth - 1));
      }
      if (below(2) == 0) {
        check.threshold = (1 + below(4)) / 4.0;
      }
    } else if (kind == 2) {
      check.kind = CheckKind::judge;
      check.rubric = "?";
    } else {
      check.values = {kind == 0 ? "yes" : "no"};
    }
    return check;
  }

  void shuffle(std::vector<Check>& checks) {
    std::ranges::shuffle(checks, m_random);
    for (Check& check : checks) {
      shuffle(check.parts);
    }
  }

private:
  std::mt19937 m_random;
};

Observation seen() {
  Observation observation;
  observation.answer = "yes";
  return observation;
}

CheckVerdict verdict(const Check& check) {
  Case one;
  one.checks = {check};
  return grade(one, seen()).checks.at(0).verdict;
}

Check opposite(Check check) {
  check.negated = !check.negated;
  return check;
}

} // namespace

TEST_SUITE("properties of grades") {
  TEST_CASE("negation turns a verdict round, and twice is nothing") {
    CAPTURE(k_seed);
    Trees trees(k_seed);
    std::array<int, 3> met{};
    for (int i = 0; i < 2000; ++i) {
      Check check = trees.tree(3);
      CheckVerdict plain = verdict(check);
      ++met[static_cast<std::size_t>(plain)];
      CHECK(verdict(opposite(check)) == negate(plain));
      CHECK(negate(negate(plain)) == plain);
      CHECK((negate(plain) == plain) == (plain == CheckVerdict::unknown));
    }
    CHECK(std::ranges::all_of(met, [](int count) { return count > 100; }));
  }

  TEST_CASE("De Morgan: none of these is all of their contraries") {
    CAPTURE(k_seed);
    Trees trees(k_seed);
    for (int i = 0; i < 2000; ++i) {
      Check any;
      any.kind = CheckKind::any_of;
      for (int part = trees.below(5); part > 0; --part) {
        any.parts.push_back(trees.tree(2));
      }
      Check all = any;
      all.kind = CheckKind::all_of;
      std::ranges::transform(all.parts, all.parts.begin(), opposite);
      CHECK(verdict(opposite(any)) == verdict(all));
    }
  }

  TEST_CASE("the order of checks changes nothing") {
    CAPTURE(k_seed);
    Trees trees(k_seed);
    for (int i = 0; i < 1000; ++i) {
      Case one;
      for (int check = trees.below(6); check >= 0; --check) {
        one.checks.push_back(trees.tree(2));
      }
      if (trees.below(2) == 0) {
        one.threshold = (1 + trees.below(4)) / 4.0;
      }
      Grade before = grade(one, seen());
      trees.shuffle(one.checks);
      Grade after = grade(one, seen());
      CHECK(before.verdict == after.verdict);
      CHECK(before.score == after.score);
      CHECK(before.assertions_passed == after.assertions_passed);
    }
  }

  TEST_CASE("whatever a judge says, a verdict that was known stays") {
    CAPTURE(k_seed);
    Trees trees(k_seed);
    for (int i = 0; i < 2000; ++i) {
      Case one;
      one.checks = {trees.tree(3), trees.tree(3)};
      Grade before = grade(one, seen());
      Observation judged = seen();
      for (const Needs::Opinion& opinion : external_needs(one).opinions) {
        judged.opinions[opinion.position].holds = trees.below(2) == 0;
      }
      Grade after = grade(one, judged);
      if (before.verdict != CheckVerdict::unknown) {
        CHECK(after.verdict == before.verdict);
      } else if (one.checks[0].weight + one.checks[1].weight > 0) {
        CHECK(after.verdict != CheckVerdict::unknown);
      }
    }
  }
}

TEST_SUITE("hostile test files") {
  TEST_CASE("bounds are kept, and told") {
    auto problem = [](const std::string& text) {
      Result<CaseSuite> suite = read_cases(text);
      return suite ? "none" : suite.error().message;
    };
    std::string deep = R"([{"input": "x", "checks": [)";
    for (int i = 0; i < 9; ++i) {
      deep += R"({"any_of": [)";
    }
    deep += R"({"contains": "x"})";
    for (int i = 0; i < 9; ++i) {
      deep += "]}";
    }
    CHECK(problem(deep + "]}]").ends_with("`any_of` nests deeper than 8"));
    CHECK(problem(std::string(5'000'000, '[')) == "the test file nests deeper than 64");
    CHECK(problem(std::string(70'000, '-')).starts_with("the test file is neither JSON nor YAML"));
    CHECK(problem(std::string(k_max_test_file + 1, ' '))
          == "the test file has 8388609 bytes, we read 8388608");
    std::string many = "[";
    for (std::size_t i = 0; i < k_max_cases; ++i) {
      many += R"({"input": "x", "expected": "y"},)";
    }
    many.back() = ']';
    CHECK(read_cases(many)->cases.size() == k_max_cases);
    many.back() = ',';
    CHECK(problem(many + R"({"input": "x", "expected": "y"}])")
          == "the test file has 10001 cases, we read 10000");
    std::string large(1'100'000, 'x');
    CHECK(problem(R"([{"input": ")" + large + R"(", "expected": "y"}])")
          == "case 1: `input` has more than 1048576 bytes");
    CHECK(problem(R"([{"input": "a\u0000b", "expected": "y"}])")
          == "case 1: `input` has a NUL character");
    CHECK(problem("[{\"input\": \"\xFF\"}]") == "the test file is not UTF-8 at line 1");
    CHECK(problem(R"([{"input": "x", "expected": "y", "threshold": 1e999}])")
          == "the test file has a number that is out of range");
    CHECK(problem(R"([{"id": 123456789012345678901234567890, "input": "x", "expected": "y"}])")
          == "case 1: `id` must be a line of 1 to 200 bytes, or a whole number");
    CHECK(problem(R"([{"input": "x", "checks": [{"regex": "((a{1000}){1000}){1000}"}]}])")
          != "none");
    CHECK(problem(R"([{"input": "x", "checks": [{"regex": "\\pL{100}"}]}])")
              .ends_with("pattern too large - compile failed"));
    CHECK(problem(R"([{"input": "x", "checks": [{"regex": ")" + std::string(5000, 'a') + R"("}]}])")
          == "case 1, check 1: `regex` is a pattern of more than 4096 bytes");
    CHECK(problem(R"([{"input": "x", "expected": "y", ")" + std::string(100'000, 'f') + R"(": 1}])")
              .size()
          < 300);
    std::string ignored = R"({"evals": [{"prompt": "x", "assertions": ["y"])";
    for (int i = 0; i < 500; ++i) {
      ignored += ", \"f" + std::to_string(i) + "\": 1";
    }
    CHECK(read_cases(ignored + "}]}")->warnings.size() == 100);
  }

  // Small changes of files that are right, so that the reader is met behind its first question.
  TEST_CASE("a file with a few bytes changed is read or refused, and what is read can be graded") {
    CAPTURE(k_seed);
    const std::array<std::string, 4> files{
        R"({"cases": [{"id": "a", "input": "x", "expected": {"contains": ["y"]}, "output_file": "o",
            "context": {"files": {"a/b": "c"}}, "verifiers": [{"type": "command", "cmd": "make",
            "config": {"timeout_seconds": 5}}, {"type": "file_contains", "path": "f", "text": "t"}]}]})",
        R"-([{"input": "x", "threshold": 0.5, "checks": [{"any_of": [{"not_regex": "a(b|c)*"},
            {"json_schema": {"type": "object", "properties": {"a": {"$ref": "#"}},
             "patternProperties": {"^x": {"enum": [1, "2"]}}, "uniqueItems": true}}]},
            {"tokens_under": 5, "weight": 2}, {"judge": "good?"}, {"skill_used": "s"}]}])-",
        R"({"skill_name": "s", "evals": [{"id": 1, "prompt": "p", "expected_output": "o",
            "files": ["evals/a"], "expectations": ["e", {"text": "f"}]}]})",
        "cases:\n- input: x\n  expected: [y, z]\n  checks:\n  - not_contains: w\n"};
    const std::string bytes = "{}[]\",:\\\0\x01\xFF\xC3 09.-eEunt/~#"s;
    Trees random(k_seed);
    int good = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string text = files[static_cast<std::size_t>(random.below(4))];
      for (int change = random.below(3); change >= 0; --change) {
        auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size())));
        char byte = bytes[static_cast<std::size_t>(random.below(static_cast<int>(bytes.size())))];
        switch (random.below(4)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, static_cast<std::size_t>(1 + random.below(4)));
          break;
        default:
          text.insert(at, text.substr(at, static_cast<std::size_t>(random.below(40))));
        }
        if (text.empty()) {
          text = "x";
        }
      }
      Result<CaseSuite> suite = read_cases(text);
      if (!suite) {
        CHECK_FALSE(suite.error().message.empty());
        continue;
      }
      ++good;
      for (const Case& one : suite->cases) {
        Observation observation = seen();
        observation.answer = R"({"a": {"x": 1}})";
        Grade result = grade(one, observation);
        CHECK(result.assertions_total > 0);
        CHECK(result.checks.size() >= one.checks.size());
        CHECK(external_needs(one).commands.size() <= 100);
      }
    }
    CHECK(good > 1000);
    CHECK(good < 19'000);
  }
}
