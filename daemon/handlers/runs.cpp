#include "daemon/handlers/runs.h"

#include "daemon/await.h"
#include "daemon/evals/run_reader.h"
#include "daemon/handlers/configuration.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"
#include "skills/eval/run_csv.h"

#include <algorithm>
#include <set>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_names = 10; // that a hint lists

bool is_asked(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

// Names in the logs, where one that was asked for is in none.
void warn_of_missing(const std::vector<std::string>& asked,
                     const std::set<std::string>& known,
                     std::string_view what,
                     std::vector<std::string>& warnings) {
  for (const std::string& name : asked) {
    if (known.contains(name)) {
      continue;
    }
    std::string text = "no run of the " + std::string(what) + " " + in_backticks(name);
    std::size_t listed = 0;
    for (const std::string& one : known) {
      if (listed < k_max_names && !one.empty()) {
        text += (listed == 0 ? "; there are runs of `" : ", `") + one + "`";
        ++listed;
      }
    }
    warnings.push_back(std::move(text));
  }
}

void select(const RunsParams& params, evals::LoggedRuns& logged) {
  std::set<std::string> skills;
  std::set<std::string> models;
  for (const eval::LoggedRun& one : logged.runs) {
    skills.insert(one.run.skill_name);
    models.insert(one.run.metadata.model);
  }
  warn_of_missing(params.skill, skills, "skill", logged.warnings);
  warn_of_missing(params.model, models, "model", logged.warnings);
  std::erase_if(logged.runs, [&](const eval::LoggedRun& one) {
    return !is_asked(params.skill, one.run.skill_name)
           || !is_asked(params.model, one.run.metadata.model);
  });
}

Result<std::string> write_csv(const std::string& path, const evals::LoggedRuns& logged) {
  std::vector<eval::RunResult> runs;
  for (const eval::LoggedRun& one : logged.runs) {
    runs.push_back(one.run);
  }
  TRY(write_file_atomically(path, eval::results_csv(runs), 0644, Durability::process_crash));
  return path;
}

// The folder that was named has to be there; the one that would be written to need not.
Result<evals::LoggedRuns> read_all(const std::string& folder, bool is_named, std::stop_token stop) {
  Result<evals::LoggedRuns> logged = evals::read_runs(folder, std::move(stop));
  if (!logged && logged.error().code == ErrorCode::not_found && !is_named) {
    return evals::LoggedRuns{};
  }
  return logged;
}

Result<RunsResult>
look_at_runs(const RunsParams& params, const RequestContext& context, const Places& places) {
  TRY_ASSIGN(FoundConfig found, find_config(context.caller, places));
  RunsResult result;
  result.config = found.source;
  result.dir =
      params.dir.empty() ? found.runs_dir : normalized_path(params.dir, context.caller.cwd);
  result.warnings = std::move(found.config.warnings);
  if (result.dir.empty()) {
    return fail(ErrorCode::invalid_argument, "params.dir: no folder is named");
  }
  TRY_ASSIGN(evals::LoggedRuns logged, read_all(result.dir, !params.dir.empty(), context.stopping));
  select(params, logged);
  result.rows = eval::latest_runs(logged.runs);
  if (result.rows.size() > k_max_page) {
    logged.warnings.push_back("only the first " + std::to_string(k_max_page) + " of "
                              + std::to_string(result.rows.size())
                              + " skills with models are shown; name a skill or a model");
    result.rows.resize(k_max_page);
  }
  result.runs = static_cast<std::int64_t>(logged.runs.size());
  result.left_out = logged.left_out;
  if (!params.csv.empty()) {
    TRY_ASSIGN(result.csv, write_csv(normalized_path(params.csv, context.caller.cwd), logged));
  }
  std::ranges::move(logged.warnings, std::back_inserter(result.warnings));
  return result;
}

Awaitable<RunsResult> list_runs(SkillLibrary& library, RunsParams params, RequestContext context) {
  if (!context.principal.empty()) {
    // It reads and writes wherever it is told to. A job of an agent's comes this way, too.
    co_return fail(ErrorCode::refused,
                   "only a person may look at the logs of evaluations",
                   "`upskill runs` on the command line");
  }
  const Places& places = library.service().context().places;
  auto look = [&] { return look_at_runs(params, context, places); };
  AWAIT(Result<RunsResult> result, runtime::offload(library.pool(context), std::move(look)));
  co_return result;
}

} // namespace

void bind_runs_handlers(Binder& binder, SkillLibrary& library) {
  binder.on(k_runs, [&library](RunsParams params, RequestContext context) {
    return list_runs(library, std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
