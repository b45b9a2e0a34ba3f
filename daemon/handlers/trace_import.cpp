#include "daemon/await.h"
#include "daemon/capture/moment_words.h"
#include "daemon/capture/session_walk.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/traces.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_told = 1000;  // files in one answer
constexpr std::size_t k_max_paths = 1000; // that are named in one call

// What is to be read.
struct Plan {
  capture::SessionWalk walk = {};
  std::set<std::string> named = {}; // files that the person named
  std::vector<std::string> looked_in = {};
};

bool is_folder(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_there(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0;
}

Result<Plan> plan_of(const TraceImportParams& params,
                     const std::vector<agents::SessionFolder>& folders,
                     const RequestContext& context) {
  Plan plan;
  for (const std::string& path : params.paths) {
    TRY_ASSIGN(std::string whole, folder_of(path, "paths", context.caller.cwd));
    if (!is_folder(whole)) {
      plan.named.insert(whole);
    }
    plan.looked_in.push_back(whole);
    if (!is_there(whole)) {
      plan.walk.files.push_back({params.agent, std::move(whole)}); // reading it says what is wrong
      continue;
    }
    capture::walk_files(whole, plan.walk, context.stopping);
  }
  if (params.paths.empty()) {
    for (const agents::SessionFolder& folder : folders) {
      if ((params.agent.empty() || folder.agent == params.agent) && is_folder(folder.folder)) {
        plan.looked_in.push_back(folder.folder);
        capture::walk_sessions(folder, plan.walk, context.stopping);
      }
    }
  }
  return plan;
}

TraceImportState state_of(archive::KeepState state) {
  switch (state) {
  case archive::KeepState::imported:
    return TraceImportState::imported;
  case archive::KeepState::updated:
    return TraceImportState::updated;
  case archive::KeepState::unchanged:
    return TraceImportState::unchanged;
  case archive::KeepState::skipped:
    break;
  }
  return TraceImportState::skipped;
}

// Adds up what became of the files.
class Tally {
public:
  explicit Tally(TraceImportResult& result)
      : m_result(result) {}

  void add(const capture::SessionFile& file, const archive::Kept& kept) {
    TraceImported told;
    // A session of a database is told by its own name; one that is skipped is kept from elsewhere.
    bool is_of_database = kept.row.source.starts_with(file.path + "#");
    told.path = to_valid_utf8(is_of_database ? kept.row.source : file.path);
    told.state = state_of(kept.state);
    told.id = to_valid_utf8(kept.row.session);
    told.agent = kept.row.harness;
    told.title = kept.row.title;
    told.format = kept.row.format;
    told.events = static_cast<std::int64_t>(kept.events);
    told.redacted = kept.redacted;
    told.flagged = kept.flagged;
    told.reason = kept.reason;
    m_result.imported += kept.state == archive::KeepState::imported ? 1 : 0;
    m_result.updated += kept.state == archive::KeepState::updated ? 1 : 0;
    m_result.bytes += static_cast<std::int64_t>(kept.bytes);
    m_result.redacted += kept.redacted;
    if (kept.state == archive::KeepState::unchanged) {
      ++m_result.unchanged;
      return;
    }
    tell(std::move(told));
  }

  void add(const capture::SessionFile& file, const Error& error) {
    ++m_result.failed;
    TraceImported told;
    told.path = to_valid_utf8(file.path);
    told.agent = file.agent;
    told.state = TraceImportState::failed;
    told.reason = error.message;
    tell(std::move(told));
  }

private:
  void tell(TraceImported told) {
    if (m_result.files.size() < k_max_told) {
      m_result.files.push_back(std::move(told));
    }
  }

  TraceImportResult& m_result;
};

} // namespace

Awaitable<TraceImportResult>
import_traces(TraceRoom room, TraceImportParams params, RequestContext context) {
  if (params.paths.size() > k_max_paths) {
    co_return fail(ErrorCode::too_large, "params.paths: more than 1000 are named");
  }
  std::optional<std::int64_t> since_ms;
  if (!params.since.empty()) {
    CO_TRY_ASSIGN(since_ms, capture::moment_of(params.since, "since", room.desk.now_ms()));
  }
  AWAIT(std::vector<agents::SessionFolder> folders, room.desk.options().folders());
  bool is_known = std::ranges::any_of(
      folders, [&](const agents::SessionFolder& folder) { return folder.agent == params.agent; });
  if (params.paths.empty() && !params.agent.empty() && !is_known) {
    co_return fail(ErrorCode::not_found,
                   "params.agent: it is not known where `" + params.agent + "` keeps its sessions",
                   "name the files or folders to import");
  }
  auto look = [&] { return plan_of(params, folders, context); };
  AWAIT(Result<Plan> plan, runtime::offload(room.library.pool(context), std::move(look)));
  CO_TRY(plan);
  context.release();
  TraceImportResult result;
  result.dry_run = params.dry_run;
  result.looked_in = std::move(plan->looked_in);
  result.warnings = std::move(plan->walk.problems);
  if (plan->walk.is_partial) {
    result.warnings.push_back("there are more files than can be looked at; name a folder");
  }
  Tally tally(result);
  double done = 0;
  for (const capture::SessionFile& file : plan->walk.files) {
    context.progress(done++, static_cast<double>(plan->walk.files.size()), "reading sessions");
    if (since_ms && file.changed_ms < *since_ms && file.changed_ms > 0) {
      continue;
    }
    archive::KeepOptions options;
    options.agent = file.agent.empty() ? params.agent : file.agent;
    options.secrets = params.raw ? archive::Secrets::kept : archive::Secrets::removed;
    options.is_named = plan->named.contains(file.path);
    options.is_forced = params.force;
    options.is_rehearsal = params.dry_run;
    auto keep = [&](archive::Archive& archive) {
      return archive.keep(file.path, options, room.desk.now_ms(), context.stopping);
    };
    AWAIT(Result<std::vector<archive::Kept>> kept, room.desk.with(std::move(keep)));
    if (!kept && kept.error().code == ErrorCode::cancelled) {
      co_return fail(std::move(kept).error());
    }
    if (!kept) {
      tally.add(file, kept.error());
      continue;
    }
    for (const archive::Kept& one : *kept) {
      tally.add(file, one);
    }
  }
  auto flush = [](archive::Archive& archive) { return archive.objects().flush(); };
  if (result.imported + result.updated > 0 && !params.dry_run) {
    AWAIT(Result<void> flushed, room.desk.with(std::move(flush)));
    CO_TRY(flushed);
  }
  co_return result;
}

} // namespace upskill::daemon
