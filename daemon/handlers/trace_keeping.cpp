#include "daemon/await.h"
#include "daemon/capture/capture_limits.h"
#include "daemon/capture/moment_words.h"
#include "daemon/capture/session_walk.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/traces.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_told = 1000;

// What its helpers did is part of a session, and so is what was kept of its file before that said
// something else.
Result<std::vector<store::SessionRow>> parts_of(archive::Archive& archive,
                                                const store::SessionRow& row) {
  std::vector<store::SessionRow> parts;
  std::optional<store::SessionPosition> after;
  while (true) {
    TRY_ASSIGN(std::vector<store::SessionRow> page,
               archive.store().list({.harness = row.harness}, after, k_max_page));
    for (store::SessionRow& one : page) {
      after = store::SessionPosition{one.active_ms(), one.id};
      if (one.session == row.session || one.session.starts_with(row.session + "~")) {
        parts.push_back(std::move(one));
      }
    }
    if (page.empty()) {
      return parts;
    }
  }
}

// The sessions that a purge means.
Result<std::vector<store::SessionRow>> chosen(archive::Archive& archive,
                                              const TracePurgeParams& params,
                                              const store::SessionFilter& filter,
                                              std::optional<std::int64_t> before_ms) {
  std::vector<store::SessionRow> rows;
  auto add = [&](store::SessionRow row) {
    bool is_new = std::ranges::find(rows, row.id, &store::SessionRow::id) == rows.end();
    if (is_new) {
      rows.push_back(std::move(row));
    }
  };
  for (const std::string& id : params.ids) {
    TRY_ASSIGN(store::SessionRow row, archive.store().find_named(id));
    if (row.agent.empty()) {
      TRY_ASSIGN(std::vector<store::SessionRow> parts, parts_of(archive, row));
      std::ranges::for_each(parts, add);
    }
    add(std::move(row));
  }
  if (!params.ids.empty()) {
    return rows;
  }
  std::optional<store::SessionPosition> after;
  while (true) {
    TRY_ASSIGN(std::vector<store::SessionRow> page,
               archive.store().list(filter, after, k_max_page));
    for (store::SessionRow& row : page) {
      after = store::SessionPosition{row.active_ms(), row.id};
      if (!before_ms || row.active_ms() < *before_ms) {
        rows.push_back(std::move(row));
      }
    }
    if (page.empty()) {
      return rows;
    }
  }
}

Result<TracePurgeResult> purge(archive::Archive& archive,
                               const TracePurgeParams& params,
                               const store::SessionFilter& filter,
                               std::optional<std::int64_t> before_ms,
                               std::int64_t now_ms) {
  TRY_ASSIGN(std::vector<store::SessionRow> rows, chosen(archive, params, filter, before_ms));
  TracePurgeResult result;
  result.dry_run = params.dry_run;
  for (const store::SessionRow& row : rows) {
    if (!params.dry_run) {
      TRY(archive.remove(row, now_ms));
    }
    ++result.count;
    result.bytes += row.object_size;
    if (result.removed.size() < k_max_told) {
      result.removed.push_back(summary_of(row));
    }
  }
  if (!params.dry_run && result.count > 0) {
    TRY(archive.store().compact()); // no word of them is left in the file
  }
  return result;
}

Result<void> change_capture(archive::Archive& archive,
                            const TraceCaptureParams& params,
                            const std::string& folder) {
  store::TraceStore& store = archive.store();
  if (params.action != TraceCaptureAction::status) {
    bool is_on = params.action == TraceCaptureAction::on;
    if (params.agent.empty() && folder.empty()) {
      // Said of everything, it takes the place of whatever was said of parts.
      TRY_ASSIGN(std::vector<store::CaptureRule> rules, store.capture_rules());
      for (const store::CaptureRule& rule : rules) {
        TRY(store.remove_capture_rule(rule.agent, rule.folder));
      }
      if (is_on) {
        TRY(store.put_capture_rule({"", "", store::Capture::on}));
      }
    } else {
      TRY(store.put_capture_rule(
          {params.agent, folder, is_on ? store::Capture::on : store::Capture::off}));
    }
  }
  TRY_ASSIGN(capture::CaptureLimits limits, capture::read_limits(store));
  limits.days = params.days.value_or(limits.days);
  limits.megabytes = params.megabytes.value_or(limits.megabytes);
  return params.days || params.megabytes ? capture::write_limits(store, limits) : Result<void>();
}

// What was said is done, also where whoever said it has gone before it was.
struct FollowAnyway {
  capture::Desk& desk;
  bool is_due = false;

  explicit FollowAnyway(capture::Desk& whose)
      : desk(whose) {}

  FollowAnyway(const FollowAnyway&) = delete;
  FollowAnyway& operator=(const FollowAnyway&) = delete;

  ~FollowAnyway() {
    if (is_due) {
      desk.follow_soon();
    }
  }
};

Result<TraceCaptureResult> look_at_capture(archive::Archive& archive) {
  TraceCaptureResult result;
  TRY_ASSIGN(std::vector<store::CaptureRule> rules, archive.store().capture_rules());
  for (const store::CaptureRule& rule : rules) {
    result.rules.push_back({rule.agent, rule.folder, rule.capture == store::Capture::on});
  }
  TRY_ASSIGN(store::TraceTotals totals, archive.store().totals());
  result.sessions = totals.sessions;
  result.bytes = totals.object_bytes;
  TRY_ASSIGN(capture::CaptureLimits limits, capture::read_limits(archive.store()));
  result.days = limits.days;
  result.megabytes = limits.megabytes;
  return result;
}

std::vector<TraceCapturePlace> places_of(const std::vector<agents::SessionFolder>& folders,
                                         std::stop_token stop) {
  std::vector<TraceCapturePlace> places;
  for (const agents::SessionFolder& folder : folders) {
    capture::SessionWalk walk;
    capture::walk_sessions(folder, walk, stop);
    places.push_back({folder.agent,
                      folder.folder,
                      static_cast<std::int64_t>(walk.files.size()),
                      false,
                      "not followed"});
  }
  return places;
}

// Agents that are not here take no room, unless somebody named them.
void keep_present(std::vector<TraceCapturePlace>& places,
                  const std::vector<capture::Followed>& followed) {
  std::erase_if(places, [&](TraceCapturePlace& place) {
    auto found = std::ranges::find_if(followed, [&](const capture::Followed& one) {
      return one.folder == place.folder && one.agent == place.agent;
    });
    if (found != followed.end()) {
      place.watched = found->is_watched;
      place.reason = found->reason;
    }
    return place.files == 0 && (found == followed.end() || !found->is_there);
  });
}

// Only rules that found something can be meant.
Result<void> check_rules(const std::vector<std::string>& rules,
                         const std::vector<store::FindingRow>& findings) {
  for (const std::string& rule : rules) {
    if (std::ranges::find(findings, rule, &store::FindingRow::rule) != findings.end()) {
      continue;
    }
    std::string names;
    for (const store::FindingRow& finding : findings) {
      names += (names.empty() ? "`" : ", `") + finding.rule + "`";
    }
    return fail(ErrorCode::not_found,
                "no rule " + in_backticks(rule) + " found anything in this session",
                names.empty() ? "nothing that may be a secret was found in it"
                              : "these did: " + names);
  }
  return {};
}

} // namespace

Awaitable<TracePurgeResult>
purge_traces(TraceRoom room, TracePurgeParams params, RequestContext context) {
  bool narrows = !params.agent.empty() || !params.project.empty() || !params.before.empty();
  if (params.ids.empty() && !narrows && !params.all) {
    co_return fail(ErrorCode::invalid_argument,
                   "nothing says which sessions are meant",
                   "name them by their ids, or say `--agent`, `--project`, `--before` or `--all`");
  }
  if (!params.ids.empty() && (narrows || params.all)) {
    co_return fail(ErrorCode::invalid_argument,
                   "params.ids: sessions are named, or chosen by what they are, not both");
  }
  store::SessionFilter filter;
  filter.harness = params.agent;
  CO_TRY_ASSIGN(filter.project, folder_of(params.project, "project", context.caller.cwd));
  std::optional<std::int64_t> before_ms;
  if (!params.before.empty()) {
    CO_TRY_ASSIGN(before_ms, capture::moment_of(params.before, "before", room.desk.now_ms()));
  }
  auto work = [&](archive::Archive& archive) {
    return purge(archive, params, filter, before_ms, room.desk.now_ms());
  };
  AWAIT(Result<TracePurgeResult> result, room.desk.with(std::move(work)));
  co_return result;
}

Awaitable<TraceCaptureResult>
capture_traces(TraceRoom room, TraceCaptureParams params, RequestContext context) {
  CO_TRY_ASSIGN(std::string folder, folder_of(params.folder, "folder", context.caller.cwd));
  bool is_in_range = params.days.value_or(0) >= 0 && params.megabytes.value_or(0) >= 0
                     && params.days.value_or(0) <= capture::k_most_days
                     && params.megabytes.value_or(0) <= capture::k_most_megabytes;
  if (!is_in_range) {
    co_return fail(ErrorCode::invalid_argument,
                   "params: limits are from 0 (none) to " + std::to_string(capture::k_most_days)
                       + " days and " + std::to_string(capture::k_most_megabytes) + " megabytes");
  }
  AWAIT(std::vector<agents::SessionFolder> folders, room.desk.options().folders());
  bool is_known =
      params.agent.empty() || std::ranges::any_of(folders, [&](const agents::SessionFolder& one) {
        return one.agent == params.agent;
      });
  if (!is_known) {
    std::string known;
    for (const agents::SessionFolder& one : folders) {
      if (known.find("`" + one.agent + "`") == std::string::npos) {
        known += (known.empty() ? "`" : ", `") + one.agent + "`";
      }
    }
    co_return fail(ErrorCode::not_found,
                   "params.agent: it is not known where `" + params.agent + "` keeps its sessions",
                   "known are " + known);
  }
  FollowAnyway anyway{room.desk};
  auto change = [&](archive::Archive& archive) -> Result<void> {
    anyway.is_due = params.action != TraceCaptureAction::status;
    return change_capture(archive, params, folder);
  };
  AWAIT(Result<void> changed, room.desk.with(std::move(change)));
  CO_TRY(changed);
  if (params.days || params.megabytes) {
    room.desk.tidy_soon();
  }
  if (params.action != TraceCaptureAction::status) {
    AWAIT(Result<void> followed, room.desk.follow());
    anyway.is_due = false;
    CO_TRY(followed);
  }
  auto look = [&](archive::Archive& archive) { return look_at_capture(archive); };
  AWAIT(Result<TraceCaptureResult> result, room.desk.with(std::move(look)));
  CO_TRY(result);
  auto walk = [&] { return places_of(folders, context.stopping); };
  AWAIT(result->places, runtime::offload(room.library.pool(context), std::move(walk)));
  keep_present(result->places, room.desk.followed());
  result->hook_events = room.desk.counts().hook_events;
  co_return result;
}

Awaitable<TraceAllowResult> allow_trace(TraceRoom room, TraceAllowParams params, RequestContext) {
  auto work = [&](archive::Archive& archive) -> Result<TraceAllowResult> {
    store::TraceStore& store = archive.store();
    TRY_ASSIGN(store::SessionRow row, store.find_named(params.id));
    TRY_ASSIGN(std::vector<store::FindingRow> findings, store.findings(row.id));
    TRY(check_rules(params.rules, findings));
    if (params.revoke) {
      for (store::FindingRow& finding : findings) {
        bool is_meant = params.rules.empty()
                        || std::ranges::find(params.rules, finding.rule) != params.rules.end();
        finding.state = is_meant ? store::FindingState::flagged : finding.state;
      }
      TRY(store.set_findings(row.id, {}));
      TRY(store.set_findings(row.id, findings));
    } else if (params.rules.empty()) {
      Result<void> allowed = store.allow(row.id, std::nullopt);
      if (!allowed && allowed.error().code != ErrorCode::not_found) {
        return fail(std::move(allowed).error());
      }
    }
    for (const std::string& rule : params.revoke ? std::vector<std::string>() : params.rules) {
      TRY(store.allow(row.id, rule));
    }
    TraceAllowResult result;
    result.id = row.session;
    TRY_ASSIGN(findings, store.findings(row.id));
    for (const store::FindingRow& finding : findings) {
      result.findings.push_back(
          {finding.rule, finding.count, finding.state == store::FindingState::allowed});
    }
    return result;
  };
  AWAIT(Result<TraceAllowResult> result, room.desk.with(std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
