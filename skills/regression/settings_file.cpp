#include "skills/regression/settings_file.h"

#include "protocol/base/utf8.h"
#include "skills/document/yaml_json.h"

#include <algorithm>
#include <span>

namespace upskill::regression {
namespace {

using document::Yaml;

constexpr std::size_t k_max_names = 20;   // models, or students
constexpr std::size_t k_max_name = 200;   // bytes of one
constexpr std::int64_t k_max_runs = 1000; // of a case; as a configuration's `num_runs`
constexpr double k_max_usd = 10'000;      // in an hour or a day; 0: nothing that costs
constexpr std::int64_t k_max_tokens = 1'000'000'000'000;
constexpr std::int64_t k_max_budget_runs = 1'000'000;
constexpr std::string_view k_agent_student = "cli.";

// A drop of less than five points takes more than a thousand samples, and one of more than a half
// is no test of anything. The promises are such that a verdict still says something.
constexpr double k_least_drop = 0.05;
constexpr double k_most_drop = 0.5;
constexpr double k_least_alpha = 0.001;
constexpr double k_most_alpha = 0.2;
constexpr double k_least_beta = 0.01;
constexpr double k_most_beta = 0.5;

std::string before_line() {
  return std::string(k_watch_file) + ":";
}

std::vector<std::string> read_names(YamlFields& fields, std::string_view key) {
  std::vector<std::string> names = fields.texts(key, k_max_names, k_max_name);
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      fields.refuse(key, "names " + shown(*name) + " twice");
    }
  }
  return names;
}

bool is_student(std::string_view name) {
  if (name == "chat" || name == "agent") {
    return true;
  }
  if (!name.starts_with(k_agent_student)) {
    return false;
  }
  name.remove_prefix(k_agent_student.size());
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Allowance read_allowance(YamlFields& budget, std::string_view key) {
  std::optional<YamlFields> fields = budget.inner(key);
  if (!fields) {
    return {};
  }
  Allowance allowance{.usd = fields->number("usd", 0, k_max_usd),
                      .tokens = fields->whole("tokens", 0, k_max_tokens),
                      .runs = fields->whole("runs", 0, k_max_budget_runs)};
  fields->warn_of_others();
  return allowance;
}

WatchBudget read_budget(YamlFields& fields) {
  std::optional<YamlFields> budget = fields.inner("budget");
  if (!budget) {
    return {};
  }
  WatchBudget read{.hour = read_allowance(*budget, "hour"), .day = read_allowance(*budget, "day")};
  budget->warn_of_others();
  return read;
}

WatchThresholds read_thresholds(YamlFields& fields) {
  std::optional<YamlFields> thresholds = fields.inner("thresholds");
  if (!thresholds) {
    return {};
  }
  WatchThresholds read{.drop = thresholds->number("drop", k_least_drop, k_most_drop),
                       .alpha = thresholds->number("alpha", k_least_alpha, k_most_alpha),
                       .beta = thresholds->number("beta", k_least_beta, k_most_beta)};
  thresholds->warn_of_others();
  return read;
}

} // namespace

WatchSettings read_settings(YamlFields& fields) {
  WatchSettings settings;
  std::span<const std::string_view> modes = mode_words();
  if (std::optional<std::string> word = fields.word("mode", modes)) {
    settings.mode = static_cast<WatchMode>(std::ranges::find(modes, *word) - modes.begin());
  }
  settings.models = read_names(fields, "models");
  settings.students = read_names(fields, "students");
  for (const std::string& student : settings.students) {
    if (!is_student(student)) {
      fields.refuse("students",
                    "has " + shown(student) + ", which is no student",
                    "`chat`, `agent`, or an agent's program such as `cli.claude-code`");
    }
  }
  settings.runs = fields.whole("runs", 1, k_max_runs);
  settings.budget = read_budget(fields);
  settings.thresholds = read_thresholds(fields);
  return settings;
}

Error yaml_error(Error error, std::string_view before_line) {
  constexpr std::string_view k_line = "line ";
  std::string message = to_valid_utf8(error.message);
  bool has_line = message.starts_with(k_line);
  error.message = has_line ? std::string(before_line) + message.substr(k_line.size())
                           : std::string(before_line) + " " + message;
  return error;
}

Result<WatchFile> read_watch_file(std::string_view text) {
  if (text.size() > k_max_watch_file) {
    return fail(ErrorCode::too_large,
                before_line() + " the file has more than " + std::to_string(k_max_watch_file)
                    + " bytes");
  }
  Result<document::YamlDocument> document = document::parse_yaml(text);
  if (!document) {
    return fail(yaml_error(std::move(document).error(), before_line()));
  }
  const Yaml& root = document->root;
  WatchFile file;
  if (root.is_null()
      || (root.is_scalar() && document::core_type(root) == document::CoreType::null)) {
    return file;
  }
  if (!root.is_mapping()) {
    return fail(ErrorCode::invalid_argument,
                before_line() + std::to_string(root.line) + ": the file must be keys with values",
                "such as `mode: ask`");
  }
  if (document->features.duplicate_line > 0) {
    return fail(ErrorCode::invalid_argument,
                before_line() + std::to_string(document->features.duplicate_line) + ": "
                    + shown(document->features.duplicate_key) + " is given twice",
                "take one of them out");
  }
  eval::Findings findings;
  YamlFields fields(root, before_line(), {}, findings);
  file.settings = read_settings(fields);
  fields.warn_of_others();
  if (findings.problem) {
    return fail(std::move(*findings.problem));
  }
  file.warnings = std::move(findings.warnings);
  return file;
}

} // namespace upskill::regression
