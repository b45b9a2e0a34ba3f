#include "skills/eval/cases.h"

#include <doctest/doctest.h>

#include <map>

using namespace upskill;
using namespace upskill::eval;

namespace {

CaseSuite read(std::string_view text) {
  Result<CaseSuite> suite = read_cases(text);
  INFO("text: ", std::string(text));
  INFO("error: ", suite ? "" : suite.error().message);
  REQUIRE(suite);
  return *suite;
}

// The one check of the one case of a file with that case.
Check check_of(const std::string& check) {
  CaseSuite suite = read(R"([{"input": "x", "checks": [)" + check + "]}]");
  REQUIRE(suite.cases.size() == 1);
  REQUIRE(suite.cases[0].checks.size() == 1);
  return suite.cases[0].checks[0];
}

std::string problem(std::string_view text) {
  Result<CaseSuite> suite = read_cases(text);
  return suite ? "none" : suite.error().message;
}

std::string in_case(const std::string& fields) {
  return R"([{"input": "x", "expected": "y"}, {"id": "b", "input": "x", )" + fields + "}]";
}

std::string in_check(const std::string& check) {
  return in_case(R"("checks": [)" + check + "]");
}

Check contains(std::vector<std::string> values) {
  Check check;
  check.values = std::move(values);
  return check;
}

} // namespace

TEST_SUITE("read_cases") {
  TEST_CASE("upskill's test files, in each of their forms") {
    const char* one = R"({"input": "write it", "expected": {"contains": ["9.0", "cuda"]},
                          "context": {"files": {"src/a.cu": "__global__"}}, "output_file": null,
                          "validator": null, "validator_config": null})";
    for (const std::string& text :
         {R"({"cases": [)" + std::string(one) + "]}",
          "[" + std::string(one) + "]",
          R"({"metadata": {"version": "1.0"}, "tests": [)" + std::string(one) + "]}"}) {
      CaseSuite suite = read(text);
      REQUIRE(suite.cases.size() == 1);
      const Case& read = suite.cases[0];
      CHECK(read.id == "1");
      CHECK(read.input == "write it");
      CHECK(read.context_files == std::map<std::string, std::string>{{"src/a.cu", "__global__"}});
      CHECK(read.checks == std::vector{contains({"9.0", "cuda"})});
      CHECK(suite.warnings.empty());
    }
    CHECK(read(R"([{"input": "x", "expected": "y"}])").cases[0].checks
          == std::vector{contains({"y"})});
    CHECK(read(R"([{"input": "x", "expected": {"contains": "y"}}])").cases[0].checks
          == std::vector{contains({"y"})});
  }

  TEST_CASE("all types of upskill's verifiers, with the fields that pydantic writes") {
    CaseSuite suite = read(R"({"cases": [{"input": "x", "verifiers": [
      {"type": "contains", "name": "n", "values": ["a"], "path": null, "text": null, "cmd": null,
       "config": null},
      {"type": "contains", "values": [], "text": "b"},
      {"type": "file_exists", "path": "./out//a.txt", "values": []},
      {"type": "file_contains", "path": "a.txt", "text": "c", "values": []},
      {"type": "command", "cmd": "make test", "values": [], "config": {"timeout_seconds": 5}},
      {"type": "command", "cmd": "true", "values": []}]}]})");
    const std::vector<Check>& checks = suite.cases[0].checks;
    REQUIRE(checks.size() == 6);
    CHECK(checks[0].name == "n");
    CHECK(checks[0].values == std::vector<std::string>{"a"});
    CHECK(checks[1].values == std::vector<std::string>{"b"});
    CHECK(checks[2].path == "out/a.txt");
    CHECK(checks[3].kind == CheckKind::file_contains);
    CHECK(checks[3].values == std::vector<std::string>{"c"});
    CHECK(checks[4].argv == std::vector<std::string>{"/bin/sh", "-c", "make test"});
    CHECK(checks[4].limit == 5);
    CHECK(checks[5].limit == 60);
  }

  TEST_CASE("evals.json of agentskills.io and of skill-creator") {
    CaseSuite suite = read(R"({"skill_name": "pdf", "evals": [
      {"id": "fill", "prompt": "fill it", "expected_output": "a form", "files": ["evals/f.pdf"],
       "assertions": ["all fields are filled"], "difficulty": 3},
      {"id": 2, "prompt": "split it", "expectations": ["two files", {"text": "named by page"}]},
      {"prompt": "read it", "expected_output": "the text"}]})");
    REQUIRE(suite.cases.size() == 3);
    const Case& first = suite.cases[0];
    CHECK(first.id == "fill");
    CHECK(first.input == "fill it");
    CHECK(first.expected_output == "a form");
    CHECK(first.fixture_files == std::vector<std::string>{"evals/f.pdf"});
    REQUIRE(first.checks.size() == 1);
    CHECK(first.checks[0].kind == CheckKind::judge);
    CHECK(first.checks[0].rubric == "all fields are filled");
    CHECK(suite.cases[1].id == "2");
    REQUIRE(suite.cases[1].checks.size() == 2);
    CHECK(suite.cases[1].checks[1].rubric == "named by page");
    CHECK(suite.cases[2].id == "3");
    REQUIRE(suite.cases[2].checks.size() == 1);
    CHECK(suite.cases[2].checks[0].rubric == "the answer is as expected: the text");
    CHECK(suite.warnings == std::vector<std::string>{"case 1 (`fill`): `difficulty` is not read"});
  }

  TEST_CASE("eval_metadata.json is one case") {
    CaseSuite suite = read(R"({"eval_id": 7, "eval_name": "n", "prompt": "p",
                               "assertions": ["a"]})");
    REQUIRE(suite.cases.size() == 1);
    CHECK(suite.cases[0].id == "7");
    CHECK(suite.cases[0].checks.size() == 1);
  }

  TEST_CASE("trigger queries") {
    CaseSuite suite = read(R"([{"query": "make a pdf", "should_trigger": true},
                               {"query": "make tea", "should_trigger": false}])");
    REQUIRE(suite.cases.size() == 2);
    CHECK(suite.cases[0].input == "make a pdf");
    CHECK(suite.cases[0].should_trigger == true);
    CHECK(suite.cases[1].should_trigger == false);
    CHECK(suite.cases[1].checks.empty());
    CHECK(problem(R"([{"query": "x"}])") == "case 1: `should_trigger` must be true or false");
  }

  TEST_CASE("both spellings of a check are one") {
    CHECK(check_of(R"({"contains": ["x"]})") == contains({"x"}));
    CHECK(check_of(R"({"contains": "x"})") == contains({"x"}));
    CHECK(check_of(R"({"type": "contains", "values": ["x"]})") == contains({"x"}));
    CHECK(check_of(R"({"type": "contains", "value": "x"})") == contains({"x"}));
    CHECK(check_of(R"({"type": "contains", "text": "x"})") == contains({"x"}));
    CHECK(check_of(R"({"not_regex": "a+"})")
          == check_of(R"({"type": "not-regex", "value": "a+"})"));
    CHECK(check_of(R"({"file_exists": "a"})")
          == check_of(R"({"type": "file_exists", "path": "a"})"));
    CHECK(check_of(R"({"file_contains": {"path": "a", "values": ["b"]}})")
          == check_of(R"({"type": "file_contains", "path": "a", "text": "b"})"));
    CHECK(check_of(R"({"file_contains": "b", "path": "a"})")
          == check_of(R"({"type": "file_contains", "path": "a", "text": "b"})"));
    CHECK(check_of(R"({"command": ["make", "test"], "timeout_seconds": 5})")
          == check_of(R"({"command": {"argv": ["make", "test"], "timeout_seconds": 5}})"));
    CHECK(check_of(R"({"command": "make"})") == check_of(R"({"type": "command", "cmd": "make"})"));
    CHECK(check_of(R"({"tokens_under": 500})")
          == check_of(R"({"type": "tokens-under", "limit": 500})"));
    CHECK(check_of(R"({"json_schema": {"type": "object"}})").schema == R"({"type":"object"})");
    CHECK(check_of(R"({"is_json": true})") == check_of(R"({"type": "is-json"})"));
    CHECK(check_of(R"("it is polite")") == check_of(R"({"judge": "it is polite"})"));
    CHECK(check_of(R"({"not_contains": "x"})").negated);
    CHECK(check_of(R"({"not-contains-any": ["x", "y"]})").values.size() == 2);
    CHECK(check_of(R"({"at_least_as_good": "x", "rubric": "y"})")
          == check_of(R"({"type": "at-least-as-good", "reference": "x", "rubric": "y"})"));
  }

  TEST_CASE("names, weights, thresholds and trees") {
    Check tree = check_of(R"({"any_of": [{"contains": "a", "weight": 2},
                                         {"all_of": [{"regex": "b", "name": "bee"}]}],
                              "threshold": 0.5, "weight": 0.25, "name": "either"})");
    CHECK(tree.kind == CheckKind::any_of);
    CHECK(tree.weight == 0.25);
    CHECK(tree.threshold == 0.5);
    CHECK(tree.name == "either");
    REQUIRE(tree.parts.size() == 2);
    CHECK(tree.parts[0].weight == 2);
    REQUIRE(tree.parts[1].parts.size() == 1);
    CHECK(tree.parts[1].parts[0].name == "bee");
  }

  TEST_CASE("YAML says the same") {
    CHECK(
        read("cases:\n  - id: build-toml\n    input: write it\n    expected: {contains: ['9.0']}\n"
             "    checks:\n      - not_contains: sm_70\n")
        == read(R"({"cases": [{"id": "build-toml", "input": "write it",
                      "expected": {"contains": ["9.0"]}, "checks": [{"not_contains": "sm_70"}]}]})"));
    CHECK(problem("- input: x\n  expected: 9.0\n") == "case 1: `expected` must be text");
    CHECK(problem("- input: x\n  expected: a\n  expected: b\n")
          == "the test file gives `expected` twice in one object");
  }

  TEST_CASE("what is wrong is told with its case and field") {
    const std::map<std::string, std::string> table = {
        {"", "the test file is empty"},
        {"[]", "the test file has no case"},
        {R"({"cases": []})", "the test file has no case"},
        {R"({"metadata": {}})", "the test file has no case"},
        {R"({"casse": []})", "the test file is in no format that we read"},
        {R"({"cases": [], "evals": []})",
         "the test file: `evals` and `cases` are two lists of cases"},
        {R"({"cases": {}})", "the test file: `cases` must be a list"},
        {"[1]", "case 1: a case must be an object"},
        {"[\n{\"input\": \"x\",}]", "the test file is not valid JSON at line 2"},
        {R"([{"input": "x", "expected": "y", "expected": "z"}])",
         "the test file gives `expected` twice in one object"},
        {R"([{"input": "x"}])", "case 1: there is nothing to check"},
        {R"([{"input": "x", "expected": {"contains": []}}])", "case 1: there is nothing to check"},
        {R"([{"input": " ", "expected": "y"}])",
         "case 1: `input` must say what the student is asked"},
        {R"([{"id": "a", "input": "x", "expected": "y"}, {"id": "a", "input": "x", "expected": "y"}])",
         "case 2: `id` `a` is that of case 1"},
        {R"([{"id": "2", "input": "x", "expected": "y"}, {"input": "x", "expected": "y"}])",
         "case 2: `id` `2` is that of case 1"},
        {R"([{"id": 1.5, "input": "x", "expected": "y"}])",
         "case 1: `id` must be a line of 1 to 200 bytes, or a whole number"},
        {in_case(R"("expcted": "y")"), "case 2 (`b`): `expcted` is not a field of a case"},
        {in_case(R"("expected": {"contain": ["y"]})"),
         "case 2 (`b`): `contain` is not a field of `expected`"},
        {in_case(R"("expected": {"contains": ["a", ""]})"),
         "case 2 (`b`): `contains` has an empty text"},
        {in_case(R"("expected": [9.0])"), "case 2 (`b`): `expected` must be text"},
        {in_case(R"("context": {"env": {}})"), "case 2 (`b`): `env` is not a field of `context`"},
        {in_case(R"("expected": "a", "validator": "hf_eval_yaml")"),
         "case 2 (`b`): `validator` `hf_eval_yaml` is not known"},
        {in_case(R"("verifiers": [{"type": "validator", "name": "cuda"}])"),
         "case 2 (`b`), verifier 1: `validator` is a function of a Python program, which we do not "
         "have"},
        {in_case(R"("verifiers": [{"type": "contains", "value": "x"}])"),
         "case 2 (`b`), verifier 1: `value` is not a field of a check"},
        {in_case(R"("verifiers": [{"type": "contains"}])"),
         "case 2 (`b`), verifier 1: `values` must say what is looked for"},
        {in_case(R"("verifiers": [{"type": "file_exists"}])"),
         "case 2 (`b`), verifier 1: `path` must name a file of the workspace"},
        {in_case(R"("verifiers": [{"type": "file_exists", "path": "../x"}])"),
         "case 2 (`b`), verifier 1: `path` must not have a `..`"},
        {in_case(R"("verifiers": [{"type": "command"}])"),
         "case 2 (`b`), verifier 1: `cmd` must be given, or `argv`"},
        {in_case(R"("verifiers": [{"type": "judge", "text": "x"}])"),
         "case 2 (`b`), verifier 1: `judge` is not a type of verifier"},
        {R"([{"inptu": "x", "expected": "y"}])", "case 1: `inptu` is not a field of a case"},
        {in_check(R"({"type": "contains", "vaule": "x"})"),
         "case 2 (`b`), check 1: `vaule` is not a field of a check"},
        {in_check(R"({"type": "command", "argvv": ["x"], "timeout_seconds": 5})"),
         "case 2 (`b`), check 1: `argvv` is not a field of a check"},
        {in_check(R"({"file_contains": "x", "pth": "a"})"),
         "case 2 (`b`), check 1: `pth` is not a field of a check"},
        {in_check(R"({"type": "file_contains", "text": "x"})"),
         "case 2 (`b`), check 1: `path` must name a file of the workspace"},
        {in_check(R"({"file_contains": {"text": "x", "pth": "a"}})"),
         "case 2 (`b`), check 1: `pth` is not a field of a check"},
        {in_check(R"({"file_contains": {"path": "../a", "text": "x"}})"),
         "case 2 (`b`), check 1: `path` must not have a `..`"},
        {in_check(R"({"contians": "x"})"),
         "case 2 (`b`), check 1: `contians` is not a kind of check"},
        {in_check(R"({"contains": "x", "regex": "y"})"),
         "case 2 (`b`), check 1: `regex` and `contains` are two checks"},
        {in_check(R"({"contains": "x", "wieght": 2})"),
         "case 2 (`b`), check 1: `wieght` is not a field of a check"},
        {in_check(R"({"contains": "x", "weight": -1})"),
         "case 2 (`b`), check 1: `weight` must be a number from 0.0 to 1000000.0"},
        {in_check(R"({"contains": "x", "weight": 0})"), "case 2 (`b`): there is nothing to check"},
        {in_check(R"({"contains": "x", "threshold": 1})"),
         "case 2 (`b`), check 1: `threshold` is not a field of a check"},
        {in_check(R"({"not_contains": ["x", "y"]})"),
         "case 2 (`b`), check 1: `not_contains` has more than one text behind a `not_`"},
        {in_check(R"({"at_least_as_good": true})"),
         "case 2 (`b`): `at_least_as_good` has nothing to compare with"},
        {in_check(R"({"any_of": [{"at_least_as_good": true}]})"),
         "case 2 (`b`): `at_least_as_good` has nothing to compare with"},
        {in_check(R"({"at_least_as_good": false})"),
         "case 2 (`b`), check 1: `at_least_as_good` must be true, or the answer to compare with"},
        {in_check(R"({"type": "at_least_as_good", "refrence": "x"})"),
         "case 2 (`b`), check 1: `refrence` is not a field of a check"},
        {in_check(R"({"contains_any": ["x", ""]})"),
         "case 2 (`b`), check 1: `contains_any` has an empty text"},
        {in_check(R"({"equals": ["x", "y"]})"), "case 2 (`b`), check 1: `equals` must be one text"},
        {in_check(R"({"regex": "a("})"),
         "case 2 (`b`), check 1: `regex` is not a pattern that RE2 reads: missing ): a("},
        {in_check(R"-({"regex": "(?=a)"})-"),
         "case 2 (`b`), check 1: `regex` is not a pattern that RE2 reads: invalid perl operator: "
         "(?="},
        {in_check(R"({"json_schema": {"type": "text"}})"),
         "case 2 (`b`), check 1: `schema` has `type` that is not a type of JSON"},
        {in_check(R"({"is_json": false})"), "case 2 (`b`), check 1: `is_json` must be true"},
        {in_check(R"({"any_of": []})"),
         "case 2 (`b`), check 1: `any_of` must be a list of 1 to 100 checks"},
        {in_check(R"({"any_of": [{"contains": "x", "weight": 0}]})"),
         "case 2 (`b`), check 1: `any_of` has no check with a weight"},
        {in_check(R"({"any_of": [{"contains": "x"}, {"regexp": "x"}]})"),
         "case 2 (`b`), check 1.2: `regexp` is not a kind of check"},
        {in_check(R"({"all_of": [{"contains": "x"}], "threshold": 0})"),
         "case 2 (`b`), check 1: `threshold` must be above 0"},
        {in_check(R"({"tokens_under": 0})"),
         "case 2 (`b`), check 1: `tokens_under` must be above 0"},
        {in_check(R"({"command": "x", "timeout_seconds": 1e9})"),
         "case 2 (`b`), check 1: `timeout_seconds` must be a number from 0.1 to 600.0"},
        {in_check(R"({"command": []})"), "case 2 (`b`), check 1: `command` must name a program"},
        {in_case(R"("expected": "a", "threshold": 1.5)"),
         "case 2 (`b`): `threshold` must be a number from 0.0 to 1.0"},
    };
    for (const auto& [text, message] : table) {
      CAPTURE(text);
      CHECK(problem(text) == message);
    }
  }

  // Hours, where the time goes with the square of the length.
  TEST_CASE("many small objects are read in time") {
    std::string text = R"({"cases": [{"input": "x", "expected": "y"}], "metadata": [{})";
    while (text.size() < k_max_test_file - 5) {
      text += ",{}";
    }
    CHECK(read(text + "]}").cases.size() == 1);
  }

  TEST_CASE("a word that is nearly right is offered") {
    auto hint = [](const std::string& text) { return read_cases(text).error().hint; };
    CHECK(hint(in_case(R"("expcted": "y")")) == "did you mean `expected`?");
    CHECK(hint(in_check(R"({"contians": "x"})")) == "did you mean `contains`?");
    CHECK(hint(in_check(R"({"not_regexp": "x"})")) == "did you mean `regex`?");
    CHECK(hint(in_check(R"({"not_contains": ["x", "y"]})"))
          == "write `not_contains_any` where none may be there");
    CHECK(hint(R"({"casse": []})") == "did you mean `cases`?");
    CHECK(hint(in_check(R"({"contains": "x", "of": 1})"))
          == "known are `contains`, `name`, `text`, `type`, `values`, `weight`");
  }

  // upskill's bug 9: paths of verifiers may lead anywhere.
  TEST_CASE("no path leads out of its folder") {
    for (const char* path : {"/etc/passwd",
                             "../x",
                             "a/../../x",
                             "a/..",
                             "~/x",
                             "a\\\\b",
                             "",
                             ".",
                             "./",
                             "a\\u0000b",
                             "a\\nb"}) {
      CAPTURE(path);
      std::string quoted = "\"" + std::string(path) + "\"";
      CHECK(problem(in_check(R"({"file_exists": )" + quoted + "}")) != "none");
      CHECK(problem(in_check(R"({"file_contains": "x", "path": )" + quoted + "}")) != "none");
      CHECK(problem(in_case(R"("expected": "x", "output_file": )" + quoted)) != "none");
      CHECK(problem(in_case(R"("expected": "x", "files": [)" + quoted + "]")) != "none");
      CHECK(problem(in_case(R"("expected": "x", "context": {"files": {)" + quoted + R"(: "t"}})"))
            != "none");
    }
    CHECK(problem(in_check(R"({"file_exists": "../x"})"))
          == "case 2 (`b`), check 1: `file_exists` must not have a `..`");
    CHECK(problem(in_case(R"("expected": "x", "context": {"files": {"a": "", "a/b": ""}})"))
          == "case 2 (`b`), `context.files`: `a/b` lies in what is a file itself");
    CHECK(problem(in_case(R"("expected": "x", "context": {"files": {"a": "", "./a": ""}})"))
          == "case 2 (`b`), `context.files`: `a` is one file with another");
  }
}

TEST_SUITE("find_cases") {
  using Files = std::map<std::string, std::string, std::less<>>;

  ReadFile reading(const Files& files) {
    return [&files](std::string_view file) -> Result<std::optional<std::string>> {
      auto at = files.find(file);
      return at == files.end() ? std::nullopt : std::optional(at->second);
    };
  }

  TEST_CASE("the first file with cases of that use counts") {
    const std::string answers = R"([{"input": "x", "expected": "y"}])";
    const std::string triggers = R"([{"query": "q", "should_trigger": true}])";
    Files files = {{"evals/evals.json", answers}, {"evals/triggers.json", triggers}};
    CHECK(find_cases(CaseUse::answers, reading(files))->file == "evals/evals.json");
    CHECK(find_cases(CaseUse::triggers, reading(files))->file == "evals/triggers.json");
    files["skill_meta.json"] = R"({"metadata": {}, "tests": []})"; // none: look further
    CHECK(find_cases(CaseUse::answers, reading(files))->file == "evals/evals.json");
    files["skill_meta.json"] = R"({"tests": )" + answers + "}";
    files["evals/trigger_evals.json"] = triggers;
    CHECK(find_cases(CaseUse::answers, reading(files))->file == "skill_meta.json");
    CHECK(find_cases(CaseUse::triggers, reading(files))->file == "evals/trigger_evals.json");
  }

  TEST_CASE("a file that is wrong is told, not passed over") {
    Files files = {{"skill_meta.json", "{"},
                   {"evals/evals.json", R"([{"input": "x", "expected": "y"}])"}};
    Result<FoundCases> found = find_cases(CaseUse::answers, reading(files));
    REQUIRE_FALSE(found);
    CHECK(found.error().message == "`skill_meta.json`: the test file is not valid JSON at line 1");
    Result<FoundCases> none = find_cases(CaseUse::triggers, reading(Files{}));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    Result<FoundCases> unreadable =
        find_cases(CaseUse::answers, [](std::string_view) -> Result<std::optional<std::string>> {
          return fail(ErrorCode::permission, "cannot read it");
        });
    CHECK(unreadable.error().code == ErrorCode::permission);
  }
}
