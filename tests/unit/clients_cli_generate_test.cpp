#include "clients/cli/exit_code.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::cli;

namespace {

Screen screen(bool colour = false) {
  Screen screen;
  screen.colour = colour;
  screen.home = "/home/ann";
  screen.folder = "/home/ann/work";
  return screen;
}

std::string shown(const GenerateResult& result, bool colour = false) {
  Page page(screen(colour));
  std::vector<std::string_view> words{"generate", "write nvidia kernels"};
  auto invocation = parse(words);
  REQUIRE(invocation);
  std::string text = encode(result);
  auto reader = connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  Result<void> done = render(page, *invocation, *reader);
  if (!done) {
    FAIL(done.error().message);
  }
  CHECK(page.text(Stream::err).empty());
  return page.text(Stream::out);
}

int exit_code(const GenerateResult& result) {
  std::vector<std::string_view> words{"generate", "t"};
  auto invocation = parse(words);
  REQUIRE(invocation);
  std::string text = encode(result);
  auto reader = connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  return exit_code_of(*invocation, *reader);
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Whether these stand in the text, in this order.
bool in_order(std::string_view text, const std::vector<std::string_view>& parts) {
  std::size_t at = 0;
  for (std::string_view part : parts) {
    at = text.find(part, at);
    if (at == std::string_view::npos) {
      MESSAGE("not in its place: " << part);
      return false;
    }
    at += part.size();
  }
  return true;
}

EvalArmReport arm(std::int64_t samples, std::int64_t passed, std::int64_t tokens) {
  EvalArmReport arm;
  arm.samples = samples;
  arm.passed = passed;
  arm.rate = static_cast<double>(passed) / static_cast<double>(samples);
  arm.tokens.total = tokens * samples;
  return arm;
}

EvalModelReport
student(std::string model, std::int64_t before, std::int64_t after, EvalVerdict verdict) {
  EvalModelReport report;
  report.model = std::move(model);
  report.student = "chat";
  report.baseline = arm(20, before, 739);
  report.with_skill = arm(20, after, 1708);
  double lift = static_cast<double>(after - before) / 20;
  report.lift = EvalLift{lift, lift - 0.2, lift + 0.15};
  report.verdict = verdict;
  report.cases_better = 7;
  report.cases_worse = 1;
  return report;
}

GenerateAttempt attempt(std::int64_t number, double before, double after) {
  GenerateAttempt attempt;
  attempt.attempt = number;
  attempt.refined = number > 1;
  attempt.baseline = before;
  attempt.with_skill = after;
  return attempt;
}

GenerateResult saved() {
  GenerateResult result;
  result.outcome = GenerateOutcome::saved;
  result.why = "it is better";
  result.skill = "kernel-builder-cuda-kernels";
  result.description = "Builds optimised CUDA kernels for PyTorch.";
  result.saved = "/home/ann/work/skills/kernel-builder-cuda-kernels";
  result.files = {{"SKILL.md", 520}, {"references/build.md", 1}};
  result.roles = {{"teacher", "sonnet", "anthropic.claude-sonnet"},
                  {"test cases", "sonnet", "anthropic.claude-sonnet"},
                  {"student", "haiku", "haiku"}};
  result.attempts = {attempt(1, 0.6, 0.95)};
  result.attempts[0].chosen = true;
  result.train_cases = result.held_out_cases = 10;
  result.runs = 3;
  result.models = {student("haiku", 12, 19, EvalVerdict::better)};
  return result;
}

// Without anything that says it was saved.
void is_not_shown_as_saved(const GenerateResult& result) {
  std::string text = shown(result);
  CHECK(has(text, "Not saved: "));
  CHECK_FALSE(has(text, "Saved to"));
  CHECK_FALSE(has(text, "The version before"));
  CHECK_FALSE(has(text, "~520 tokens"));
}

} // namespace

TEST_SUITE("render generate") {
  TEST_CASE("looks as users know it") {
    std::string text = shown(saved());
    CHECK(in_order(text,
                   {"Config source: defaults\n",
                    "Resolved model plan:\n",
                    "  teacher: sonnet, anthropic.claude-sonnet\n",
                    "  student: haiku\n",
                    "Generating skill with sonnet...\n",
                    "Generating test cases...\n",
                    "  20 cases: 10 to refine by, 10 held out\n",
                    "Evaluating on haiku... (attempt 1)\n",
                    "  60% -> 95% (+35%) OK\n",
                    "\nkernel-builder-cuda-kernels\n",
                    "Builds optimised CUDA kernels for PyTorch.\n",
                    "  SKILL.md             ~520 tokens\n",
                    "  references/build.md     ~1 token\n",
                    "\nhaiku  student `chat`\n",
                    "  baseline    ████████████░░░░░░░░  60%          12 of 20 samples\n",
                    "  with skill  ███████████████████░  95%  (+35%)  19 of 20 samples\n",
                    "  better on 10 held-out cases, 95% interval +15% to +50%\n",
                    "    7 cases gain, 1 loses\n",
                    "  tokens a sample 739 → 1,708\n",
                    "\nSaved to ./skills/kernel-builder-cuda-kernels\n"}));
    CHECK_FALSE(has(text, "Not saved"));
    CHECK_FALSE(has(text, "Student  ")); // one needs no table
    CHECK(exit_code(saved()) == k_done);
  }

  TEST_CASE("a path is told from here, from home, or whole") {
    GenerateResult result = saved();
    result.saved = "/home/ann/.claude/skills/pdf";
    result.replaced = "/home/ann/work/before/pdf";
    CHECK(has(shown(result), "Saved to ~/.claude/skills/pdf\n"));
    CHECK(shown(result).ends_with("The version before lies in ./before/pdf\n"));
    result.saved = "/srv/skills/pdf";
    CHECK(has(shown(result), "Saved to /srv/skills/pdf\n"));
    result.saved = "/home/ann/workshop/pdf"; // begins alike, and lies elsewhere
    CHECK(has(shown(result), "Saved to ~/workshop/pdf\n"));
  }

  TEST_CASE("what sync carries on has a way back everywhere") {
    GenerateResult result = saved();
    result.synced = true;
    result.replaced = "/home/ann/before/pdf";
    CHECK(in_order(shown(result), {"`upskill sync log`", "`upskill sync undo ID`"}));
  }

  TEST_CASE("refinements are told one by one, a loss as visibly as a gain") {
    GenerateResult result = saved();
    result.attempts = {attempt(1, 0.6, 0.5), attempt(2, 0.6, 0.6), attempt(3, 0.6, 0.9)};
    result.attempts[2].chosen = true;
    result.attempts[2].held_out_baseline = 0.5;
    result.attempts[2].held_out = 0.4;
    CHECK(in_order(shown(result),
                   {"Evaluating on haiku... (attempt 1)\n",
                    "  60% -> 50% (-10%) LOSS\n",
                    "Refining skill with sonnet...\n",
                    "Evaluating on haiku... (attempt 2)\n",
                    "  60% -> 60% (+0%) no gain\n",
                    "Refining skill with sonnet...\n",
                    "Evaluating on haiku... (attempt 3)\n",
                    "  60% -> 90% (+30%) OK, chosen\n",
                    "  held out: 50% -> 40% (-10%) LOSS\n"}));
    CHECK(has(shown(result, true), "\x1b[31mLOSS\x1b[0m"));
    CHECK(has(shown(result, true), "\x1b[32mOK\x1b[0m"));
  }

  TEST_CASE("candidates are told apart, and a draft that is none says why") {
    GenerateResult result = saved();
    GenerateAttempt second = attempt(1, 0.6, 0.7);
    second.candidate = 2;
    second.document = "# Kernels\n\x1b[2Jnvcc";
    GenerateAttempt broken;
    broken.attempt = 2;
    broken.candidate = 2;
    broken.refined = true;
    broken.problem = "the reply has no description";
    result.attempts = {attempt(1, 0.6, 0.95), second, broken};
    std::string text = shown(result);
    CHECK(in_order(text,
                   {"(candidate 1, attempt 1)\n",
                    "(candidate 2, attempt 1)\n",
                    "  60% -> 70% (+10%) OK\n",
                    "  │ # Kernels\n",
                    "  │ nvcc\n",
                    "  no draft (candidate 2, attempt 2): the reply has no description\n"}));
    CHECK_FALSE(has(text, "\x1b"));
  }

  TEST_CASE("several students are compared in a table") {
    GenerateResult result = saved();
    result.roles.push_back({"student", "kimi"});
    result.models = {student("haiku", 12, 19, EvalVerdict::better),
                     student("kimi", 16, 12, EvalVerdict::worse)};
    result.models[1].token_ratio = 0.5;
    std::string text = shown(result);
    CHECK(has(text, "Evaluating on haiku, kimi... (attempt 1)"));
    CHECK(in_order(text,
                   {"  with skill  ████████████░░░░░░░░  60%  (-20%)  12 of 20 samples\n",
                    "  worse on 10 held-out cases, 95% interval -40% to -5%\n",
                    "739 → 1,708 (-50% for each case)",
                    "Student  Baseline  With Skill  Lift  Verdict       Tokens\n",
                    "haiku         60%         95%  +35%  better   739 → 1,708\n",
                    "kimi          80%         60%  -20%  worse    739 → 1,708\n"}));
  }

  TEST_CASE("says of each session what the teacher read, and what was left out") {
    GenerateResult result = saved();
    GenerateEvidence evidence{"5d0c7a52"};
    evidence.tokens = 12'300;
    evidence.counts.events = 1840;
    evidence.counts.left_out = 1700;
    evidence.counts.errors = 3;
    evidence.counts.corrections = 1;
    evidence.counts.redacted = 2;
    evidence.held_out_beats = 4;
    result.evidence = {evidence, {"trace.md"}};
    std::string text = shown(result);
    CHECK(in_order(text,
                   {"Evidence 5d0c7a52: ~12,300 tokens, 3 errors, 1 correction; 1,700 of 1,840",
                    "left out, 2 secrets removed, 4 parts only for test cases",
                    "Evidence trace.md: ~0 tokens, 0 errors, 0 corrections; 0 of 0 events left out",
                    "Generating skill with sonnet..."}));
  }

  TEST_CASE("a description that was tuned is told before and after") {
    GenerateResult result = saved();
    CHECK_FALSE(has(shown(result), "Picked when"));
    GenerateTriggers triggers;
    triggers.train = 12;
    triggers.held_out = 8;
    triggers.before.precision = EvalShare{0.5, 0.3, 0.7};
    triggers.after.recall = EvalShare{1, 0.8, 1};
    triggers.changed = true;
    triggers.why = "5 descriptions were tried";
    result.triggers = triggers;
    CHECK(in_order(shown(result),
                   {"Picked when it should be, on 8 queries held out; tuned by 12 queries\n",
                    "  before  precision 50% [30%, 70%], recall unknown\n",
                    "  after   precision unknown, recall 100% [80%, 100%]\n",
                    "  5 descriptions were tried\n"}));
    CHECK_FALSE(has(shown(result), "the description stays"));
    result.triggers->changed = false;
    CHECK(has(shown(result), "; the description stays"));
  }

  TEST_CASE("what was not saved says why and what to do, and nothing as if it were") {
    struct Row {
      GenerateOutcome outcome;
      std::string_view advice;
    };

    for (const Row& row : {Row{GenerateOutcome::not_better, "`--keep-anyway`"},
                           Row{GenerateOutcome::not_better, "`--cases`"},
                           Row{GenerateOutcome::worse, "`--keep-anyway`"},
                           Row{GenerateOutcome::worse, "`--from SESSION`"},
                           Row{GenerateOutcome::not_warranted, "`--example`"},
                           Row{GenerateOutcome::undecidable, "`--cases`"},
                           Row{GenerateOutcome::stopped, "the same command"}}) {
      GenerateResult result = saved();
      result.outcome = row.outcome;
      result.saved = {};
      result.why = "the interval reaches down to -3%";
      result.failed = "no draft is better";
      CAPTURE(row.advice);
      is_not_shown_as_saved(result);
      CHECK(in_order(shown(result), {"Not saved: the interval reaches down to -3%\n", row.advice}));
      CHECK(has(shown(result), "kernel-builder-cuda-kernels  a draft that was not saved\n"));
      CHECK(exit_code(result) == k_answer_is_no);
      result.why = {};
      CHECK(has(shown(result), "Not saved: no draft is better\n"));
    }
  }

  TEST_CASE("what nobody wrote has no name, no bars and no rates") {
    GenerateResult result;
    result.outcome = GenerateOutcome::not_warranted;
    result.why = "the students pass all of it without";
    result.failed = result.why;
    std::string text = shown(result);
    is_not_shown_as_saved(result);
    CHECK_FALSE(has(text, "%"));
    CHECK_FALSE(has(text, "draft"));
    CHECK_FALSE(has(text, "Generating test cases"));
  }

  TEST_CASE("what is saved without proof says so") {
    GenerateResult result = saved();
    result.outcome = GenerateOutcome::kept_anyway;
    result.why = "the lift is not proven";
    CHECK(in_order(shown(result),
                   {"Saved to ./skills/", " all the same\n", "the lift is not proven\n"}));
    CHECK(exit_code(result) == k_done);
    result = saved();
    result.outcome = GenerateOutcome::unevaluated;
    result.models = {};
    result.attempts[0].with_skill = result.attempts[0].baseline = {};
    result.train_cases = result.held_out_cases = 0;
    std::string text = shown(result);
    CHECK(has(text, "kernel-builder-cuda-kernels, without a test: nothing says that it helps\n"));
    CHECK(has(text, "  draft (attempt 1), not evaluated\n"));
    CHECK_FALSE(has(text, "Evaluating on"));
    CHECK_FALSE(has(text, "Generating test cases"));
    CHECK(exit_code(result) == k_done);
  }

  TEST_CASE("a dry run tells who would be asked what, and that nobody was") {
    GenerateResult result;
    result.outcome = GenerateOutcome::planned;
    result.roles = saved().roles;
    result.roles.push_back({"counterexamples", "opus"});
    result.roles.push_back({"trigger queries", "kimi"});
    result.train_cases = 12;
    result.held_out_cases = 8;
    result.runs = 3;
    result.asked = 1260;
    std::string text = shown(result);
    CHECK(in_order(text,
                   {"Would be asked:\n",
                    "  sonnet to write the skill, and to refine it by what fails\n",
                    "  sonnet to write 20 test cases, 8 of them held out\n",
                    "  haiku to solve each case 3 times with the skill, and as often without it\n",
                    "  opus for cases on which the skill hurts\n",
                    "  kimi for messages that should pick the skill, and near misses\n",
                    "At most 1,260 calls to models; nothing was asked, and nothing written\n"}));
    CHECK_FALSE(has(text, "to grade")); // there is no judge
    CHECK_FALSE(has(text, "Generating"));
    CHECK_FALSE(has(text, "Saved"));
    CHECK(exit_code(result) == k_done);
  }

  TEST_CASE("what it cost, where it is logged and what to know come last") {
    GenerateResult result = saved();
    result.cached = 12;
    result.cost = 0.42;
    result.logs = "/home/ann/work/runs/2026_01_28";
    result.stopped = "the budget of $1.00 is spent";
    result.scripted = true;
    result.warnings = {"the judge was not calibrated"};
    CHECK(in_order(shown(result),
                   {"12 answers known from before, $0.42 spent now\n",
                    "Runs logged to ./runs/2026_01_28\n",
                    "Saved to ",
                    "warning: it ended before its last sample: the budget of $1.00 is spent\n",
                    "warning: a script answered in place of a model\n",
                    "warning: the judge was not calibrated\n"}));
  }

  TEST_CASE("nothing that a model or a session wrote acts on a terminal") {
    GenerateResult result = saved();
    const std::string evil = "x\x1b[2Jy\r\x08";
    result.skill = result.description = result.why = result.saved = result.replaced = evil;
    result.improves = result.config = result.logs = result.stopped = evil;
    result.files = {{evil, 1}};
    result.roles = {{evil, evil, evil + "z"}, {"teacher", evil}, {"student", evil}};
    result.evidence = {{evil}};
    result.warnings = {evil};
    result.models = {student(evil, 1, 2, EvalVerdict::undecided),
                     student("b", 1, 2, EvalVerdict::undecided)};
    result.models[0].student = result.models[0].error = result.models[0].reason = evil;
    GenerateAttempt broken;
    broken.problem = evil;
    result.triggers = GenerateTriggers();
    result.triggers->why = evil;
    result.attempts.push_back(broken);
    for (GenerateOutcome outcome : {GenerateOutcome::saved,
                                    GenerateOutcome::kept_anyway,
                                    GenerateOutcome::not_better,
                                    GenerateOutcome::planned}) {
      result.outcome = outcome;
      std::string text = shown(result);
      CHECK_FALSE(has(text, "\x1b"));
      CHECK_FALSE(has(text, "\r"));
      CHECK_FALSE(has(text, "\x08"));
      CHECK(has(text, "xy"));
    }
  }
}
