#pragma once
#include "skills/eval/random.h"
#include "skills/generate/loop.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace upskill::generate::test {

inline Draft draft_of(std::size_t number) {
  Draft draft;
  draft.name = "draft-" + std::to_string(number);
  draft.description = "Does it.";
  draft.body = "Do it.\n";
  return draft;
}

inline eval::CaseSuite cases_of(const std::vector<std::string>& inputs) {
  eval::CaseSuite suite;
  for (const std::string& input : inputs) {
    suite.cases.push_back({.id = std::to_string(suite.cases.size() + 1), .input = input});
  }
  return suite;
}

inline SampleOutcome passes(bool does) {
  return does ? SampleOutcome::passed : SampleOutcome::failed;
}

inline Error away(std::string what) {
  return {ErrorCode::unavailable, std::move(what) + " is away"};
}

// Answers the steps of a loop. What is not set is as good as can be: as many new cases as were
// asked for, a draft whenever one is wanted, students who pass nothing without it and all with it.
class World {
public:
  using Outcome = SampleOutcome;

  explicit World(LoopOptions options = {})
      : m_options(complete(std::move(options)))
      , loop(m_options) {}

  std::function<Result<eval::CaseSuite>(const Step&)> write_cases = [this](const Step& step) {
    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < step.count; ++i) {
      inputs.push_back("task " + std::to_string(++m_last_input));
    }
    return Result<eval::CaseSuite>(cases_of(inputs));
  };
  // `number` is that of the draft: its place in attempts().
  std::function<Result<DraftReply>(const Step&, std::size_t number)> write_draft =
      [](const Step&, std::size_t number) { return Result<DraftReply>(draft_of(number)); };
  std::function<Outcome(LoopArm, std::size_t student, std::size_t case_number, std::int64_t run)>
      outcome = [](LoopArm arm, std::size_t, std::size_t, std::int64_t) {
        return arm ? Outcome::passed : Outcome::failed;
      };
  // The error of a whole step.
  std::function<std::optional<Error>(const Step&)> trouble = [](const Step&) {
    return std::optional<Error>();
  };

  // Answers until the loop ends: the first step that waits, or any where `order` is given.
  const Ending& run(eval::Random* order = nullptr) {
    for (int rounds = 0; rounds < 10'000 && !loop.ending(); ++rounds) {
      take();
      if (waiting.empty()) {
        break;
      }
      answer(order ? order->below(static_cast<std::uint32_t>(waiting.size())) : 0);
    }
    static const Ending k_none{Ending::Kind::failed, "the loop waits for nothing"};
    return loop.ending() ? *loop.ending() : k_none;
  }

  // Answers all that waits of that kind, and what comes after it of the same kind.
  void answer_all(Step::Kind kind) {
    for (;;) {
      take();
      auto found = std::ranges::find(waiting, kind, &Step::kind);
      if (found == waiting.end()) {
        return;
      }
      answer(static_cast<std::size_t>(found - waiting.begin()));
    }
  }

  void take() {
    for (Step& step : loop.take_steps()) {
      given.push_back(step);
      waiting.push_back(std::move(step));
    }
  }

  void answer(std::size_t at) {
    const Step step = waiting[at];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
    std::optional<Error> error = trouble(step);
    switch (step.kind) {
    case Step::Kind::write_cases:
    case Step::Kind::counterexamples:
      loop.cases_written(step.id,
                         error ? Result<eval::CaseSuite>(fail(*error)) : write_cases(step));
      break;
    case Step::Kind::write_draft:
    case Step::Kind::refine: {
      const bool is_first = step.kind == Step::Kind::write_draft;
      const std::size_t number = is_first ? step.candidate : loop.attempts().size() - 1;
      loop.draft_written(step.id,
                         error ? Result<DraftReply>(fail(*error)) : write_draft(step, number));
      break;
    }
    case Step::Kind::evaluate:
      if (error) {
        loop.evaluated(step.id, fail(*error));
      } else {
        loop.evaluated(step.id, samples_of(step));
      }
    }
  }

  std::vector<EvalSample> samples_of(const Step& step) const {
    std::vector<EvalSample> samples;
    for (std::int64_t run = m_options.runs; run > 0; --run) { // in any order
      for (std::size_t number : step.cases) {
        EvalSample& sample = samples.emplace_back();
        sample.case_id = loop.suite().cases[number].id;
        sample.run = run;
        sample.outcome = outcome(step.draft, step.student, number, run);
        sample.output = "run " + std::to_string(run);
        sample.error = sample.outcome == Outcome::error ? "the server is away" : "";
        if (sample.outcome != Outcome::error) {
          sample.checks.push_back({"contains `x`", sample.outcome, "not found"});
        }
      }
    }
    return samples;
  }

  std::vector<Step> given_of(Step::Kind kind) const {
    std::vector<Step> steps;
    std::ranges::copy_if(
        given, std::back_inserter(steps), [&](const Step& step) { return step.kind == kind; });
    return steps;
  }

  std::size_t count(Step::Kind kind) const { return given_of(kind).size(); }

  bool is(CasePart part, std::size_t number) const {
    const std::vector<std::size_t> numbers = loop.cases_of(part);
    return std::ranges::find(numbers, number) != numbers.end();
  }

private:
  static LoopOptions complete(LoopOptions options) {
    if (options.students.empty()) {
      options.students = {"haiku"};
    }
    options.resamples = 500; // the interval can only take verdicts back
    return options;
  }

  LoopOptions m_options;
  int m_last_input = 0;

public:
  Loop loop;
  std::vector<Step> given = {};
  std::vector<Step> waiting = {}; // given out, and not told yet
};

} // namespace upskill::generate::test
