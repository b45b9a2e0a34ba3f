#include "daemon/generation/agent_model.h"
#include "daemon/generation/sampling_desk.h"
#include "daemon/handlers/generate_request.h"
#include "daemon/models/model_name.h"
#include "skills/document/unicode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_task = 16u << 10; // bytes
constexpr std::size_t k_max_examples = 50;
constexpr std::size_t k_max_from = 20;
constexpr std::size_t k_max_students = 10;
constexpr std::int64_t k_least_runs = 3; // that decide a save
constexpr std::int64_t k_most_runs = 100;
constexpr std::int64_t k_least_cases = 12; // 10 held out, 2 to refine by
constexpr std::int64_t k_most_cases = 200;
constexpr std::int64_t k_most_candidates = 8;
constexpr std::int64_t k_most_attempts = 20;
constexpr std::int64_t k_default_cases = 20;

tl::unexpected<Error> wrong(std::string_view field, std::string_view what, std::string hint = {}) {
  return fail(ErrorCode::invalid_argument,
              "params." + std::string(field) + ": " + std::string(what),
              std::move(hint));
}

Result<void> check_range(std::string_view field,
                         const std::optional<std::int64_t>& value,
                         std::int64_t least,
                         std::int64_t most) {
  if (value && (*value < least || *value > most)) {
    return wrong(field, "must be from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return {};
}

// What only a person says: whatever reads or writes where it is told to.
Result<void> check_rights(const GenerateParams& params) {
  std::array<std::pair<std::string_view, const std::string*>, 3> paths{
      {{"runs_dir", &params.runs_dir}, {"record", &params.record}, {"replay", &params.replay}}};
  for (const auto& [field, value] : paths) {
    if (!value->empty()) {
      return fail(ErrorCode::refused,
                  "params." + std::string(field) + ": only a person may name this path",
                  "`upskill generate` on the command line");
    }
  }
  if (!params.tool.empty()) {
    return fail(ErrorCode::refused,
                "params.tool: only a person may name this file",
                "say in the task what the tool does");
  }
  std::array<std::pair<std::string_view, const std::string*>, 2> servers{
      {{"base_url", &params.base_url}, {"eval_base_url", &params.eval_base_url}}};
  for (const auto& [field, url] : servers) {
    if (!url->empty() && !models::is_loopback(*url)) {
      return fail(ErrorCode::refused,
                  "params." + std::string(field)
                      + ": only a person may name a server of another machine",
                  "`upskill generate` on the command line");
    }
  }
  // What a person has not seen, and nothing proves, goes to the inbox alone.
  if ((params.no_eval || params.keep_anyway) && !params.output.empty()) {
    return fail(ErrorCode::refused,
                "params.output: without a proof only a person may name this path",
                "leave it out: the skill then waits in the inbox for a person");
  }
  std::vector<std::string> models = params.eval_model;
  models.insert(models.end(),
                {params.model, params.test_gen_model, params.counterexamples, params.judge_model});
  for (const std::string& model : models) {
    if (is_scripted(model) || generation::is_agent(model)) {
      return fail(ErrorCode::refused,
                  "params.model: only a person may name `" + model + "`",
                  "agents name models of servers, or `sampling`");
    }
  }
  return {};
}

} // namespace

void settle(GenerateParams& params, const config::Config& config) {
  auto first = [](const std::string& one, const std::string& other) {
    return one.empty() ? other : one;
  };
  params.model = first(params.model, config.skill_generation_model);
  params.test_gen_model = first(first(params.test_gen_model, config.test_gen_model), params.model);
  if (params.eval_model.empty()) {
    params.eval_model.push_back(first(config.eval_model, params.model));
  }
  params.judge_model = first(params.judge_model, config.judge_model);
  params.student = first(params.student, "chat");
  params.runs = params.runs ? *params.runs : std::max(config.num_runs.value_or(0), k_least_runs);
  params.cases = params.cases ? *params.cases : k_default_cases;
  params.candidates = params.candidates ? *params.candidates : 1;
  params.attempts = params.attempts ? *params.attempts : config.max_refine_attempts + 1;
  params.jobs = params.jobs ? params.jobs : config.max_parallel;
}

Result<void> check_params(const GenerateParams& params, const Asker& asker) {
  if (document::strip(params.task).empty()) {
    return wrong("task", "is empty", "say what the skill is for");
  }
  if (params.task.size() > k_max_task) {
    return wrong("task", "is longer than 16 KiB", "`--from` takes sessions and skills");
  }
  if (params.example.size() > k_max_examples) {
    return wrong("example", "more than 50 examples");
  }
  if (params.from.size() > k_max_from) {
    return wrong("from", "more than 20 skills and sessions");
  }
  if (params.eval_model.size() > k_max_students) {
    return wrong("eval_model", "more than 10 students");
  }
  for (std::size_t i = 1; i < params.eval_model.size(); ++i) {
    if (std::find(params.eval_model.begin(),
                  params.eval_model.begin() + static_cast<std::ptrdiff_t>(i),
                  params.eval_model[i])
        != params.eval_model.begin() + static_cast<std::ptrdiff_t>(i)) {
      return wrong("eval_model", "one is named twice");
    }
  }
  if (!params.student.empty() && params.student != "chat" && params.student != "agent") {
    return wrong("student", "there is no student `" + params.student + "`", "`chat` or `agent`");
  }
  if (params.runs && *params.runs < k_least_runs && !params.no_eval) {
    return wrong(
        "runs", "fewer than 3 decide nothing", "`--no-eval` writes the skill without a test");
  }
  TRY(check_range("runs", params.runs, 1, k_most_runs));
  TRY(check_range("cases", params.cases, k_least_cases, k_most_cases));
  TRY(check_range("candidates", params.candidates, 1, k_most_candidates));
  TRY(check_range("attempts", params.attempts, 1, k_most_attempts));
  TRY(check_range("jobs", params.jobs, 1, 1000));
  TRY(check_range("evidence_tokens", params.evidence_tokens, 1000, 1'000'000));
  if (params.seed < 0) {
    return wrong("seed", "is negative");
  }
  if (params.budget && !(*params.budget >= 0 && std::isfinite(*params.budget))) {
    return wrong("budget", "must be an amount of US dollars");
  }
  if (params.token_budget.value_or(0) < 0) {
    return wrong("token_budget", "is negative");
  }
  TRY(check_range("time_budget", params.time_budget, 1, 30ll * 24 * 3600));
  if (!params.executor.empty() && params.executor != "local") {
    return wrong("executor", "`" + params.executor + "` is not supported", "`local` is");
  }
  if (!params.record.empty() && !params.replay.empty()) {
    return wrong("replay", "either records or replays", "leave out `--record` or `--replay`");
  }
  for (const std::string& model : params.eval_model) {
    if (generation::is_agent(model) || model == generation::k_sampling) {
      return wrong("eval_model",
                   "`" + model + "` cannot be a student here",
                   "`upskill eval --student` asks coding agents");
    }
  }
  for (const std::string* model :
       {&params.model, &params.test_gen_model, &params.counterexamples}) {
    if (params.budget && generation::is_agent(*model)) {
      return wrong("budget",
                   "what a coding agent spends cannot be bounded from outside",
                   "`--time-budget`, or another teacher");
    }
  }
  bool asks_caller =
      params.model == generation::k_sampling || params.test_gen_model == generation::k_sampling;
  if (params.judge_model == generation::k_sampling || (params.tune_description && asks_caller)) {
    return wrong("model",
                 "`sampling` cannot be asked while students work",
                 "it writes skills and test cases; name another judge, and do not tune");
  }
  if (!params.counterexamples.empty() && params.attempts == 1) {
    return wrong("counterexamples",
                 "they join the cases of the next attempt, and there is one attempt",
                 "`--attempts` with 2 or more");
  }
  if (params.no_eval && (params.tune_description || !params.counterexamples.empty())) {
    return wrong("no_eval", "does not go with what needs an evaluation");
  }
  return asker.is_person ? Result<void>() : check_rights(params);
}

} // namespace upskill::daemon
