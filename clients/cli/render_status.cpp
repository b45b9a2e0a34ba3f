#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

namespace upskill::cli {
namespace {

struct Light {
  Tint tint;
  std::string_view words;
};

Light light_of(SyncState state) {
  switch (state) {
  case SyncState::idle:
    return {Tint::green, "sync is on, everything is at rest"};
  case SyncState::working:
    return {Tint::cyan, "sync is on and working"};
  case SyncState::held:
    return {Tint::yellow, "sync is on; deletions wait for your word"};
  case SyncState::halted:
    return {Tint::red, "sync is halted for a folder"};
  case SyncState::stopped:
    return {Tint::red, "sync is on, but stopped: its store cannot be used"};
  case SyncState::off:
    break;
  }
  return {Tint::dim, "sync is off"};
}

bool nobody_takes_part(const StatusResult& status) {
  return status.taking_part == 0
         && (status.sync == SyncState::idle || status.sync == SyncState::working);
}

void print_head(Page& page, const StatusResult& status) {
  Light light = nobody_takes_part(status)
                    ? Light{Tint::yellow, "sync is on, but no coding agent takes part"}
                    : light_of(status.sync);
  page.line(page.tint(light.tint, page.sign("●", "*")) + " " + page.tint(Tint::bold, light.words));
  page.line(page.tint(Tint::dim,
                      "  upskilld " + clean_line(status.version) + ", process "
                          + std::to_string(status.pid) + ", up " + human_duration(status.uptime)));
  page.line();
}

void print_advice(Page& page, const StatusResult& status) {
  if (status.sync == SyncState::stopped) {
    print_stopped(page, status.reason, status.hint);
  }
  for (const std::string& warning : status.warnings) {
    if (status.reason.empty() || warning != status.reason) {
      page.warning(warning);
    }
  }
  if (status.sync == SyncState::off && status.agents == 0) {
    page.paragraph("No coding agent was found here. `upskill agents --all` lists those that are "
                   "known and where they keep their skills.");
  } else if (status.sync == SyncState::off) {
    page.paragraph("`upskill sync enable` shows what sync would do, and asks before it starts.");
  }
  if (status.sync == SyncState::halted) {
    page.paragraph(
        "`upskill sync status` says which folder and why; `upskill sync enable --accept` "
        "takes it back as it is now.");
  }
}

} // namespace

void print_stopped(Page& page, const std::string& reason, const std::string& hint) {
  page.warning(reason);
  if (!hint.empty()) {
    page.paragraph("hint: " + page.prose(hint));
  }
}

void show(Page& page, const Invocation&, const StatusResult& status) {
  print_head(page, status);
  Table table({{""}, {"", Fit::right}, {"", Fit::shrinks}});
  auto number = [](std::int64_t value) { return grouped(value); };
  table.add({{"Skills", Tint::bold}, {number(status.skills)}, {""}});
  table.add({{"Folders", Tint::bold}, {number(status.roots)}, {""}});
  table.add({{"Agents", Tint::bold}, {number(status.agents)}, {""}});
  table.add({{"Conflicts", Tint::bold},
             {number(status.conflicts), status.conflicts > 0 ? Tint::yellow : Tint::plain},
             {status.conflicts > 0 ? "see `upskill sync conflicts`" : "", Tint::dim}});
  table.add({{"Held", Tint::bold},
             {number(status.held), status.held > 0 ? Tint::yellow : Tint::plain},
             {status.held > 0 ? "deletions; see `upskill sync conflicts`" : "", Tint::dim}});
  table.print(page, 2);
  page.line();
  Table places({{""}, {"", Fit::shrinks}});
  bool is_captured = !status.captured.empty();
  places.add({{"Sessions", Tint::bold},
              {is_captured ? "captured of " + joined(status.captured)
                           : "not captured; `upskill trace capture on` keeps them",
               is_captured ? Tint::plain : Tint::dim}});
  if (!status.watch.empty()) {
    places.add({{"Watching", Tint::bold}, {"by " + status.watch}});
  }
  places.add({{"State", Tint::bold}, {page.path(status.state_directory)}});
  places.print(page, 2);
  if (!status.warnings.empty() || status.sync == SyncState::off || status.sync == SyncState::halted
      || status.sync == SyncState::stopped) {
    page.line();
  }
  print_advice(page, status);
}

void show(Page& page, const Invocation&, const DaemonStatusResult& result) {
  print_head(page, result.status);
  Table table({{""}, {"", Fit::shrinks}});
  table.add({{"Clients", Tint::bold}, {grouped(result.clients)}});
  table.add({{"Memory", Tint::bold}, {human_bytes(result.rss_bytes)}});
  table.add({{"Socket", Tint::bold}, {page.path(result.socket)}});
  if (!result.http.empty()) {
    table.add({{"HTTP", Tint::bold}, {result.http}});
  }
  table.add(
      {{"Log", Tint::bold}, {result.log.empty() ? "its own terminal" : page.path(result.log)}});
  table.add({{"State", Tint::bold}, {page.path(result.status.state_directory)}});
  table.print(page, 2);
  if (!result.counters.empty()) {
    page.line();
    Table counters({{"COUNTED SINCE THE START"}, {"", Fit::right}});
    for (const auto& [name, value] : result.counters) {
      counters.add({{name}, {grouped(value)}});
    }
    counters.print(page, 2);
  }
  for (const std::string& warning : result.status.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const DaemonStopResult& result) {
  page.line("The daemon (process " + std::to_string(result.pid) + ") is stopping.");
}

void show(Page& page, const Invocation&, const DaemonLogsResult& result) {
  for (const std::string& line : result.lines) {
    page.line(clean_line(line));
  }
  if (result.lines.empty() && result.path.empty()) {
    page.paragraph("The daemon logs to the terminal it was started on.");
  } else if (result.lines.empty()) {
    page.line("Nothing is in " + page.path(result.path) + " yet.");
  }
}

} // namespace upskill::cli
