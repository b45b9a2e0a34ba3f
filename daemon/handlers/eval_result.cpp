#include "daemon/handlers/eval_result.h"

#include "skills/eval/suite_hash.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace upskill::daemon {
namespace {

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

// Their number. A budget's message is the same for all that it kept back, students and judges.
std::size_t drop_what_was_not_drawn(std::vector<EvalSample>& samples,
                                    const models::Budget& budget) {
  if (budget.stopped().empty()) {
    return 0;
  }
  return std::erase_if(samples, [&](const EvalSample& sample) {
    return sample.outcome == SampleOutcome::error
           && sample.error.find(budget.stopped()) != std::string::npos;
  });
}

// Coding agents pay for themselves, beside the budget.
void add_what_agents_spent(EvalResult& result, const std::vector<eval::ModelSamples>& models) {
  for (const eval::ModelSamples& of : models) {
    if (!of.student.starts_with("cli.")) {
      continue;
    }
    for (const EvalSample& sample : of.samples) {
      bool is_known = result.cost && sample.cost;
      result.cost = is_known ? std::optional(*result.cost + *sample.cost) : std::nullopt;
      ++result.asked;
    }
  }
}

// One set of skills against another, by the samples of both.
Result<EvalModelReport> compare(const eval::CaseSuite& suite,
                                const CombinationSamples& with,
                                const CombinationSamples& without,
                                std::uint64_t seed) {
  eval::ModelSamples pair{with.model, {}, with.samples};
  for (EvalSample sample : without.samples) {
    sample.arm = EvalArm::baseline;
    pair.samples.push_back(std::move(sample));
  }
  std::vector<eval::ModelSamples> one;
  one.push_back(std::move(pair));
  TRY_ASSIGN(std::vector<EvalModelReport> reports,
             eval::report_models(suite, std::move(one), true, seed));
  return std::move(reports.front());
}

// The first set of a model is none of them, the second all.
Result<std::vector<EvalCombination>> combine(const eval::CaseSuite& suite,
                                             const std::vector<CombinationSamples>& sets,
                                             std::uint64_t seed) {
  std::vector<EvalCombination> combinations;
  const CombinationSamples* none = nullptr;
  const CombinationSamples* all = nullptr;
  for (const CombinationSamples& set : sets) {
    bool is_first = none == nullptr || none->model != set.model;
    none = is_first ? &set : none;
    all = is_first ? nullptr : all == nullptr ? &set : all;
    TRY_ASSIGN(EvalModelReport report, compare(suite, set, *none, seed));
    EvalCombination& one = combinations.emplace_back();
    one.model = set.model;
    one.skills = set.skills;
    one.arm = report.with_skill;
    if (!is_first) {
      one.lift = report.lift;
    }
    if (all != nullptr && all != &set) {
      TRY_ASSIGN(EvalModelReport against_all, compare(suite, set, *all, seed));
      one.without_it = against_all.lift;
    }
  }
  return combinations;
}

} // namespace

bool is_nothing_known(const std::vector<eval::ModelSamples>& models) {
  return std::ranges::all_of(models, [](const eval::ModelSamples& of) {
    return std::ranges::all_of(of.samples, [](const EvalSample& sample) {
      return sample.outcome == SampleOutcome::error;
    });
  });
}

Result<EvalResult> result_of(const EvalParams& params,
                             const EvalRequest& request,
                             EvalSession& session,
                             const models::Budget& budget) {
  auto seed = static_cast<std::uint64_t>(params.seed);
  EvalResult result;
  result.skill = request.skill.name;
  result.hash = request.hash;
  result.cases_hash = eval::suite_hash(request.suite).hex();
  result.cases = static_cast<std::int64_t>(request.suite.cases.size());
  result.runs = params.runs.value_or(1);
  result.seed = params.seed;
  result.against = params.against;
  result.warnings = request.suite.warnings;
  std::size_t missing = 0;
  for (eval::ModelSamples& of : session.samples) {
    missing += drop_what_was_not_drawn(of.samples, budget);
    result.scripted = result.scripted || is_scripted(of.model);
    for (const EvalSample& sample : of.samples) {
      result.cached += sample.cached ? 1 : 0;
    }
  }
  for (CombinationSamples& set : session.combinations) {
    missing += drop_what_was_not_drawn(set.samples, budget);
  }
  if (missing > 0) {
    result.stopped = budget.stopped() + ", " + std::to_string(missing)
                     + (missing == 1 ? " sample is" : " samples are") + " missing";
  }
  result.cost = budget.totals().cost;
  result.asked = budget.totals().calls;
  add_what_agents_spent(result, session.samples);
  bool judges = !params.judge_model.empty();
  if (judges && std::ranges::find(params.model, params.judge_model) != params.model.end()) {
    result.warnings.push_back("`" + params.judge_model
                              + "` judges its own answers; `--judge-model` names another one");
  }
  TRY_ASSIGN(
      result.models,
      eval::report_models(request.suite, std::move(session.samples), !params.no_baseline, seed));
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    EvalModelReport& report = result.models[i];
    report.error =
        session.first_errors[i] == budget.stopped() ? std::string() : session.first_errors[i];
    if (report.trigger && report.student == "chat") {
      report.trigger.reset(); // it is given the skill, and picks nothing
    }
  }
  TRY_ASSIGN(result.combinations, combine(request.suite, session.combinations, seed));
  return result;
}

std::string why_failed(const EvalParams& params, const EvalResult& result) {
  for (const EvalModelReport& model : result.models) {
    std::string who = "`" + (model.model.empty() ? model.student : model.model) + "`";
    std::int64_t errors = model.with_skill.errors + (model.baseline ? model.baseline->errors : 0);
    if (!model.with_skill.rate) {
      return "nothing is known of " + who;
    }
    if (model.verdict == EvalVerdict::worse) {
      return who + " does worse with the skill";
    }
    if (params.fail_under && *model.with_skill.rate < *params.fail_under) {
      return who + " passes " + percent(*model.with_skill.rate) + " with the skill, less than "
             + percent(*params.fail_under);
    }
    // A gate must not be passed by what could not be seen.
    if ((params.fail_under || !params.replay.empty()) && errors > 0) {
      return who + " has " + std::to_string(errors) + (errors == 1 ? " sample" : " samples")
             + " without an outcome";
    }
    if (params.fail_on_undecided && model.verdict == EvalVerdict::undecided) {
      return who + " is undecided";
    }
  }
  return params.fail_under && !result.stopped.empty() ? "it was cut short" : std::string();
}

void keep_short(EvalResult& result) {
  for (EvalModelReport& model : result.models) {
    model.samples.clear();
    model.cases.clear();
  }
}

} // namespace upskill::daemon
