#include "daemon/handlers/eval_outputs.h"

#include "daemon/evals/run_logger.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/codec/codec.h"
#include "skills/eval/benchmark_report.h"
#include "skills/eval/html_report.h"
#include "skills/eval/junit_report.h"
#include "skills/eval/markdown_report.h"
#include "skills/eval/run_csv.h"
#include "skills/eval/run_log.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace upskill::daemon {
namespace {

std::string csv(const EvalResult& result) {
  std::string batch(result.logs.empty() ? result.id : base_name(result.logs));
  return eval::results_csv(eval::runs_of(result, batch, result.started_at, result.cases_hash));
}

std::string text_of(ReportKind kind, const EvalResult& result) {
  switch (kind) {
  case ReportKind::html:
    return eval::html_report(result);
  case ReportKind::junit:
    return eval::junit_report(result);
  case ReportKind::csv:
    return csv(result);
  case ReportKind::benchmark:
    return eval::benchmark_report(result);
  case ReportKind::summary:
    return eval::markdown_report(result);
  case ReportKind::document:
    break;
  }
  return encode(result) + "\n";
}

// A kind of report: its name in `--output`, and the option that asks for it alone.
struct Kind {
  ReportKind kind;
  std::string_view file;
  std::string EvalParams::*option;
};

constexpr std::array<Kind, 6> k_kinds{
    {{ReportKind::html, "report.html", &EvalParams::html},
     {ReportKind::junit, "junit.xml", &EvalParams::junit},
     {ReportKind::csv, "results.csv", &EvalParams::csv},
     {ReportKind::benchmark, "benchmark.json", &EvalParams::benchmark_json},
     {ReportKind::summary, "summary.md", nullptr},
     {ReportKind::document, "evaluation.json", nullptr}}};

Result<void> check_folder(const std::string& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return fail(system_error(errno, "the folder `" + folder + "`"));
  }
  return {};
}

void warn(EvalResult& result, const Error& error) {
  result.warnings.push_back(error.message);
}

void write(EvalResult& result, const std::string& path, const std::string& text) {
  Result<void> written = write_file_atomically(path, text, 0644, Durability::process_crash);
  if (written) {
    result.files.push_back(path);
  } else {
    warn(result, written.error());
  }
}

} // namespace

Result<EvalOutputs>
open_outputs(const EvalParams& params, const FoundConfig& config, const RequestContext& context) {
  const std::string& cwd = context.caller.cwd;
  EvalOutputs outputs;
  if (!params.output.empty()) {
    outputs.folder = normalized_path(params.output, cwd);
    TRY(make_directories(outputs.folder));
    TRY(check_folder(outputs.folder));
  }
  for (const Kind& kind : k_kinds) {
    if (!outputs.folder.empty()) {
      outputs.files.push_back({kind.kind, join_path(outputs.folder, kind.file)});
    }
    if (kind.option != nullptr && !(params.*kind.option).empty()) {
      std::string path = normalized_path(params.*kind.option, cwd);
      TRY(check_folder(parent_path(path)));
      outputs.files.push_back({kind.kind, std::move(path)});
    }
  }
  bool logs = context.principal.empty() && !cwd.empty() && params.log_runs.value_or(true);
  if (logs && !params.runs_dir.empty()) {
    outputs.logs = normalized_path(params.runs_dir, cwd);
    TRY(make_directories(outputs.logs));
    TRY(check_folder(outputs.logs));
  } else if (logs) {
    outputs.logs = config.runs_dir;
  }
  return outputs;
}

void write_outputs(const EvalOutputs& outputs, EvalResult& result, std::int64_t started_ms) {
  if (!outputs.logs.empty()) {
    evals::BatchTime time = evals::BatchTime::local(started_ms);
    Result<std::string> logs = evals::write_batch(outputs.logs, result, time, result.cases_hash);
    if (logs) {
      result.logs = std::move(*logs);
    } else {
      warn(result, logs.error());
    }
  }
  for (const EvalOutputs::File& file : outputs.files) {
    write(result, file.path, text_of(file.kind, result));
  }
  for (std::size_t i = 1; !outputs.folder.empty() && i < result.models.size(); ++i) {
    std::string name = "benchmark_" + std::to_string(i + 1) + ".json"; // the format has one model
    write(result, join_path(outputs.folder, name), eval::benchmark_report(result, i));
  }
  std::string folder = outputs.folder.empty() ? result.logs : outputs.folder;
  if (!outputs.cases.empty() && !folder.empty()) {
    write(result, join_path(folder, "tests.json"), outputs.cases);
  }
}

} // namespace upskill::daemon
