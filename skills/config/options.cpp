#include "skills/config/options.h"

#include <array>

namespace upskill::config {
namespace {

constexpr std::int64_t k_max_refine_attempts = 100;
constexpr std::int64_t k_max_runs = 1000;
constexpr std::int64_t k_max_parallel = 1000;

constexpr Option text_option(std::string_view key, Policy policy, std::string Config::*text) {
  return {key, policy, Kind::text, text};
}

constexpr Option model_option(std::string_view key, std::string Config::*text) {
  return {key, Policy::allow, Kind::model, text};
}

constexpr Option ignored(std::string_view key, Policy policy, std::string_view instead) {
  return {key, policy, Kind::ignored, nullptr, nullptr, nullptr, 0, 0, instead};
}

constexpr Option number_option(std::string_view key,
                               std::optional<std::int64_t> Config::*number,
                               std::int64_t most) {
  return {key, Policy::allow, Kind::number, nullptr, nullptr, number, 1, most};
}

constexpr std::string_view k_local = "samples are asked from this machine";
constexpr std::string_view k_own_clients = "models are asked by the daemon itself";

// Names and meaning are those of upskill 0.2.1 and of its main branch of 2026-05.
constexpr std::array<Option, 23> k_options{{
    model_option("model", &Config::skill_generation_model), // its old name
    model_option("skill_generation_model", &Config::skill_generation_model),
    model_option("eval_model", &Config::eval_model),
    model_option("test_gen_model", &Config::test_gen_model),
    model_option("judge_model", &Config::judge_model),
    text_option("skills_dir", Policy::inside_project, &Config::skills_dir),
    text_option("runs_dir", Policy::inside_project, &Config::runs_dir),
    {"max_refine_attempts",
     Policy::allow,
     Kind::number,
     nullptr,
     &Config::max_refine_attempts,
     nullptr,
     0,
     k_max_refine_attempts},
    number_option("num_runs", &Config::num_runs, k_max_runs),
    number_option("max_parallel", &Config::max_parallel, k_max_parallel),
    {"watch", Policy::narrow, Kind::watch},
    {"install", Policy::refuse, Kind::install},
    ignored(
        "auto_eval", Policy::allow, "a generated skill is evaluated unless `--no-eval` is said"),
    ignored("executor", Policy::allow, k_local),
    ignored("fastagent_config", Policy::refuse, k_own_clients),
    ignored("artifact_repo", Policy::refuse, k_local),
    ignored("jobs_secrets", Policy::refuse, k_local),
    ignored("jobs_image", Policy::refuse, k_local),
    ignored("jobs_flavor", Policy::allow, k_local),
    ignored("jobs_timeout", Policy::allow, k_local),
    ignored("jobs_namespace", Policy::refuse, k_local),
    ignored("wait", Policy::allow, k_local),
    ignored(
        "cli_providers", Policy::refuse, "`--student cli.claude-code` and its like name an agent"),
}};

} // namespace

std::span<const Option> options() {
  return k_options;
}

} // namespace upskill::config
