#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_rows = 40; // of skills that are in sync anyway

struct Sign {
  std::string_view unicode;
  std::string_view ascii;
  Tint tint;
  std::string_view meaning;
};

Sign sign_of(ReplicaState state) {
  switch (state) {
  case ReplicaState::current:
    return {"✓", "=", Tint::green, "current"};
  case ReplicaState::absent:
    return {"·", ".", Tint::dim, "no copy"};
  case ReplicaState::changed:
    return {"±", "~", Tint::yellow, "changed"};
  case ReplicaState::link:
    return {"→", ">", Tint::green, "link"};
  case ReplicaState::incomplete:
    return {"…", "?", Tint::yellow, "incomplete"};
  case ReplicaState::problem:
    return {"✗", "x", Tint::red, "problem"};
  case ReplicaState::left_alone:
    return {"○", "o", Tint::dim, "left alone"};
  case ReplicaState::excluded:
    break;
  }
  return {"–", "-", Tint::dim, "excluded"};
}

// What agrees now stays so only while somebody sees to it.
Cell cell_of(SkillSyncState state, bool is_kept) {
  switch (state) {
  case SkillSyncState::in_sync:
    return is_kept ? Cell{"in sync", Tint::green} : Cell{"-", Tint::dim};
  case SkillSyncState::pending:
    return {"pending", Tint::cyan};
  case SkillSyncState::held:
    return {"held", Tint::yellow};
  case SkillSyncState::conflict:
    return {"conflict", Tint::yellow};
  case SkillSyncState::excluded:
    return {"excluded", Tint::dim};
  case SkillSyncState::problem:
    break;
  }
  return {"problem", Tint::red};
}

// Which column a copy belongs to; a folder may be known by several paths.
std::size_t column_of(const std::vector<RootStatus>& roots, const std::string& path) {
  std::string folder = parent_path(path);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const std::vector<std::string>& aliases = roots[i].aliases;
    if (roots[i].path == folder
        || std::find(aliases.begin(), aliases.end(), folder) != aliases.end()) {
      return i;
    }
  }
  return roots.size();
}

void print_roots(Page& page, const SyncStatusResult& result) {
  const std::vector<RootStatus>& roots = result.roots;
  Table table({{"", Fit::right},
               {"FOLDER", Fit::shrinks},
               {"STATE"},
               {"SKILLS", Fit::right},
               {"AGENTS", Fit::shrinks}});
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const RootStatus& root = roots[i];
    bool bad = root.state == RootState::halted || root.state == RootState::refused;
    table.add({{std::to_string(i + 1), Tint::bold},
               {page.path(root.path)},
               {std::string(enum_name(root.state)),
                bad                               ? Tint::red
                : root.state == RootState::absent ? Tint::dim
                                                  : Tint::green},
               {grouped(root.skills)},
               {joined(root.agents), Tint::dim}});
  }
  table.print(page, 2);
  for (const RootStatus& root : roots) {
    bool told = std::ranges::any_of(result.warnings, [&](const std::string& warning) {
      return warning.starts_with(root.reason);
    });
    if (!root.reason.empty() && !told) {
      bool names_it = root.reason.find(root.path) != std::string::npos;
      page.warning(names_it ? root.reason : "`" + root.path + "`: " + root.reason);
    }
  }
}

void print_matrix(Page& page, const SyncStatusResult& result) {
  std::vector<Column> columns{{"SKILL", Fit::shrinks}};
  for (std::size_t i = 0; i < result.roots.size(); ++i) {
    columns.push_back({std::to_string(i + 1)});
  }
  columns.push_back({"STATE"});
  columns.push_back({"", Fit::shrinks});
  Table table(std::move(columns));
  std::size_t left_out = 0;
  std::size_t rows = 0;
  std::vector<bool> used(EnumNames<ReplicaState>::names.size());
  for (const SkillSyncStatus& skill : result.skills) {
    bool is_well =
        skill.state == SkillSyncState::in_sync || skill.state == SkillSyncState::excluded;
    if (is_well && rows >= k_most_rows) {
      ++left_out;
      continue;
    }
    ++rows;
    std::vector<Cell> row{{skill.skill}};
    for (std::size_t i = 0; i < result.roots.size(); ++i) {
      row.push_back({std::string(page.sign("·", ".")), Tint::dim});
    }
    std::string reason = skill.reason;
    for (const ReplicaStatus& replica : skill.replicas) {
      std::size_t column = column_of(result.roots, replica.path);
      if (column < result.roots.size()) {
        Sign sign = sign_of(replica.state);
        row[column + 1] = {std::string(page.sign(sign.unicode, sign.ascii)), sign.tint};
      }
      used[static_cast<std::size_t>(replica.state)] = true;
      reason = reason.empty() ? replica.reason : reason;
    }
    row.push_back(cell_of(skill.state, !result.agents.empty()));
    row.push_back({page.prose(reason), Tint::dim});
    table.add(std::move(row));
  }
  table.print(page, 2);
  if (left_out > 0) {
    page.line(page.tint(Tint::dim,
                        "  and " + grouped(static_cast<long long>(left_out))
                            + " more in sync or excluded; --json lists all"));
  }
  used[static_cast<std::size_t>(ReplicaState::absent)] = true;
  std::string legend;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) {
      Sign sign = sign_of(static_cast<ReplicaState>(i));
      legend += legend.empty() ? "" : "   ";
      legend += page.tint(sign.tint, page.sign(sign.unicode, sign.ascii));
      legend += " " + std::string(sign.meaning);
    }
  }
  page.line();
  page.line("  " + legend);
}

// What else a person chose, where anything is.
void print_choices(Page& page, const SyncStatusResult& result) {
  Table table({{""}, {"", Fit::shrinks}, {"", Fit::shrinks}});
  bool any = false;
  auto add = [&](std::string_view what, const std::vector<std::string>& list, std::string clears) {
    if (!list.empty()) {
      any = true;
      table.add({{std::string(what), Tint::bold}, {joined(list)}, {std::move(clears), Tint::dim}});
    }
  };
  add("Named", result.chosen, "to take part; `--agent all` lets every agent in");
  add("Without", result.without, "`--without none` lets them in");
  add("Links", result.link, "instead of copies; `--link none` ends it");
  add("Excluded", result.exclude, "`--exclude none` lets every skill in");
  if (any) {
    page.line();
    table.print(page, 2);
  }
}

// Each once: of those that say the same the one that says most, and none that stands in the table.
void print_warnings(Page& page, const SyncStatusResult& result) {
  const std::vector<std::string>& warnings = result.warnings;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    bool told = std::ranges::find(result.skills, warnings[i], &SkillSyncStatus::reason)
                    != result.skills.end()
                || (!result.reason.empty() && warnings[i] == result.reason);
    for (std::size_t j = 0; j < warnings.size(); ++j) {
      bool says_more =
          warnings[j].size() > warnings[i].size() && warnings[j].starts_with(warnings[i]);
      told = told || says_more || (j < i && warnings[j] == warnings[i]);
    }
    if (!told) {
      page.warning(warnings[i]);
    }
  }
}

std::string_view everything_is_seen(const WaitIdleResult& result) {
  return result.problems > 0 ? "Everything is seen, and what could be synced is."
                             : "Everything is seen and synced.";
}

} // namespace

void show(Page& page, const Invocation& invocation, const SyncStatusResult& result) {
  if (result.state == SyncState::stopped) {
    page.headline("Sync is on, but stopped", ": its store cannot be used");
    print_stopped(page, result.reason, result.hint);
  } else if (!result.enabled) {
    page.line("Sync is off.");
    page.paragraph("`upskill sync enable` shows what it would do, and asks before it starts.");
  } else if (result.agents.empty()) {
    page.headline("Sync is on, but no coding agent takes part",
                  "; policy " + std::string(enum_name(result.policy)));
  } else {
    page.headline("Sync is on",
                  ", " + std::string(enum_name(result.state)) + "; policy "
                      + std::string(enum_name(result.policy)) + "; agents "
                      + joined(result.agents));
  }
  print_choices(page, result);
  if (!result.roots.empty()) {
    page.line();
    print_roots(page, result);
  }
  if (!result.skills.empty()) {
    page.line();
    print_matrix(page, result);
  } else if (std::optional<std::string> skill = invocation.value("skill")) {
    page.line();
    page.line("`" + clean_line(*skill) + "` is not under sync.");
  } else if (result.enabled && result.state != SyncState::stopped && !result.agents.empty()) {
    page.line();
    page.line("No skill is under sync yet: put one into any of these folders.");
  }
  if (result.conflicts > 0 || result.held > 0) {
    page.line();
    page.line(waiting(result.conflicts, result.held) + ": `upskill sync conflicts`");
  }
  print_warnings(page, result);
}

void show(Page& page, const Invocation& invocation, const SyncLogResult& result) {
  if (result.entries.empty()) {
    std::optional<std::string> skill = invocation.value("skill");
    page.line("Sync has not changed "
              + (skill ? "`" + clean_line(*skill) + "`" : std::string("anything")) + " yet.");
    return;
  }
  Table table({{"ID", Fit::right},
               {"TIME (UTC)"},
               {"WHAT"},
               {"SKILL", Fit::shrinks},
               {"WHERE"},
               {"FROM", Fit::shrinks},
               {"", Fit::shrinks}});
  for (const HistoryEntry& entry : result.entries) {
    std::string where = entry.paths.empty()
                            ? std::string()
                            : count(static_cast<long long>(entry.paths.size()), "copy", "copies");
    table.add({{std::to_string(entry.id), Tint::bold},
               {human_time(entry.time), Tint::dim},
               {std::string(enum_name(entry.action)),
                entry.action == SyncAction::remove     ? Tint::red
                : entry.action == SyncAction::conflict ? Tint::yellow
                                                       : Tint::plain},
               {entry.skill},
               {where},
               {entry.from.empty() ? "" : page.path(parent_path(entry.from)), Tint::dim},
               {entry.undone ? "undone" : page.prose(entry.reason), Tint::dim}});
  }
  table.print(page);
  page.line();
  if (result.more) {
    auto shown = static_cast<long long>(result.entries.size());
    page.paragraph("There are older ones; `-n " + std::to_string(std::min(1000LL, 10 * shown))
                       + "` shows more.",
                   0,
                   Tint::dim);
  }
  page.line(page.tint(Tint::dim, "`upskill sync undo ID` takes one back."));
}

void show(Page& page, const Invocation&, const WaitIdleResult& result) {
  switch (result.state) {
  case SyncState::off:
    page.line("Sync is off, so there was nothing to wait for.");
    return;
  case SyncState::idle:
    if (result.taking_part == 0) {
      page.line("Everything is seen, but no coding agent takes part: `upskill sync status`");
      return;
    }
    page.line(everything_is_seen(result));
    break;
  case SyncState::held:
    page.line("Everything is seen; deletions wait for your word: `upskill sync conflicts`");
    break;
  case SyncState::halted:
    page.line("Everything is seen, but sync is halted for a folder: `upskill sync status`");
    break;
  default:
    page.line(everything_is_seen(result));
  }
  if (result.problems > 0) {
    page.line(count(result.problems, "skill has", "skills have")
              + " problems: `upskill sync status`");
  }
}

} // namespace upskill::cli
