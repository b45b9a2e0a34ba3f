#include "daemon/handlers/eval_request.h"

#include "daemon/evals/fixtures.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/models/model_name.h"
#include "daemon/sandbox/skill_copy.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/eval/cases.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_max_runs = 1000;
constexpr std::int64_t k_max_in_flight = 1000;
constexpr std::size_t k_max_models = 20;
constexpr std::size_t k_max_others = 8;
constexpr std::int64_t k_max_seconds = 30ll * 24 * 3600;
constexpr std::size_t k_max_script = 8u << 20; // bytes

Result<std::optional<std::string>> read_of_skill(int skill, std::string_view path) {
  Result<FilePart> part = read_part(skill, std::string(path), 0, eval::k_max_test_file + 1);
  if (part) {
    return std::move(part->bytes);
  }
  if (part.error().code == ErrorCode::not_found) {
    return std::nullopt;
  }
  return fail(std::move(part).error());
}

Result<std::string>
read_named(int skill, const std::string& path, const Asker& asker, std::size_t limit) {
  if (asker.is_person) {
    return read_file(normalized_path(path, asker.cwd), limit);
  }
  TRY_ASSIGN(std::optional<std::string> text, read_of_skill(skill, path));
  if (!text) {
    return fail(ErrorCode::not_found,
                "the skill has no file `" + to_valid_utf8(utf8_prefix(path, 256)) + "`",
                "an agent names files of the skill, relative to it; a person may name any");
  }
  return std::move(*text);
}

// The suite that is named, or the skill's own.
Result<void>
read_suite(EvalRequest& request, int skill, const EvalParams& params, const Asker& asker) {
  if (params.tests.empty()) {
    auto read = [skill](std::string_view path) { return read_of_skill(skill, path); };
    eval::CaseUse use = params.triggers ? eval::CaseUse::triggers : eval::CaseUse::answers;
    Result<eval::FoundCases> found = eval::find_cases(use, read);
    if (found) {
      request.suite = std::move(found->suite);
    } else if (found.error().code == ErrorCode::not_found) {
      request.why_no_cases = std::move(found).error();
    } else {
      return fail(std::move(found).error());
    }
    return {};
  }
  TRY_ASSIGN(std::string text, read_named(skill, params.tests, asker, eval::k_max_test_file));
  Result<eval::CaseSuite> suite = eval::read_cases(text);
  if (!suite) {
    Error error = std::move(suite).error();
    error.message = "`" + params.tests + "`: " + error.message;
    return fail(std::move(error));
  }
  request.suite = std::move(*suite);
  return {};
}

Result<SkillPlace> find(const Catalogue& catalogue, const std::string& skill, const Asker& asker) {
  return asker.is_person ? find_skill_anywhere(catalogue, skill, asker.cwd)
                         : find_skill(catalogue, skill, asker.cwd);
}

Result<students::OfferedSkill> read_skill(const SkillPlace& place, int skill) {
  std::string name = document_name(skill);
  if (name.empty()) {
    return fail(ErrorCode::not_found, "`" + place.folder + "` has no `SKILL.md`");
  }
  TRY_ASSIGN(FilePart part, read_part(skill, name, 0, k_max_skill_file));
  document::Document document = document::read_document(part.bytes);
  students::OfferedSkill offered;
  offered.name = place.name;
  offered.description = to_valid_utf8(document.description);
  offered.body = document.parts.body;
  return offered;
}

// A skill, and its open folder.
struct OpenSkill {
  SkillPlace place;
  UniqueFd folder;
  students::OfferedSkill offered = {};
};

Result<OpenSkill> open(SkillPlace place) {
  TRY_ASSIGN(UniqueFd folder, open_skill(place));
  TRY_ASSIGN(students::OfferedSkill offered, read_skill(place, folder.get()));
  return OpenSkill{std::move(place), std::move(folder), std::move(offered)};
}

std::string real_folder(const SkillPlace& place) {
  return join_path(place.real_parent, base_name(place.folder));
}

// Where the test file lies in one of the skills. It is left out of every copy: another version of
// the skill may have the same file, and an arm that knows its cases passes them.
std::vector<std::string> test_files_in(const std::vector<const OpenSkill*>& skills,
                                       const EvalParams& params,
                                       const Asker& asker) {
  std::vector<std::string> inside;
  if (params.tests.empty()) {
    return inside;
  }
  for (const OpenSkill* skill : skills) {
    std::string folder = real_folder(skill->place);
    std::string cwd = asker.is_person ? asker.cwd : folder;
    std::string tests = real_path(normalized_path(params.tests, cwd));
    if (is_inside(tests, folder) && tests != folder) {
      inside.push_back(relative_path(tests, folder));
    }
  }
  return inside;
}

// Copies for students that open their skills.
Result<void>
copy(EvalRequest& request, OpenSkill& skill, const std::vector<std::string>& left_out) {
  TRY_ASSIGN(sandbox::PrivateFolder into, sandbox::PrivateFolder::make());
  TRY_ASSIGN(skill.offered.folder,
             sandbox::copy_skill(skill.folder.get(), into, skill.offered.name, left_out));
  request.copies.push_back(std::move(into));
  return {};
}

std::string hash_of(const SkillPlace& place) {
  UniqueFd parent = library::open_folder(AT_FDCWD, place.real_parent.c_str());
  if (!parent) {
    return {};
  }
  sync::ReadResult read = sync::read_skill(parent.get(), std::string(base_name(place.folder)), {});
  return read.stat.presence == sync::Presence::copy ? read.tree.hash().hex() : std::string();
}

Result<void>
read_scripts(EvalRequest& request, int skill, const EvalParams& params, const Asker& asker) {
  std::vector<std::string> named = params.model;
  named.push_back(params.judge_model);
  named.push_back(params.test_gen_model);
  for (const std::string& model : named) {
    if (!is_scripted(model) || request.scripts.contains(model)) {
      continue;
    }
    std::string path = model.substr(k_scripted.size());
    TRY_ASSIGN(std::string text, read_named(skill, path, asker, k_max_script));
    TRY_ASSIGN(models::Script script, models::read_script(text, path));
    request.scripts.emplace(model, NamedScript{std::move(script), std::move(text)});
  }
  return {};
}

tl::unexpected<Error> wrong(std::string_view field, std::string_view what, std::string hint = {}) {
  return fail(ErrorCode::invalid_argument,
              "params." + std::string(field) + ": " + std::string(what),
              std::move(hint));
}

// Of what is only asked to see whether the skill is picked.
bool is_about_triggers(const eval::CaseSuite& suite) {
  return !suite.cases.empty() && std::ranges::all_of(suite.cases, [](const eval::Case& one) {
    return one.checks.empty() && one.should_trigger.has_value();
  });
}

bool is_share(const std::optional<double>& value) {
  return !value || (*value >= 0 && *value <= 1);
}

bool has_twice(const std::vector<std::string>& words) {
  std::vector<std::string> sorted = words;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

// Whether the cases are what was asked for, and the students can answer them.
Result<void> check_suite(EvalRequest& request, const EvalParams& params) {
  request.is_about_triggers = is_about_triggers(request.suite);
  if (params.triggers && !request.why_no_cases && !request.is_about_triggers) {
    return wrong("tests",
                 "these are no trigger queries",
                 "a query has `query` and `should_trigger`, and no checks");
  }
  bool is_chat = std::ranges::find(params.student, "chat") != params.student.end();
  if (request.is_about_triggers && is_chat) {
    return wrong("student",
                 "`chat` is given the skill, so it picks nothing",
                 "`--student agent`, or a coding agent, shows whether it is picked");
  }
  return {};
}

// What only a person says: whatever writes files, or reads them outside of the skill.
Result<void> check_rights(const EvalParams& params) {
  std::array<std::pair<std::string_view, const std::string*>, 9> paths{
      {{"against", &params.against},
       {"runs_dir", &params.runs_dir},
       {"output", &params.output},
       {"html", &params.html},
       {"junit", &params.junit},
       {"csv", &params.csv},
       {"benchmark_json", &params.benchmark_json},
       {"record", &params.record},
       {"replay", &params.replay}}};
  for (const auto& [field, value] : paths) {
    if (!value->empty()) {
      return fail(ErrorCode::refused,
                  "params." + std::string(field) + ": only a person may name this path",
                  "`upskill eval` on the command line");
    }
  }
  for (const std::string& student : params.student) {
    if (student.starts_with("cli.")) {
      return fail(ErrorCode::refused,
                  "params.student: only a person may have another agent started",
                  "`chat` and `agent` are asked in a sandbox; `upskill eval` takes all");
    }
  }
  if (params.no_sandbox) {
    return fail(ErrorCode::refused,
                "params.no_sandbox: only a person may do without the sandbox",
                "`upskill eval` on the command line");
  }
  if (!params.base_url.empty() && !models::is_loopback(params.base_url)) {
    return fail(ErrorCode::refused,
                "params.base_url: only a person may name a server of another machine",
                "`upskill eval` on the command line");
  }
  return {};
}

// Coding agents ask their own servers, by their own account.
Result<void> check_agents(const EvalParams& params) {
  bool is_any = std::ranges::any_of(
      params.student, [](const std::string& student) { return student.starts_with("cli."); });
  if (!is_any) {
    return {};
  }
  if (params.budget || params.token_budget) {
    return wrong("student",
                 "what a coding agent spends cannot be bounded from outside",
                 "`--time-budget`, and fewer `--runs`");
  }
  return {};
}

} // namespace

bool is_scripted(std::string_view model) {
  return model.starts_with(k_scripted);
}

Result<void> check_params(const EvalParams& params, const Asker& asker) {
  if (params.model.size() > k_max_models) {
    return wrong("model", "more than 20 models");
  }
  if (has_twice(params.model) || has_twice(params.student)) {
    return wrong(has_twice(params.model) ? "model" : "student", "one is named twice");
  }
  if (params.runs && (*params.runs < 1 || *params.runs > k_max_runs)) {
    return wrong("runs", "must be from 1 to 1000");
  }
  if (params.jobs && (*params.jobs < 1 || *params.jobs > k_max_in_flight)) {
    return wrong("jobs", "must be from 1 to 1000");
  }
  if (params.seed < 0) {
    return wrong("seed", "is negative");
  }
  if (!is_share(params.fail_under)) {
    return wrong("fail_under", "must be from 0 to 1", "0.8 stands for 80 %");
  }
  if (params.budget && !(*params.budget >= 0 && std::isfinite(*params.budget))) {
    return wrong("budget", "must be an amount of US dollars");
  }
  if (params.token_budget.value_or(0) < 0) {
    return wrong("token_budget", "is negative");
  }
  if (params.time_budget.value_or(1) < 1 || params.time_budget.value_or(1) > k_max_seconds) {
    return wrong("time_budget", "must be from 1 second to 30 days");
  }
  if (!params.executor.empty() && params.executor != "local") {
    return wrong("executor", "`" + params.executor + "` is not supported", "`local` is");
  }
  if (params.no_baseline && params.fail_on_undecided) {
    return wrong("fail_on_undecided", "nothing is decided without a baseline");
  }
  TRY(check_agents(params));
  if (params.with.size() > k_max_others) {
    return wrong("with", "more than 8 other skills");
  }
  if (!params.record.empty() && !params.replay.empty()) {
    return wrong("replay", "either records or replays", "leave out `--record` or `--replay`");
  }
  if (params.no_baseline && (!params.against.empty() || !params.with.empty())) {
    return wrong("no_baseline", "`against` and `with` compare with something");
  }
  if (!params.against.empty() && !params.with.empty()) {
    return wrong("with", "does not go with `against`");
  }
  return asker.is_person ? Result<void>() : check_rights(params);
}

Result<EvalRequest>
read_request(const Catalogue& catalogue, const EvalParams& params, const Asker& asker) {
  TRY_ASSIGN(SkillPlace place, find(catalogue, params.skill, asker));
  TRY_ASSIGN(OpenSkill skill, open(std::move(place)));
  std::vector<OpenSkill> others;
  if (!params.against.empty()) {
    TRY_ASSIGN(SkillPlace other, find_skill_anywhere(catalogue, params.against, asker.cwd));
    TRY_ASSIGN(OpenSkill opened, open(std::move(other)));
    opened.offered.name = skill.offered.name; // a folder's name is no part of what is compared
    others.push_back(std::move(opened));
  }
  std::set<std::string> names{skill.offered.name};
  for (const std::string& name : params.with) {
    TRY_ASSIGN(SkillPlace other, find(catalogue, name, asker));
    TRY_ASSIGN(OpenSkill opened, open(std::move(other)));
    if (!names.insert(opened.offered.name).second) {
      return wrong("with", "`" + opened.offered.name + "` is named twice");
    }
    others.push_back(std::move(opened));
  }

  EvalRequest request;
  request.hash = hash_of(skill.place);
  TRY(read_suite(request, skill.folder.get(), params, asker));
  TRY(evals::read_fixtures(skill.folder.get(), request.suite));
  TRY(check_suite(request, params));
  TRY(read_scripts(request, skill.folder.get(), params, asker));
  if (skill.offered.body.find_first_not_of(" \t\r\n") == std::string::npos) {
    request.suite.warnings.push_back("the skill says nothing: both arms are the same");
  }
  bool is_opened = std::ranges::any_of(
      params.student, [](const std::string& student) { return student != "chat"; });
  if (is_opened) {
    std::vector<const OpenSkill*> all{&skill};
    for (const OpenSkill& other : others) {
      all.push_back(&other);
    }
    std::vector<std::string> left_out = test_files_in(all, params, asker);
    TRY(copy(request, skill, left_out));
    for (OpenSkill& other : others) {
      TRY(copy(request, other, left_out));
    }
  }
  request.skill = std::move(skill.offered);
  for (OpenSkill& other : others) {
    if (params.against.empty()) {
      request.others.push_back(std::move(other.offered));
    } else {
      request.against = std::move(other.offered);
    }
  }
  return request;
}

} // namespace upskill::daemon
