#include "daemon/handlers/generate_result.h"

#include "skills/document/tokens.h"
#include "skills/eval/suite_hash.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

std::int64_t number(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

GenerateOutcome outcome_of(generate::Ending::Kind kind) {
  switch (kind) {
  case generate::Ending::Kind::better:
    return GenerateOutcome::saved;
  case generate::Ending::Kind::unevaluated:
    return GenerateOutcome::unevaluated;
  case generate::Ending::Kind::worse:
    return GenerateOutcome::worse;
  case generate::Ending::Kind::not_warranted:
    return GenerateOutcome::not_warranted;
  case generate::Ending::Kind::undecidable:
    return GenerateOutcome::undecidable;
  case generate::Ending::Kind::stopped:
    return GenerateOutcome::stopped;
  case generate::Ending::Kind::not_better:
  case generate::Ending::Kind::failed:
    break;
  }
  return GenerateOutcome::not_better;
}

GenerateAttempt told(const generate::Attempt& attempt, bool is_chosen, bool with_text) {
  GenerateAttempt one;
  one.attempt = number(attempt.attempt);
  one.candidate = number(attempt.candidate) + 1;
  one.refined = attempt.from.has_value();
  one.problem = attempt.problem;
  one.baseline = attempt.train_baseline;
  one.with_skill = attempt.train;
  one.held_out_baseline = attempt.held_out_baseline;
  one.held_out = attempt.held_out;
  one.chosen = is_chosen;
  if (attempt.problem.empty()) {
    std::string document = generate::write_document(attempt.draft);
    one.tokens = document::estimate_tokens(document);
    if (with_text) {
      one.document = std::move(document);
    }
  }
  return one;
}

void add_role(std::vector<GenerateRole>& roles,
              std::string_view role,
              const std::string& model,
              const EvalModels& models) {
  if (!model.empty()) {
    roles.push_back({std::string(role), model, models.resolved(model)});
  }
}

} // namespace

std::vector<GenerateRole>
roles_of(const GenerateParams& params, const EvalModels& teachers, const EvalModels& students) {
  std::vector<GenerateRole> roles;
  add_role(roles, "teacher", params.model, teachers);
  if (params.no_eval) {
    return roles;
  }
  add_role(roles, "test cases", params.test_gen_model, teachers);
  for (const std::string& model : params.eval_model) {
    add_role(roles, "student", model, students);
  }
  add_role(roles, "judge", params.judge_model, teachers);
  add_role(roles, "counterexamples", params.counterexamples, teachers);
  if (params.tune_description) {
    add_role(roles, "trigger queries", params.test_gen_model, teachers);
  }
  return roles;
}

bool is_to_be_saved(const GenerateParams& params, const generate::Ending& ending) {
  using Kind = generate::Ending::Kind;
  if (!ending.draft || params.dry_run) {
    return false;
  }
  return ending.kind == Kind::better || ending.kind == Kind::unevaluated || params.keep_anyway;
}

void tell_files(GenerateResult& result, const generate::Draft& draft) {
  result.description = draft.description;
  result.files.clear();
  for (const generate::FileTokens& file : generate::token_report(draft)) {
    result.files.push_back({file.path, file.tokens});
  }
}

Result<GenerateResult> result_of(const GenerateParams& params, const generate::Loop& loop) {
  const generate::Ending& ending = *loop.ending();
  GenerateResult result;
  result.outcome = outcome_of(ending.kind);
  result.why = ending.why;
  result.runs = params.runs.value_or(0);
  result.train_cases = number(loop.train_cases());
  result.held_out_cases = number(loop.held_out_cases());
  const std::vector<generate::Attempt>& attempts = loop.attempts();
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    result.attempts.push_back(told(attempts[i], ending.draft == i, params.verbose));
  }
  result.warnings = loop.warnings();
  if (ending.kind == generate::Ending::Kind::stopped) {
    result.stopped = ending.why;
  }
  if (!ending.draft) {
    return result;
  }
  const generate::Draft& draft = attempts[*ending.draft].draft;
  result.skill = draft.name;
  tell_files(result, draft);
  result.warnings.insert(result.warnings.end(), draft.warnings.begin(), draft.warnings.end());
  TRY_ASSIGN(result.models, loop.held_out_report(*ending.draft));
  return result;
}

Result<EvalResult> evaluation_of(const GenerateResult& result,
                                 const generate::Loop& loop,
                                 const std::string& started_at) {
  EvalResult evaluation;
  evaluation.id = result.id;
  evaluation.skill = result.skill;
  evaluation.hash = result.hash;
  evaluation.started_at = started_at;
  evaluation.cases = result.held_out_cases;
  evaluation.runs = result.runs;
  evaluation.config = result.config;
  evaluation.cost = result.cost;
  evaluation.asked = result.asked;
  evaluation.cached = result.cached;
  evaluation.scripted = result.scripted;
  evaluation.cases_hash = eval::suite_hash(loop.suite()).hex();
  evaluation.against = result.improves;
  evaluation.models = result.models;
  return evaluation;
}

} // namespace upskill::daemon
